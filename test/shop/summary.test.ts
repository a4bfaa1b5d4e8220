import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Reader } from '../../src/database/engine.ts'
import { PostgresConnection } from '../../src/database/postgres/connection.ts'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { sql } from '../../src/database/statement.ts'
import { getStoreSummary } from '../../src/shop/inventory/verbs.ts'
import { writeJson } from '../../src/values/json.ts'
import { useShop } from '../support/busy-shop.ts'
import { testedEngines } from '../support/engines.ts'
import { makePet } from '../support/shop.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const WRITERS = 8
const EVENTS = 1500
/** How many states must be compared at least while the store is busy. */
const COMPARED_MIN = 10

const countRows = sql<{ pets: bigint; sold: bigint; units: bigint; open: bigint; orders: bigint }>()(`
  SELECT (SELECT count(*) FROM pet) AS pets, (SELECT count(*) FROM pet WHERE status = 'sold') AS sold,
    (SELECT CAST(sum(quantity) AS BIGINT) FROM pet) AS units,
    (SELECT count(*) FROM orders WHERE complete = 0) AS open, (SELECT count(*) FROM orders) AS orders`)

/** Runs `work` with a reader whose reads all see one state of the database. */
async function readOneState(store: TestStore, work: (reader: Reader) => Promise<void>): Promise<void> {
  const { databaseUrl, directory } = store.place
  if (databaseUrl === undefined) {
    const connection = new SqliteConnection(databaseFile(directory), { readonly: true })
    connection.database.run('BEGIN')
    await work(connection)
    connection.close()
    return
  }
  await using pool = new SQL({ url: databaseUrl, bigint: true, max: 1 })
  await pool.begin('ISOLATION LEVEL REPEATABLE READ', transaction =>
    work(new PostgresConnection(transaction)),
  )
}

/** Compares the summary with the counts of the rows, both in the state of the database that the reader sees. */
async function compare(reader: Reader): Promise<void> {
  const rows = await reader.one(countRows)
  const { pets, unitsOnHand, openOrders, ordersByDay } = await getStoreSummary(
    reader,
    {},
    { now: new Date().toISOString() },
  )
  const { available, pending, sold } = pets
  const orders = ordersByDay.reduce((sum, day) => sum + day.orders, 0n)
  const summary = { pets: available + pending + sold, sold, units: unitsOnHand, open: openOrders, orders }
  expect(writeJson(summary)).toBe(writeJson(rows ?? {}))
}

onEveryEngine(engine => {
  test('the summary of a busy store is exact in every state that a reader sees', async () => {
    await using store = await openTestStore(engine)
    await makePet(store.client)
    let isBusy = true
    let compared = 0
    const write = async (): Promise<void> => {
      // A busy machine may read too rarely for one round.
      while (compared < COMPARED_MIN) await useShop(store.client, WRITERS, EVENTS, 20261122)
    }
    const writing = write().finally(() => {
      isBusy = false
    })
    while (isBusy) {
      await readOneState(store, compare)
      compared++
      // SQLite reads without waiting, so only a timer lets the writers continue.
      await Bun.sleep(1)
    }
    await writing
    expect(await violatedInvariants(store)).toEqual([])
  })

  test('orders, completions and cancellations change the summary', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    const { petId } = await makePet(client, { quantity: 3n })
    const read = async () => {
      const { pets, openOrders, unitsOnHand, unitsReserved, ordersByDay } = (await client.getStoreSummary({}))
        .data
      return [pets, openOrders, unitsOnHand, unitsReserved, ordersByDay.at(-1)?.orders]
    }
    const onePet = (status: 'available' | 'pending' | 'sold') => ({
      available: 0n,
      pending: 0n,
      sold: 0n,
      [status]: 1n,
    })
    const { data: first } = await client.placeOrder({ body: { petId, quantity: 2n } })
    expect(await read()).toEqual([onePet('available'), 1n, 3n, 2n, 1n])
    const { data: second } = await client.placeOrder({ body: { petId } })
    expect(await read()).toEqual([onePet('pending'), 2n, 3n, 3n, 2n])
    await client.updateOrder({ orderId: first.id ?? 0n, body: { complete: true } })
    expect(await read()).toEqual([onePet('pending'), 1n, 1n, 1n, 2n])
    await client.cancelOrder({ orderId: second.id ?? 0n })
    expect(await read()).toEqual([onePet('available'), 0n, 1n, 0n, 1n])
    await client.updatePet({ petId, body: { status: 'pending' } })
    // The stock reaches 0 while the pet is on hold.
    await client.setInventory({ petId, body: { quantity: 0n } })
    expect(await read()).toEqual([onePet('sold'), 0n, 0n, 0n, 1n])
    await client.deletePet({ petId })
    expect(await read()).toEqual([{ available: 0n, pending: 0n, sold: 0n }, 0n, 0n, 0n, 1n])
  })

  test('a cancellation changes the day of its order, not the day on which it is cancelled', async () => {
    let nowMs = Date.parse('2026-11-20T12:00:00Z')
    await using store = await openTestStore(engine, { clock: () => nowMs })
    const { client } = store
    const { petId } = await makePet(client, { quantity: 9n })
    const { data: cancelled } = await client.placeOrder({ body: { petId } })
    await client.placeOrder({ body: { petId } })
    nowMs += 24 * 3_600_000
    await client.placeOrder({ body: { petId } })
    await client.cancelOrder({ orderId: cancelled.id ?? 0n })
    const { ordersByDay } = (await client.getStoreSummary({})).data
    expect(ordersByDay.slice(-2)).toMatchObject([
      { day: '2026-11-20', orders: 1n },
      { day: '2026-11-21', orders: 1n },
    ])
    expect(await violatedInvariants(store)).toEqual([])
  })
})

test.skipIf(!testedEngines.includes('postgres'))(
  'on PostgreSQL, the summary counts an order whose events have no position yet',
  async () => {
    await using store = await openTestStore('postgres')
    const { petId } = await makePet(store.client, { quantity: 3n })
    expect(await violatedInvariants(store)).toEqual([])
    await using pool = new SQL({ url: store.place.databaseUrl, bigint: true, max: 1 })
    await pool.begin(async transaction => {
      await transaction.unsafe(`SELECT name FROM chain_end WHERE name = 'head' FOR UPDATE`)
      await store.client.placeOrder({ body: { petId } })
      const { data } = await store.client.getStoreSummary({})
      expect([data.openOrders, data.unitsReserved]).toEqual([1n, 1n])
      await store.client.placeOrder({ body: { petId } })
      expect((await store.client.getStoreSummary({})).data.openOrders).toBe(2n)
      const [stored] = await store.database(
        `SELECT coalesce(sum(value), 0) AS open FROM total WHERE name = 'orders/open'`,
      )
      expect(Number(stored?.open)).toBe(0)
    })
    expect(await violatedInvariants(store)).toEqual([])
  },
)
