import { expect, test } from 'bun:test'
import { ApiError } from '../../src/client/errors.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { waitForPositions } from '../support/received-events.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf, type TestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const CLIENTS = 16
const ROUNDS = 12
const LIMIT_MS = 120_000

/** Runs calls at once. Returns the ids of the pets that succeeded, and the texts of the refusals. */
async function race(calls: readonly Promise<{ data: { id: bigint } }>[]) {
  const ids: bigint[] = []
  const refusals: string[] = []
  for (const result of await Promise.allSettled(calls)) {
    if (result.status === 'fulfilled') ids.push(result.value.data.id)
    else if (result.reason instanceof ApiError)
      refusals.push(`${result.reason.status} ${result.reason.code}: ${result.reason.message}`)
    else refusals.push(String(result.reason))
  }
  return { ids, refusals }
}

/** Returns a UPC-A of twelve digits, with its check digit. With a zero before it, it is an EAN-13. */
function upcOf(number: bigint): string {
  const digits = String(number).padStart(11, '1')
  const sum = [...digits].reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return digits + String((10 - (sum % 10)) % 10)
}

/** Lets clients give pets one barcode, in two forms, at once. Each refusal must name the pet that has it. */
async function expectOneHolder({ client }: TestStore, others: readonly TestStore['client'][]): Promise<void> {
  const { petId, categoryId } = await makePet(client)
  const pets = await Promise.all(
    Array.from({ length: CLIENTS / 2 }, () => client.createPet({ body: { name: 'Old', categoryId } })),
  )
  for (let round = 0; round < ROUNDS; round++) {
    const barcode = upcOf(petId * 100n + BigInt(round))
    const { ids, refusals } = await race(
      pets.flatMap(({ data }, index) => {
        const one = others[index % others.length] ?? client
        return [
          one.createPet({ body: { name: `New ${round}`, categoryId, barcode } }),
          one.updatePet({ petId: data.id, body: { barcode: `0${barcode}` } }),
        ]
      }),
    )
    expect(ids).toHaveLength(1)
    const [id = 0n] = ids
    const { data: found } = await client.listPets({ search: `00${barcode}`, limit: 1 })
    const holder = found.items[0]
    expect(holder?.id).toBe(id)
    const refusal = `409 barcode_taken: Pet ${id}, "${holder?.name}", has the barcode ${barcode}.`
    expect([...new Set(refusals.map(text => text.replace('barcode 0', 'barcode ')))]).toEqual([refusal])
    expect(refusals).toHaveLength(CLIENTS - 1)
  }
}

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('a barcode is set, changed and removed, and is in the list, the event and the ETag of the pet', async () => {
    const { client } = store()
    const { petId } = await makePet(client)
    const listed = async () => {
      const { data, etag } = await client.listPets({ id: [petId] })
      return { barcode: data.items[0]?.barcode, etag }
    }
    const etags = new Set([(await listed()).etag])
    for (const barcode of ['1', 'A b', '~'.repeat(64)]) {
      expect((await client.updatePet({ petId, body: { barcode } })).data.barcode).toBe(barcode)
      const now = await listed()
      expect(now.barcode).toBe(barcode)
      etags.add(now.etag)
    }
    expect(etags.size).toBe(4)
    expect((await client.updatePet({ petId, body: { name: 'Other' } })).data.barcode).toBe('~'.repeat(64))
    expect((await client.updatePet({ petId, body: { barcode: null } })).data.barcode).toBeUndefined()
    await waitForPositions(store())
    const events = await store().database(
      `SELECT data FROM event WHERE type = 'petstore.pet.updated' AND pet_id = ${petId} ORDER BY id`,
    )
    const barcodes = events.map(({ data }) => JSON.parse(String(data)).barcode)
    expect(barcodes).toEqual(['1', 'A b', '~'.repeat(64), '~'.repeat(64), undefined])
  })

  test('a barcode has 1 to 64 printable characters, and no blank at its ends', async () => {
    const { client } = store()
    const { petId } = await makePet(client)
    for (const barcode of ['', ' 1', '1 ', ' ', '1\t2', '1\n', 'ä', '1'.repeat(65)])
      expect(await codeOf(client.updatePet({ petId, body: { barcode } }))).toBe('422 validation_failed')
  })

  test('a barcode that a pet has is refused for another one, until the pet changes it or is deleted', async () => {
    const { client } = store()
    const { petId, categoryId } = await makePet(client)
    const other = await makePet(client)
    const body = { name: 'New', categoryId, barcode: '4006381333931' }
    await client.updatePet({ petId, body: { barcode: body.barcode } })
    for (const refused of [
      () => client.createPet({ body }),
      () => client.updatePet({ petId: other.petId, body: { name: 'Renamed', barcode: body.barcode } }),
    ]) {
      const { message, errors } = await refusalOf(refused())
      expect(message).toBe(`Pet ${petId}, "Anybody", has the barcode 4006381333931.`)
      expect(errors).toMatchObject([{ pointer: '/barcode', code: 'duplicate' }])
    }
    const { data } = await client.listPets({ id: [other.petId] })
    expect(data.items[0]?.name).toBe('Anybody')
    // The same barcode in other letters is another one.
    await client.updatePet({ petId, body: { barcode: 'x1' } })
    const { data: created } = await client.createPet({ body })
    await client.updatePet({ petId: other.petId, body: { barcode: 'X1' } })
    await client.deletePet({ petId: created.id })
    expect((await client.createPet({ body })).status).toBe(201)
    expect(await violatedInvariants(store())).toEqual([])
  })

  test('a pet changes its barcode to another form of it, and keeps other pets from both', async () => {
    const { client } = store()
    const { petId, categoryId } = await makePet(client)
    const [upc, ean] = ['012345678905', '0012345678905']
    for (const barcode of [upc, ean, upc])
      expect((await client.updatePet({ petId, body: { barcode } })).data.barcode).toBe(barcode)
    for (const barcode of [upc, ean]) {
      expect(await codeOf(client.createPet({ body: { name: 'Other', categoryId, barcode } }))).toBe(
        '409 barcode_taken',
      )
      expect((await client.listPets({ search: barcode })).data.items.map(({ id }) => id)).toEqual([petId])
    }
    await client.updatePet({ petId, body: { barcode: null } })
    await client.deletePet({
      petId: (await client.createPet({ body: { name: 'Next', categoryId, barcode: ean } })).data.id,
    })
    expect(await violatedInvariants(store())).toEqual([])
  })

  test('a search finds the pet with exactly this barcode first, and once, on any page', async () => {
    const { client } = store()
    const { petId, categoryId } = await makePet(client)
    const body = { categoryId, barcode: 'Rocket 7' }
    for (const name of ['Rocket 7', 'Rocket 77']) await client.createPet({ body: { name, categoryId } })
    const { data: scanned } = await client.createPet({ body: { ...body, name: 'Zoe Rocket 7' } })
    const pages: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { data } = await client.listPets({ search: ' Rocket 7 ', limit: 1, cursor })
      pages.push(...data.items.map(({ name }) => name))
      if (data.next === undefined) break
      cursor = data.next
    }
    expect(pages).toEqual(['Zoe Rocket 7', 'Rocket 7', 'Rocket 77'])
    const idsOf = async (input: object) =>
      (await client.listPets({ search: 'Rocket 7', ...input })).data.items.map(({ id }) => id)
    expect(await idsOf({ status: ['sold'] })).toEqual([])
    expect((await idsOf({ include: 'stock', categoryId: [categoryId] }))[0]).toBe(scanned.id)
    // A barcode without a letter or a digit has no words.
    await client.updatePet({ petId, body: { barcode: '*-*' } })
    expect((await client.listPets({ search: '*-*' })).data.items.map(({ id }) => id)).toEqual([petId])
  })

  test(
    'of 16 clients that give one barcode to pets at once, one succeeds, and each other learns which pet has it',
    async () => {
      await expectOneHolder(store(), [])
      expect(await violatedInvariants(store())).toEqual([])
    },
    LIMIT_MS,
  )
})

test.skipIf(!testedEngines.includes('postgres'))(
  'two processes on one PostgreSQL give a barcode to one pet',
  async () => {
    const databaseUrl = await newDatabase()
    await using one = await openTestStore('postgres', { databaseUrl })
    await using other = await openTestStore('postgres', { databaseUrl })
    await expectOneHolder(one, [one.client, other.client])
    expect(await violatedInvariants(one)).toEqual([])
  },
  LIMIT_MS,
)
