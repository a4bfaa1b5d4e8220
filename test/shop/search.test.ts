import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createClient } from '../../src/client/client.ts'
import { findWrongKeys } from '../../src/shop/registry/invariants.ts'
import { hasInside, nameWordsOf, partsInBothSpellings, wordsOf } from '../../src/values/search-words.ts'
import { connectAgent } from '../support/agent.ts'
import { everyItem } from '../support/client.ts'
import { sharedStore } from '../support/shop.ts'
import {
  ADMIN_KEY,
  codeOf,
  onEveryEngine,
  openTestStore,
  refusalOf,
  type TestStore,
} from '../support/store.ts'

const NAMES = [
  ...['Max (Golden Retriever)', 'Käthe', 'STRAẞE-Straßen', 'Goldie Retz', 'Retro Rex Rettich'],
  ...['Ärmel', 'Armel', 'Zoë', 'zoe B', '한글 Rex', 'O’Brien 42'],
]
const INSIDE_NAMES = [
  ...[
    'Goldfisch',
    'Fischer Ütz',
    'Wörtherfisch',
    'Hundefutter Rind',
    'Michael',
    'Feuer 😀',
    '小型犬',
    '犬小屋',
    'カメ 50%',
    'かめ_x',
  ],
]
const INSIDE: readonly (readonly [search: string, names: readonly string[]])[] = [
  ['isch', ['Fischer Ütz', 'Goldfisch', 'Wörtherfisch']],
  ['fisch', ['Fischer Ütz', 'Goldfisch', 'Wörtherfisch']],
  ['rind utter', ['Hundefutter Rind']],
  ['woerther', ['Wörtherfisch']],
  ['worther', ['Wörtherfisch']],
  ['rthERf', ['Wörtherfisch']],
  ['uetz', ['Fischer Ütz']],
  ['michal', []],
  ['fur', []],
  ['fur ind', []],
  ['fu ind', ['Hundefutter Rind']],
  ['犬', ['犬小屋', '小型犬']],
  ['型', ['小型犬']],
  ['😀', ['Feuer 😀']],
  // Hiragana and katakana are one, and a sign finds itself.
  ['カメ', ['カメ 50%', 'かめ_x']],
  ['かめ', ['カメ 50%', 'かめ_x']],
  ['50%', ['カメ 50%']],
  ['%', ['カメ 50%']],
  ['_', ['かめ_x']],
  ['\\', []],
  ['l', ['Goldfisch', 'Michael']],
]

const SEED = 20_261_128
/** Few letters of ten scripts, so that many texts are found. */
const letters = [
  ...'abÄoeöß',
  ...'ж',
  ...'σς',
  ...'של',
  ...'مح',
  ...'हि',
  ...'น้',
  ...'犬小',
  ...'がカか’_',
  ...'한',
  '😀',
]
const randomWord = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 6 })
const randomName = fc.array(randomWord, { minLength: 1, maxLength: 3 }).map(words => words.join(' '))

/** Makes texts of which half are parts of a name. */
function textIn(names: readonly string[]): fc.Arbitrary<string> {
  const part = fc.tuple(fc.constantFrom(...names), fc.nat(12), fc.integer({ min: 1, max: 5 }))
  return fc.oneof(
    part.map(
      ([name, from, length]) =>
        [...name]
          .slice(from % name.length)
          .slice(0, length)
          .join('') || 'a',
    ),
    randomName,
  )
}

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Returns the ids of the pets that a text finds, by a look at every name. The first has the id 1. */
function idsIn(names: readonly string[], search: string): bigint[] {
  const texts = wordsOf(search)
  const [longest = ''] = texts.toSorted((one, other) => other.length - one.length)
  const parts = partsInBothSpellings(longest)
  const placeOf = (name: string): string | undefined => {
    const words = nameWordsOf(name).toSorted(compare)
    if (texts.every(text => words.some(word => word.startsWith(text))))
      return `1${words.find(word => word.startsWith(longest))}`
    if (!texts.every(text => hasInside(name, text))) return undefined
    return `2${words.find(word => parts.every(part => word.includes(part)))}`
  }
  return names
    .flatMap((name, index) => {
      const place = texts.length === 0 ? undefined : placeOf(name)
      return place === undefined ? [] : [{ id: BigInt(index + 1), place }]
    })
    .toSorted((one, other) => compare(one.place, other.place) || Number(one.id - other.id))
    .map(({ id }) => id)
}

/** The maximum number of words that one page looks into for a text inside them. */
const WORDS_OF_A_PAGE = 100_000
/** More pets than one page reads words for. */
const MANY = 560
const LAST = String(MANY - 1)
const AT_ONCE = 20

async function createPets({ client }: Pick<TestStore, 'client'>, names: readonly string[]): Promise<void> {
  await client.createCategory({ body: { name: 'Dogs' } })
  await client.createCategory({ body: { name: 'Cats' } })
  for (const name of names) await client.createPet({ body: { name, categoryId: 1n } })
}

/** Returns what is wrong with the words and the sort keys of a store. */
async function wrongKeys({ engine }: TestStore): Promise<readonly string[]> {
  return await engine.readShort(reader => findWrongKeys(reader))
}

onEveryEngine(engine => {
  const store = sharedStore(engine)
  beforeAll(() => createPets(store(), NAMES))

  async function found(search: string, input: object = {}): Promise<string[]> {
    const pets = await Array.fromAsync(everyItem(store().client.listPets, { search, ...input }))
    return pets.map(({ name }) => name)
  }

  test.each([
    ['kathe', ['Käthe']],
    ['KÄTH', ['Käthe']],
    ['strass', ['STRAẞE-Straßen']],
    ['retriever', ['Max (Golden Retriever)']],
    ['g re', ['Max (Golden Retriever)', 'Goldie Retz']],
    ['m  g', ['Max (Golden Retriever)']],
    ['r re ret', ['Max (Golden Retriever)', 'Retro Rex Rettich', 'Goldie Retz']],
    ['rex 한', ['한글 Rex']],
    ['4 o', ['O’Brien 42']],
    ['obrien', ['O’Brien 42']],
    ["O'BRIEN", ['O’Brien 42']],
    ['brien', ['O’Brien 42']],
    ['olden', ['Max (Golden Retriever)']],
    ['golden q', []],
    ['?!', []],
  ])('a search for %j finds the pets whose names have words with these starts', async (search, names) => {
    for (const limit of [1, 2, 100]) expect(await found(search, { limit })).toEqual(names)
  })

  test('a search lists a pet once, at its first word that was searched for', async () => {
    expect(await found('ret')).toEqual(['Max (Golden Retriever)', 'Retro Rex Rettich', 'Goldie Retz'])
    expect(await found('re')).toEqual([
      ...['Max (Golden Retriever)', 'Retro Rex Rettich', 'Goldie Retz', '한글 Rex'],
    ])
  })

  test('a search finds what starts with the text, then what contains it', async () => {
    await using own = await openTestStore(engine)
    await createPets(own, INSIDE_NAMES)
    for (const [search, names] of INSIDE) {
      for (const limit of [1, 2, 100]) {
        const pets = await Array.fromAsync(everyItem(own.client.listPets, { search, limit }))
        expect([search, ...pets.map(({ name }) => name)]).toEqual([search, ...names])
      }
    }
  })

  test('a search of any text in any script finds what a look at every name finds, in order', async () => {
    await using own = await openTestStore(engine)
    const names = fc.sample(randomName, { seed: SEED, numRuns: 100 })
    await createPets(own, names)
    let found = 0
    for (const search of fc.sample(textIn(names), { seed: SEED, numRuns: 150 })) {
      const limit = 1 + (found % 20)
      const pets = await Array.fromAsync(everyItem(own.client.listPets, { search, limit }))
      expect([search, ...pets.map(({ id }) => id)]).toEqual([search, ...idsIn(names, search)])
      found += pets.length
    }
    expect(found).toBeGreaterThan(1000)
  }, 60_000)

  test('a search goes with the filters by status, category and quantity', async () => {
    const { client } = store()
    const inventory = async (input: object): Promise<bigint[]> =>
      (await client.listInventory({ search: 'arm', ...input })).data.items.map(({ petId }) => petId)
    await client.updatePet({ petId: 6n, body: { status: 'sold', categoryId: 2n } })
    await client.setInventory({ petId: 7n, body: { quantity: 7n } })
    expect(await found('arm', { status: ['sold'] })).toEqual(['Ärmel'])
    expect(await found('arm', { status: ['sold', 'available'], categoryId: [1n] })).toEqual(['Armel'])
    expect(await inventory({})).toEqual([6n, 7n])
    expect(await inventory({ quantityAtMost: 6n })).toEqual([6n])
    expect(await inventory({ status: ['available'] })).toEqual([7n])
    const { data } = await client.listPets({ search: 'arm', include: 'stock' })
    expect(data.items.map(({ quantity }) => quantity)).toEqual([0n, 7n])
  })

  test('a search has at most 200 characters, and excludes ids, the start of the name and a sort', async () => {
    const { client } = store()
    for (const input of [{ id: [1n] }, { name: 'a' }, { sort: 'name' as const }]) {
      const { message } = await refusalOf(client.listPets({ search: 'max', ...input }))
      expect(message).toBe(`${Object.keys(input)[0]} cannot be combined with search.`)
    }
    for (const input of [{ petId: [1n] }, { sort: '-id' as const }])
      expect(await codeOf(client.listInventory({ search: 'max', ...input }))).toBe('400 invalid_parameter')
    expect((await store().send('GET', `/pets?search=${'a'.repeat(201)}`)).status).toBe(400)
    const { data } = await client.listPets({ search: '', sort: 'name', limit: 1 })
    expect(data.items.map(({ name }) => name)).toEqual(['Armel'])
  })

  test('a list sorted by name has Ä beside A, the plain name first', async () => {
    const { client } = store()
    const sorted = async (sort: 'name' | '-name', input: object = {}): Promise<string[]> =>
      (await client.listPets({ sort, limit: 100, ...input })).data.items.map(({ name }) => name)
    const names = await sorted('name')
    expect(names.slice(0, 3)).toEqual(['Armel', 'Ärmel', 'Goldie Retz'])
    expect(names.slice(-3)).toEqual(['Zoë', 'zoe B', '한글 Rex'])
    expect(await sorted('-name')).toEqual(names.toReversed())
    expect(await sorted('name', { status: ['available', 'sold'] })).toEqual(names)
    expect(await sorted('name', { categoryId: [1n, 2n] })).toEqual(names)
    await client.createCategory({ body: { name: 'Çats' } })
    const { data } = await client.listCategories({ sort: 'name' })
    expect(data.items.map(({ name }) => name)).toEqual(['Cats', 'Çats', 'Dogs'])
  })

  test('the words and the sort key of a pet follow its name', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    await createPets(own, ['Rex the Dög', 'Tom'])
    await client.updatePet({ petId: 1n, body: { status: 'sold' } })
    await client.updatePet({ petId: 1n, body: { name: 'Réx a cat' } })
    await client.updateCategory({ categoryId: 2n, body: { name: 'Zebrás' } })
    const words = await own.database(
      `SELECT word FROM pet_word WHERE pet_id = 1 AND word >= '!' ORDER BY word`,
    )
    expect(words).toEqual([{ word: 'a' }, { word: 'cat' }, { word: 'rex' }])
    await client.deletePet({ petId: 2n })
    expect(await own.database('SELECT word FROM pet_word WHERE pet_id = 2')).toEqual([])
    expect(await wrongKeys(own)).toEqual([])
  })

  test('a page of a search reads a bounded number of words, and every reader goes on after an empty page', async () => {
    await using own = await openTestStore(engine)
    await createPets(own, [])
    for (let first = 0; first < MANY; first += AT_ONCE) {
      const names = Array.from({ length: AT_ONCE }, (_, index) => String(first + index))
      const creating = names.map(name =>
        own.client.createPet({
          body: { name: `Common ${name === LAST ? 'rare' : name}`, categoryId: 1n },
        }),
      )
      await Promise.all(creating)
    }
    const rare = (await own.client.listPets({ search: 'rare' })).data.items.map(({ id }) => id)
    const ids = Array.from({ length: MANY }, (_, index) => BigInt(index + 1))
    const pets = await Array.fromAsync(everyItem(own.client.listPets, { search: 'common', limit: 100 }))
    expect(pets.map(({ id }) => id)).toEqual(ids)
    // The longest word is read, so a search for both words reads those of all pets.
    const { data: page } = await own.client.listPets({ search: 'commo rare', limit: 5 })
    expect([page.items, page.next]).toEqual([[], expect.any(String)])
    const client = createClient({ baseUrl: own.base, key: ADMIN_KEY })
    const iterated = await Array.fromAsync(client.listPets({ search: 'commo rare', limit: 5 }))
    expect(iterated.map(({ id }) => id)).toEqual(rare)
    await using agent = await connectAgent(own.base)
    const { content } = await agent.call('find_pets', { search: 'commo rare', limit: 5 })
    expect(content).toMatchObject({ items: [{ id: String(rare[0]), name: 'Common rare' }] })
    expect(content.next).toBeUndefined()
  }, 60_000)
  test('a page of a search inside words looks into a bounded number of them, and the next page goes on', async () => {
    await using own = await openTestStore(engine)
    await createPets(own, ['Zebrafisch', 'Zierfisch'])
    await own.database(`INSERT INTO pet_word (word, pet_id)
      WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${WORDS_OF_A_PAGE})
      SELECT 'a' || n, 1 FROM s`)
    const search = 'fisch'
    const { data: page } = await own.client.listPets({ search, limit: 1 })
    expect([page.items, page.next]).toEqual([[], expect.any(String)])
    const pets = await Array.fromAsync(everyItem(own.client.listPets, { search, limit: 1 }))
    expect(pets.map(({ name }) => name)).toEqual(['Zebrafisch', 'Zierfisch'])
  }, 60_000)
})
