import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Client, everyItem, makeClient } from '../support/client.ts'
import { withoutTakeBackHint } from '../support/command-line.ts'
import { newCopyPlace } from '../support/copy-place.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { onPostgres, type ProcessResult, run, type ServerProcess, startProcess } from '../support/process.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const directory = testFolder()

let count = 0
function newFile(text: string | Uint8Array): string {
  const path = join(directory, `file-${++count}.csv`)
  writeFileSync(path, text)
  return path
}

/** A shop that `petstore import` fills, and that a test reads through a server. */
class Shop {
  readonly data = join(directory, `data-${++count}`)
  readonly #args: string[]
  readonly #env: Record<string, string>

  constructor(url: string | undefined) {
    // A command refuses --data with a directory that does not exist if DATABASE_URL is set.
    this.#args = url ? [] : ['--data', this.data]
    this.#env = {
      PETSTORE_ADMIN_KEY: ADMIN_KEY,
      ...(url && { ...onPostgres(url), PETSTORE_DATA: this.data }),
    }
  }

  import(...args: string[]): Promise<ProcessResult> {
    return run(['import', ...this.#args, ...args], this.#env)
  }

  /**
   * Imports, and returns the exit code and the messages after the first, which names the files and the store. Each file
   * name is replaced by `file.csv`.
   */
  async importMessages(...args: string[]): Promise<[exitCode: number, ...lines: string[]]> {
    const { exitCode, errors } = await this.import(...args)
    const [first, ...lines] = withoutTakeBackHint(errors).trim().split('\n')
    expect(first).toMatch(/^(Importing|Checking) file-/)
    return [exitCode, ...lines.map(line => line.replaceAll(/file-\d+\.csv/g, 'file.csv'))]
  }

  serve(): Promise<ServerProcess> {
    return startProcess(['serve', '--port', '0', '--no-demo', ...this.#args], this.#env)
  }

  /** Returns each pet with its category, quantity and status. Without a client, it starts a server for the request. */
  async pets(client?: Client): Promise<string[]> {
    if (!client) {
      await using server = await this.serve()
      return await this.pets(makeClient({ base: server.base, key: ADMIN_KEY }))
    }
    const categories = new Map<bigint, string>()
    for await (const { id, name } of everyItem(client.listCategories, { limit: 100 }))
      categories.set(id, name)
    const found: string[] = []
    for await (const { id, name, categoryId, status } of everyItem(client.listPets, { limit: 100 })) {
      const { quantity } = (await client.getInventoryItem({ petId: id })).data
      found.push(`${name} in ${categories.get(categoryId)}: ${quantity} ${status}`)
    }
    return found
  }
}

const categories = 'name,description\nDogs,"Puppies, and grown dogs"\nFish,\n'
const pets =
  'name,category,quantity,hold\n"Biscuit ""the"" Beagle",Dogs,,\nNeon tetra,Fish,40,\nRex,Dogs,1,yes\nGone,Fish,0,no\n'
const loaded = [
  'Biscuit "the" Beagle in Dogs: 1 available',
  'Neon tetra in Fish: 40 available',
  'Rex in Dogs: 1 pending',
  'Gone in Fish: 0 sold',
]

onEveryEngine(engine => {
  const newShop = async (): Promise<Shop> => new Shop(engine === 'postgres' ? await newDatabase() : undefined)

  test('an import loads categories and pets into a new store, and a second one adds to the stopped store', async () => {
    const empty = await newShop()
    const ended = await empty.importMessages('--categories', newFile(categories), '--pets', newFile(pets))
    expect(ended).toEqual([0, 'Loaded 2 categories and 4 pets.'])
    expect(await empty.pets()).toEqual(loaded)
    const more = newFile('name,category\nIda,Dogs\n')
    expect(await empty.importMessages('--categories', newFile(categories), '--pets', more)).toEqual([
      0,
      'Loaded 0 categories (2 more already existed) and 1 pet.',
    ])
  })

  test('the first message of an import names the files, their sizes and the store, without a password', async () => {
    const url = engine === 'postgres' ? await newDatabase() : undefined
    const named = new Shop(url)
    const [first, second] = [newFile(`name\n${'x'.repeat(150)}\n`), newFile(`${pets}${'\n'.repeat(20_000)}`)]
    const { host, pathname } = new URL(url ?? 'http://none')
    const firstMessage = async (...args: string[]): Promise<string | undefined> =>
      (await named.import(...args)).errors.split('\n')[0]
    const sizes = `${basename(first)} (156 bytes) and ${basename(second)} (19.6 KiB)`
    const files = ['--categories', first, '--pets', second]
    const [storeAtFirst, storeAfterwards] = url
      ? [`the store at ${host}${pathname}`, `the store at ${host}${pathname}`]
      : [`a new store in ${named.data}`, `the store in ${named.data}, which is stopped`]
    expect(await firstMessage(...files)).toBe(`Importing ${sizes} into ${storeAtFirst}.`)
    expect(await firstMessage(...files, '--dry-run')).toBe(`Checking ${sizes} for ${storeAfterwards}.`)
  })

  test('an import loads categories and pets into a running store, which shows them immediately', async () => {
    const open = await newShop()
    await using server = await open.serve()
    const client = makeClient({ base: server.base, key: ADMIN_KEY })
    const ended = await open.importMessages('--categories', newFile(categories), '--pets', newFile(pets))
    expect(ended).toEqual([0, 'Loaded 2 categories and 4 pets.'])
    expect(await open.pets(client)).toEqual(loaded)
    const { data } = await client.createPet({ body: { name: 'After', categoryId: 1n } })
    expect(data.id > 4n).toBe(true)
  })

  test('an import stages a large file in groups, and counts the lines of records that have several', async () => {
    const large = await newShop()
    // PostgreSQL takes fifteen times as long per row. 3,000 are still several groups and several reads.
    const rowCount = engine === 'postgres' ? 3000 : 20_000
    const rows = Array.from({ length: rowCount }, (_, index) => `"Guppy\n${index}",Fish,${index % 41},`)
    rows[rowCount - 1] = 'Last,Nowhere,1,'
    const text = `name,category,quantity,hold\n${rows.join('\n')}\n`
    const files = ['--categories', newFile(categories), '--pets', newFile(text)]
    expect(await large.importMessages(...files, '--keep-going')).toEqual([
      1,
      `file.csv:${2 * rowCount}: there is no category "Nowhere"`,
      '1 category is missing: with --create-categories, the import creates it.',
      expect.stringMatching(
        new RegExp(`^Loading ${rowCount + 1} rows\\. If this is interrupted, continue with --resume \\d+$`),
      ),
      `Loaded 2 categories and ${rowCount - 1} pets.`,
      '1 line is invalid; the others were loaded.',
    ])
  })
})

test('an import reports each invalid line by its number, and loads nothing without --keep-going', async () => {
  const strict = new Shop(undefined)
  const wrong =
    'name,category,quantity,hold\nRex,Dogs,1,\n,Dogs,1,\nIda,Cats,1,\nMax,Dogs,-1,\nTom,Dogs,1,maybe\nBo\n'
  const files = ['--categories', newFile(categories), '--pets', newFile(wrong)]
  const problems = [
    'file.csv:3: name is empty',
    'file.csv:4: there is no category "Cats"',
    'file.csv:5: quantity "-1" must be an integer from 0 to 1000000000',
    'file.csv:6: hold "maybe" must be yes, no or empty',
    'file.csv:7: has 1 cell, but the first line names 4 columns',
    '1 category is missing: with --create-categories, the import creates it.',
  ]
  const summary = '5 lines are invalid; nothing was loaded.'
  expect(await strict.importMessages(...files)).toEqual([1, ...problems, summary])
  expect(await strict.importMessages(...files, '--dry-run')).toEqual([
    1,
    ...problems,
    '5 lines are invalid; nothing would be loaded.',
  ])
  expect(await strict.pets()).toEqual([])
  expect(await strict.importMessages(...files, '--keep-going')).toEqual([
    1,
    ...problems,
    'Loaded 2 categories and 1 pet.',
    '5 lines are invalid; the others were loaded.',
  ])
  expect(await strict.pets()).toEqual(['Rex in Dogs: 1 available'])
})

describe('the files of an import:', () => {
  const cases: { name: string; text: string | Uint8Array; says: string }[] = [
    { name: 'an empty file', text: '', says: 'is empty: its first line must name the columns.' },
    { name: 'a missing column', text: 'name\nRex\n', says: ':1: the column "category" is missing' },
    {
      name: 'a delimiter that is not supported',
      text: 'name:category\nRex:Dogs\n',
      says: ':1: the column "name" is missing; the columns are name, category, quantity, hold, reorderAt, price',
    },
    { name: 'a duplicate column', text: 'name,category,name\n', says: ':1: the column "name" appears twice' },
    {
      name: 'a missing column after empty lines',
      text: '\n\nname,Kategory,colour\nRex,Dogs,red\n',
      says: 'category, quantity, hold, reorderAt, price, barcode. Did you mean "category" by "Kategory"?',
    },
    {
      name: 'a quote that is not closed',
      text: 'name,category\n"Rex,Dogs\n',
      says: ':2: a quote in "\\"Rex,Dogs" is not closed',
    },
    {
      name: 'an encoding other than UTF-8',
      text: new Uint8Array([...Buffer.from('name,category\nZo'), 0xeb]),
      says: ':2: the file is not in UTF-8 (this line has "Zoë" in Windows-1252, "ZoÎ" in Mac Roman): save it',
    },
  ]
  for (const { name, text, says } of cases) {
    test(`${name} is reported`, async () => {
      const ended = await new Shop(undefined).import('--pets', newFile(text))
      expect(ended.errors).toContain(says)
      expect([ended.exitCode, ended.errors.includes('    at ')]).toEqual([1, false])
    })
  }

  test('a file of pets is not taken for one of categories', async () => {
    const file = newFile('name,category,price\nRex,Dogs,5\n')
    const ended = await new Shop(undefined).import('--categories', file)
    const says = 'the column "category" is that of a file of pets, not of categories'
    expect([ended.exitCode, ended.errors]).toEqual([1, expect.stringContaining(says)])
  })

  test('a file that does not exist and an import without a file are reported', async () => {
    const missing = await new Shop(undefined).import('--pets', '/nowhere/pets.csv')
    expect([missing.exitCode, missing.errors.trim()]).toEqual([1, '/nowhere/pets.csv does not exist.'])
    const none = await new Shop(undefined).import()
    expect([none.exitCode, none.errors.trim()]).toEqual([2, 'Specify --categories, --pets or both.'])
  })

  test('a UTF-8 byte order mark is not part of the name of the first column', async () => {
    const ended = await new Shop(undefined).importMessages('--categories', newFile(`\ufeff${categories}`))
    expect(ended).toEqual([0, 'Loaded 2 categories and 0 pets.'])
  })
})

test('an import into a stopped store that fails while it loads leaves nothing, as its message says', async () => {
  using place = await newCopyPlace('sqlite')
  const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY }
  const importFile = (kind: string, text: string, ...options: string[]): Promise<ProcessResult> =>
    run(['import', `--${kind}`, newFile(text), '--data', place.directory, ...options], env)
  expect((await importFile('categories', 'name\nDogs\n')).exitCode).toBe(0)
  await place.database(`UPDATE counter SET last = 9223372036854775806 WHERE noun = 'pet' RETURNING 1`)
  const content = (): Promise<unknown> =>
    place.database(`SELECT (SELECT count(*) FROM staged_row) AS staged, (SELECT count(*) FROM pet) AS pets,
      (SELECT max(position) FROM event) AS last`)
  const before = await content()
  const rejects = join(place.directory, 'rejects.csv')
  const text = 'name,category\nRex,Dogs\nMax,Dogs\n,Dogs\n'
  const { exitCode, errors } = await importFile('pets', text, '--keep-going', '--rejects', rejects)
  expect([exitCode, errors]).toEqual([
    1,
    expect.stringMatching(/The import failed: .* Nothing was loaded\.\n$/),
  ])
  expect([await content(), existsSync(rejects)]).toEqual([before, false])
})

// Linux refuses to read the first file even to the superuser; the second one fails while it is read.
test.skipIf(process.platform !== 'linux').each([
  [
    '/proc/sys/net/ipv4/route/flush',
    /^\/proc\/sys\/net\/ipv4\/route\/flush cannot be read: EACCES: [^\n]*\.\n$/,
  ],
  ['/proc/self/mem', /^Checking mem [^\n]*\nmem cannot be read: EIO: [^\n]*\.\n$/],
])('an import of %s, which cannot be read, is refused in one sentence', async (file, says) => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-import-'))
  const { exitCode, errors } = await run(['import', '--pets', file, '--data', directory, '--dry-run'])
  expect([exitCode, errors]).toEqual([1, expect.stringMatching(says)])
  rmSync(directory, { recursive: true })
})
