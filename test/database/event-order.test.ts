import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Client } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { type EventRow, eventRows, inversionsOf } from '../support/received-events.ts'
import { makePet, type PetMade } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

const CHAINS = 30
/** The buyers of each process, so that groups of this many orders commit together. */
const BUYERS = 64
/** The pets of an import: its events fill several batches. */
const IMPORTED_PETS = 60n

/** Makes four changes, each after the response to the one before, in turn in two processes. Returns their subjects. */
async function changeInTurn(a: Client, b: Client): Promise<string[]> {
  const category = await b.createCategory({ body: { name: 'Chain' } })
  const pet = await a.createPet({ body: { name: 'Chain', categoryId: category.data.id } })
  const order = await b.placeOrder({ body: { petId: pet.data.id } })
  const orderId = order.data.id ?? 0n
  await a.cancelOrder({ orderId })
  const { data } = await b.createCategory({ body: { name: 'Next' } })
  return [
    `categories/${category.data.id}`,
    `pets/${pet.data.id}`,
    `orders/${orderId}`,
    `categories/${data.id}`,
  ]
}

async function importPets(client: Client, importId: bigint): Promise<void> {
  const category = `Imported ${importId}`
  const pets = Array.from({ length: Number(IMPORTED_PETS) }, (_, index) => {
    return { line: BigInt(index + 1), name: `Pet ${index}`, category, quantity: 1n, hold: false }
  })
  await client.stageImport({ importId, body: { categories: [{ line: 1n, name: category }], pets } })
  await client.loadImportSlice({ importId, body: { begins: true, rows: 500n } })
}

describe.skipIf(!testedEngines.includes('postgres'))('the order of events in two processes', () => {
  test('changes that a client makes one after the other have positions in this order', async () => {
    await using store = await openTestStore('postgres')
    await using other = await openTestStore('postgres', { databaseUrl: store.place.databaseUrl ?? '' })
    const pets = await Promise.all(
      Array.from({ length: BUYERS }, () => makePet(store.client, { quantity: 10_000n })),
    )
    const chains: string[][] = []
    let isOver = false
    const buy = async (client: Client, { petId }: PetMade): Promise<void> => {
      const chain: string[] = []
      while (!isOver) chain.push(`orders/${(await client.placeOrder({ body: { petId } })).data.id}`)
      chains.push(chain)
    }
    const load = [store.client, other.client].flatMap(client => pets.map(pet => buy(client, pet)))
    for (let index = 0; index < CHAINS; index++) {
      const [first, second] = index % 2 === 0 ? [store, other] : [other, store]
      if (index % 10 === 0) load.push(importPets(first.client, BigInt(index + 1)))
      chains.push(await changeInTurn(first.client, second.client))
    }
    isOver = true
    await Promise.all(load)
    const rows = await eventRows(store)
    expect(inversionsOf(chains, rows)).toEqual([])
    // Control: in the order of the ids of events, which each process takes from a block of its own, effects come first.
    const byId = rows
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((row, index): EventRow => {
        return { ...row, position: BigInt(index + 1) }
      })
    expect(inversionsOf(chains, byId).length).toBeGreaterThan(0)
  }, 60_000)

  test('an order takes its place only after it has waited for a lock, here that of its Idempotency-Key', async () => {
    await using store = await openTestStore('postgres', { isolation: 'READ COMMITTED' })
    await using pool = new SQL({ url: store.place.databaseUrl ?? '', max: 1, bigint: true })
    const { petId } = await makePet(store.client, { quantity: 5n })
    const { petId: otherId } = await makePet(store.client, { quantity: 5n })
    const place = (idempotencyKey: string) => store.client.placeOrder({ body: { petId } }, { idempotencyKey })
    await place('first')
    using holder = await pool.reserve()
    await holder.unsafe(`BEGIN; INSERT INTO reply SELECT (jsonb_populate_record(row,
      '{"idempotency_key": "second"}')).* FROM reply AS row WHERE idempotency_key = 'first'`)
    const lastBatch = async () =>
      (await store.database('SELECT last_value FROM event_batch_id_seq'))[0]?.last_value
    const before = await lastBatch()
    const waiting = place('second')
    await until('the order waits', async () => {
      const [row] = await store.database(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
      return Number(row?.n) > 0
    })
    expect(await lastBatch()).toBe(before)
    const { data: other } = await store.client.placeOrder({ body: { petId: otherId } })
    await holder.unsafe('ROLLBACK')
    const { data: last } = await waiting
    expect(inversionsOf([[`orders/${other.id}`, `orders/${last.id}`]], await eventRows(store))).toEqual([])
  })
})
