import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { StoreError } from '../../src/contract/error.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'
import { testedEngines } from '../support/engines.ts'
import { makePet, stockOf } from '../support/shop.ts'
import { codeOf, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

/** The reference of an order that is refused after it has written its rows. */
const REFUSED_LATE = 'refused late'

let store: TestStore
let pool: SQL
/** The number of orders that have arrived at the engines. */
let arrived = 0
/** Called when an order begins, which then waits for it. */
let gate: (() => Promise<void>) | undefined

/** Returns the number of transactions in which commands have run, in all processes of the store. */
async function transactions(): Promise<number> {
  const [row] = await store.database(
    'SELECT CAST(sum(last) AS BIGINT) AS n FROM (SELECT max(number) AS last FROM execution GROUP BY process) AS p',
  )
  return Number(row?.n)
}

/**
 * Runs `work`, which places `orders` orders, while the transaction of another order waits in each store: so all orders
 * of a store share its next transaction. Returns the number of transactions that followed those of the other orders.
 */
async function transactionsOf(
  orders: number,
  work: () => Promise<unknown>,
  stores = [store],
): Promise<number> {
  const release = Promise.withResolvers<void>()
  const first: Promise<unknown>[] = []
  const before = await transactions()
  for (const { client } of stores) {
    const { petId } = await makePet(client)
    const begun = Promise.withResolvers<void>()
    gate = () => {
      begun.resolve()
      return release.promise
    }
    first.push(client.placeOrder({ body: { petId } }))
    await begun.promise
    gate = undefined
  }
  const prepared = (await transactions()) - before
  arrived = 0
  const others = work()
  await until('all orders have arrived', () => arrived === orders)
  release.resolve()
  await Promise.all([...first, others])
  return (await transactions()) - before - prepared - stores.length
}

/** Counts the orders that arrive. */
function counted(engine: TestStore['engine']): TestStore['engine'] {
  return {
    ...engine,
    execute: command => {
      if (command.id === 'placeOrder') arrived++
      return engine.execute(command)
    },
  }
}

/** Runs an order when `gate` lets it, and refuses it late if its reference says so. */
const gated: typeof executeCommand = async (tx, command) => {
  if (command.id === 'placeOrder') await gate?.()
  const result = await executeCommand(tx, command)
  const { body } = command.input as { body?: { reference?: string } }
  if (body?.reference === REFUSED_LATE) throw new StoreError('insufficient_stock', 'refused late')
  return result
}

describe.skipIf(!testedEngines.includes('postgres'))('orders that commit together', () => {
  beforeAll(async () => {
    store = await openTestStore('postgres', {
      // At a higher level, some commands conflict and run again.
      isolation: 'READ COMMITTED',
      executeCommand: gated,
      wrapEngine: counted,
    })
    pool = new SQL({ url: store.place.databaseUrl ?? '', max: 1, bigint: true })
  })
  afterAll(async () => {
    expect(await violatedInvariants(store)).toEqual([])
    await pool.close()
    await store[Symbol.asyncDispose]()
  })

  test('orders that arrive during a commit share the next one: those with a key, and those without', async () => {
    const { client } = store
    const pets = await Promise.all([3n, 5n, 4n].map(quantity => makePet(client, { quantity })))
    const together = () =>
      Promise.all(
        pets.flatMap(({ petId }) => [
          client.placeOrder({ body: { petId } }),
          store.send('POST', '/store/orders', { body: `{"petId":${petId}}` }),
        ]),
      )
    expect(await transactionsOf(6, together)).toBe(2)
    const stocks = pets.map(({ petId }) => stockOf(client, petId))
    expect(await Promise.all(stocks)).toEqual(['available 3/2', 'available 5/2', 'available 4/2'])
  })

  test('a refused order, keyed or not, undoes no other order of its transaction', async () => {
    const { client } = store
    const { petId } = await makePet(client, { quantity: 3n })
    const order = (quantity: bigint) => client.placeOrder({ body: { petId, quantity } })
    const together = async () => {
      const codes = await Promise.all([order(2n), codeOf(order(2n)), order(1n), codeOf(order(1n))])
      expect([codes[1], codes[3]]).toEqual(['409 insufficient_stock', '409 insufficient_stock'])
    }
    expect(await transactionsOf(4, together)).toBe(1)
    expect(await stockOf(client, petId)).toBe('pending 3/3')
  })

  test('after an order that is refused after it has written, each other order is placed once', async () => {
    const { client } = store
    const { petId } = await makePet(client, { quantity: 9n })
    await transactionsOf(5, async () => {
      const late = codeOf(client.placeOrder({ body: { petId, reference: REFUSED_LATE } }))
      const others = Array.from({ length: 4 }, () => client.placeOrder({ body: { petId } }))
      expect(await late).toBe('409 insufficient_stock')
      await Promise.all(others)
    })
    expect(await stockOf(client, petId)).toBe('available 9/4')
    const rows = await store.database(`SELECT id FROM orders WHERE pet_id = ${petId}`)
    expect(rows).toHaveLength(4)
  })

  test('orders for other pets soon go on without an order whose pet is locked', async () => {
    const { client } = store
    const [locked, free] = await Promise.all([1n, 2n].map(quantity => makePet(client, { quantity })))
    if (!locked || !free) throw new Error('a pet is missing')
    using connection = await pool.reserve()
    await connection.unsafe('BEGIN')
    await connection.unsafe(`UPDATE pet SET reserved = reserved WHERE id = ${locked.petId}`)
    let waiting: Promise<unknown> = Promise.resolve()
    let elapsedMs = 0
    await transactionsOf(3, async () => {
      const startedMs = performance.now()
      waiting = client.placeOrder({ body: { petId: locked.petId } })
      await Promise.all([1, 2].map(() => client.placeOrder({ body: { petId: free.petId } })))
      elapsedMs = performance.now() - startedMs
    })
    expect(elapsedMs).toBeLessThan(1500)
    // Further orders for the locked pet hold up no group: each would wait for 100 ms.
    const { petId } = await makePet(client, { quantity: 19n })
    const others: Promise<string>[] = []
    const startedMs = performance.now()
    for (let order = 0; order < 10; order++) {
      others.push(codeOf(client.placeOrder({ body: { petId: locked.petId } })))
      await client.placeOrder({ body: { petId } })
    }
    expect(performance.now() - startedMs).toBeLessThan(900)
    await connection.unsafe('ROLLBACK')
    // Any of them may get the only unit.
    await Promise.allSettled([waiting, ...others])
    expect(await stockOf(client, locked.petId)).toBe('pending 1/1')
    expect(await stockOf(client, free.petId)).toBe('pending 2/2')
  })

  test('orders go on while the connection of a group hangs', async () => {
    const { client } = store
    const [hanging, other] = await Promise.all([makePet(client), makePet(client, { quantity: 5n })])
    const release = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    gate = () => {
      begun.resolve()
      return release.promise
    }
    let hasEnded = false
    const first = client.placeOrder({ body: { petId: hanging.petId } }).then(() => {
      hasEnded = true
    })
    await begun.promise
    gate = undefined
    await Promise.all([1, 2, 3].map(() => client.placeOrder({ body: { petId: other.petId } })))
    expect(hasEnded).toBe(false)
    release.resolve()
    await first
  })

  test('two processes that order the same pets in opposite orders do not wait for each other', async () => {
    const databaseUrl = store.place.databaseUrl ?? ''
    await using other = await openTestStore('postgres', {
      databaseUrl,
      isolation: 'READ COMMITTED',
      executeCommand: gated,
      wrapEngine: counted,
    })
    const pets = await Promise.all(
      Array.from({ length: 16 }, () => makePet(store.client, { quantity: 100n })),
    )
    // On a busy machine, a group may wait for 100 ms in a round, and one of its orders then runs alone.
    let undisturbed = 0
    for (let round = 0; round < 40 && undisturbed < 7; round++) {
      const together = () =>
        Promise.all([
          ...pets.map(({ petId }) => store.client.placeOrder({ body: { petId } })),
          ...pets.toReversed().map(({ petId }) => other.client.placeOrder({ body: { petId } })),
        ])
      if ((await transactionsOf(32, together, [store, other])) === 2) undisturbed++
    }
    expect(undisturbed).toBe(7)
  })
})
