import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { type Client, createClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { outcomeUnknown } from '../../src/contract/refusals.ts'
import type { Tx } from '../../src/database/engine.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'
import { missingOrders } from '../support/buyers.ts'
import { testedEngines } from '../support/engines.ts'
import { serverError } from '../support/postgres-error.ts'
import { type CommitFate, openPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { waitForPositions } from '../support/received-events.ts'
import { type Seeded, seeded } from '../support/seeded.ts'
import { makePet } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { openTestStore, refusalOf, type TestOptions, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const ORDERS = times(500, 10_000)
const BUYERS = 16
/** On average, the test disturbs one of this many commands, and one of this many commits. */
const ONE_IN = 5
const TIMEOUT_MS = timeLimitMs(120_000)
/** The longest time that any request may take: its deadline, and a reserve for a busy machine. */
const DEADLINE_MS_MAX = 9000

let proxy: PostgresProxy

/** Opens a store whose connections to PostgreSQL go through the proxy. */
function openThroughProxy(options: TestOptions = {}): Promise<TestStore> {
  return openTestStore('postgres', { ...options, routeOf: url => proxy.urlOf(url) })
}

/** Returns a transaction in which one statement fails as it does in a conflict with another transaction. */
function failingAt(tx: Tx, statement: number, random: Seeded): Tx {
  let executed = 0
  const check = (): void => {
    if (executed++ === statement) throw serverError(random.pick(['40001', '40P01']))
  }
  return {
    one: async (...call) => {
      check()
      return tx.one(...call)
    },
    many: async (...call) => {
      check()
      return tx.many(...call)
    },
    run: async (...call) => {
      check()
      return tx.run(...call)
    },
    write: (...call) => {
      check()
      tx.write(...call)
    },
    nextId: noun => tx.nextId(noun),
    appendEvent: (event, totals) => tx.appendEvent(event, totals),
  }
}

function isAboutOutage({ message }: { readonly message: string }): boolean {
  return message.startsWith('the database')
}

/** Places an order without the Idempotency-Key that the typed client adds. Returns the response. */
function order(store: TestStore, petId: bigint): Promise<Response> {
  return store.send('POST', '/store/orders', { body: `{"petId":${petId}}` })
}

/**
 * Places orders from several buyers at once, until `orders` of them are acknowledged. Returns the locations of these
 * orders, and the number of orders whose outcome was unknown at their deadline, which can happen on a busy machine.
 */
async function placeOrders(
  store: TestStore,
  petId: bigint,
  orders: number,
): Promise<{ locations: string[]; unknown: number }> {
  const locations: string[] = []
  let started = 0
  let unknown = 0
  const buy = async (): Promise<void> => {
    while (started < orders) {
      started++
      const response = await order(store, petId)
      if (response.status === 201) locations.push(response.headers.get('location') ?? '')
      else {
        expect(response.status).toBe(503)
        started--
        // Any other refusal means that the order had no effect.
        if ((await response.text()).includes('outcome_unknown')) unknown++
      }
    }
  }
  await Promise.all(Array.from({ length: BUYERS }, buy))
  return { locations, unknown }
}

/** Returns the reserved units of a pet and the number of its orders, read from the database. */
async function reservedAndOrders(store: TestStore, petId: bigint): Promise<[number, number]> {
  const [row] = await store.database(
    `SELECT reserved, (SELECT count(*) FROM orders WHERE pet_id = ${petId}) AS orders FROM pet WHERE id = ${petId}`,
  )
  return [Number(row?.reserved), Number(row?.orders)]
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

describe.skipIf(!testedEngines.includes('postgres'))('an unreliable PostgreSQL', () => {
  beforeAll(async () => {
    proxy = await openPostgresProxy(await newDatabase())
  }, TIMEOUT_MS)
  afterAll(() => proxy?.[Symbol.asyncDispose]())

  test(
    `each of ${ORDERS} acknowledged orders exists once although a fifth of all commands and commits are disturbed`,
    async () => {
      const random = seeded(77)
      let injected = 0
      await using store = await openThroughProxy({
        executeCommand: (tx, command) => {
          const willFail = random.below(ONE_IN) === 0
          if (willFail) injected++
          return executeCommand(willFail ? failingAt(tx, random.below(5), random) : tx, command)
        },
      })
      const { petId } = await makePet(store.client, { quantity: BigInt(2 * ORDERS) })
      const fates: CommitFate[] = ['lose-request', 'lose-response', 'delay']
      let lost = 0
      proxy.onCommit(() => {
        if (random.below(ONE_IN) > 0) return 'pass'
        lost++
        return random.pick(fates)
      })
      const { locations, unknown } = await placeOrders(store, petId, ORDERS)
      proxy.onCommit(() => 'pass')
      expect(new Set(locations).size).toBe(ORDERS)
      const [reserved, orders] = await reservedAndOrders(store, petId)
      expect(reserved).toBe(orders)
      expect(orders).toBeGreaterThanOrEqual(ORDERS)
      expect(orders - ORDERS).toBeLessThanOrEqual(unknown)
      expect(unknown).toBeLessThan(ORDERS / 20)
      expect(await missingOrders(store.place.databaseUrl ?? '', locations)).toBe(0)
      expect(lost).toBeGreaterThan(ORDERS * 0.1)
      expect(injected).toBeGreaterThan(ORDERS * 0.1)
      expect(await violatedInvariants(store)).toEqual([])
      const summary = `${ORDERS} orders, ${injected} injected failures, ${lost} disturbed commits: each order once`
      recordSoak({ guarantee: 37, engine: 'postgres', summary })
    },
    TIMEOUT_MS,
  )

  test('an order takes four round trips to the database, and five with an idempotency key', async () => {
    await using store = await openThroughProxy()
    const { petId } = await makePet(store.client, { quantity: 1000n })
    const withKey = () => store.client.placeOrder({ body: { petId } })
    const withoutKey = () => order(store, petId)
    const roundTripsOf = async (work: () => Promise<unknown>): Promise<number> => {
      // The first commands of a connection also prepare statements, and a response may arrive between two messages.
      let fewest = Number.POSITIVE_INFINITY
      for (let count = 0; count < 40; count++) {
        const before = proxy.roundTrips()
        await work()
        fewest = Math.min(fewest, proxy.roundTrips() - before)
      }
      return fewest
    }
    expect([await roundTripsOf(withoutKey), await roundTripsOf(withKey)]).toEqual([4, 5])
  })

  for (const fate of ['lose-request', 'lose-response', 'delay'] as const) {
    test(`an order takes effect once and gets 201 if the proxy applies "${fate}" to its COMMIT`, async () => {
      await using store = await openThroughProxy()
      const { petId } = await makePet(store.client, { quantity: 5n })
      const fates: CommitFate[] = [fate]
      proxy.onCommit(() => fates.pop() ?? 'pass')
      const { status } = await order(store, petId)
      expect([status, ...(await reservedAndOrders(store, petId))]).toEqual([201, 1, 1])
    })
  }

  test('a command whose outcome is unknown at the deadline gets 503 outcome_unknown', async () => {
    await using store = await openThroughProxy()
    const { petId } = await makePet(store.client, { quantity: 5n })
    proxy.onCommit(() => {
      proxy.down()
      return 'lose-request'
    })
    const response = await order(store, petId)
    const { code, message } = outcomeUnknown()
    expect(await response.json()).toEqual({ code, message, status: 503 })
    proxy.onCommit(() => 'pass')
    await proxy.up()
    expect(await reservedAndOrders(store, petId)).toEqual([0, 0])
  }, 60_000)

  const creations: Readonly<Record<string, readonly [(client: Client) => Promise<unknown>, string]>> = {
    'a key': [
      client => client.createKey({ body: { name: 'ci', scopes: ['admin'] } }),
      "api_key WHERE name = 'ci'",
    ],
    'a webhook': [client => client.createWebhook({ body: { url: 'http://127.0.0.1:9/x' } }), 'webhook'],
  }
  for (const [what, [create, table]] of Object.entries(creations))
    test(`the client does not create ${what} again if the first commit had no reply`, async () => {
      await using store = await openThroughProxy()
      const { data } = await store.client.createKey({ body: { name: 'admin', scopes: ['admin'] } })
      let isFrozen: boolean
      const retries: unknown[] = []
      // On a stalled machine, an attempt may be refused and repeated before any commit.
      const onRetry = (retry: unknown): unknown => isFrozen && retries.push(retry)
      const client = createClient({ baseUrl: store.base, key: data.key, onRetry })
      // Otherwise the commit that freezes the proxy may be that of the sequencer.
      await waitForPositions(store)
      let code: unknown = 'overloaded'
      let count = 0
      // If the machine stalls for 2 s, the server ends the transaction before its COMMIT arrives: the client may retry.
      for (let trial = 0; trial < 3 && code === 'overloaded' && count === 0; trial++) {
        isFrozen = false
        retries.length = 0
        proxy.onCommit(() => {
          // The server gets the COMMIT. Its reply waits.
          isFrozen = true
          proxy.freeze()
          return 'pass'
        })
        code = await create(client).catch(error => (error instanceof ApiError ? error.code : error))
        proxy.onCommit(() => 'pass')
        proxy.thaw()
        const [row] = await store.database(`SELECT count(*) AS count FROM ${table}`)
        count = Number(row?.count)
      }
      expect([code, retries, count]).toEqual(['outcome_unknown', [], 1])
    }, 60_000)

  test('control: a delayed COMMIT takes effect twice if inserts into "execution" ignore conflicts', async () => {
    await using store = await openThroughProxy()
    const { petId } = await makePet(store.client, { quantity: 5n })
    proxy.onQuery(text => text.replace(/(INSERT INTO execution .*)$/, '$1 ON CONFLICT DO NOTHING'))
    let sent = 0
    let stored = 0
    // If the machine stalls for 2 s, the server ends the first transaction before its COMMIT arrives.
    while (stored === sent && sent < 3) {
      const fates: CommitFate[] = ['delay']
      proxy.onCommit(() => fates.pop() ?? 'pass')
      await order(store, petId)
      sent++
      stored = (await reservedAndOrders(store, petId))[1]
    }
    proxy.onQuery(text => text)
    expect(stored).toBe(sent + 1)
  })

  test('a request gets 503 with Retry-After while the database is down, and 2xx within 2 s afterwards', async () => {
    await using store = await openThroughProxy()
    const { petId } = await makePet(store.client, { quantity: 5n })
    proxy.down()
    const responses = await Promise.all([
      refusalOf(store.client.getPet({ petId })),
      refusalOf(store.client.placeOrder({ body: { petId } })),
      refusalOf(store.client.listPets({})),
    ])
    expect(responses.map(({ status, code }) => `${status} ${code}`)).toEqual(
      Array.from({ length: 3 }, () => '503 overloaded'),
    )
    // A request whose key cannot be checked does not count towards the limit of failed authentications (60 a minute).
    const keyed = await Promise.all(Array.from({ length: 70 }, () => store.send('GET', '/store/orders')))
    expect(keyed.map(({ status }) => status)).toEqual(keyed.map(() => 503))
    for (const { headers } of responses) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await store.send('GET', '/readyz')).status).toBe(503)
    expect((await store.send('GET', '/livez')).status).toBe(200)
    await proxy.up()
    const backMs = await elapsedMs(() => store.client.placeOrder({ body: { petId } }))
    expect(backMs).toBeLessThan(2000)
    expect(await reservedAndOrders(store, petId)).toEqual([1, 1])
    // An outage is logged at its start and its end, not for each request. The sequencer may log its own failure.
    const outageLines = () => store.logged.filter(isAboutOutage)
    await until('the end of the outage is logged', () => outageLines().length === 2)
    const lines = outageLines()
    expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: the database does not respond, or accepts no writes',
      'info: the database responds again',
    ])
    const others = store.logged.filter(line => line.level === 'error' && !isAboutOutage(line))
    expect(others.length).toBeLessThanOrEqual(2)
  }, 60_000)

  test('a frozen database delays no request beyond its deadline, and readiness fails within 2.5 s', async () => {
    await using store = await openThroughProxy()
    const { petId } = await makePet(store.client, { quantity: 5n })
    proxy.freeze()
    const readyMs = elapsedMs(async () => expect((await store.send('GET', '/readyz')).status).toBe(503))
    const refused = [
      () => refusalOf(store.client.getPet({ petId })),
      () => refusalOf(store.client.placeOrder({ body: { petId } })),
      () => refusalOf(store.client.listPets({})),
    ]
    const durations = await Promise.all(refused.map(elapsedMs))
    expect((await store.send('GET', '/livez')).status).toBe(200)
    expect(await readyMs).toBeLessThan(2500)
    expect(Math.max(...durations)).toBeLessThan(DEADLINE_MS_MAX)
    proxy.thaw()
    await store.client.getPet({ petId })
    await until('the store is ready', async () => (await store.send('GET', '/readyz')).status === 200)
    await store.client.placeOrder({ body: { petId } })
  }, 60_000)

  test('a row that stays locked until the deadline is not logged as an outage', async () => {
    await using store = await openThroughProxy()
    const { petId } = await makePet(store.client, { quantity: 5n })
    await using outside = new SQL({ url: store.place.databaseUrl ?? '', max: 1 })
    const holder = await outside.reserve()
    await holder.unsafe('BEGIN')
    await holder.unsafe(`SELECT id FROM pet WHERE id = ${petId} FOR UPDATE`)
    expect((await order(store, petId)).status).toBe(503)
    await holder.unsafe('ROLLBACK')
    await holder.release()
    expect((await order(store, petId)).status).toBe(201)
    expect(store.logged.filter(isAboutOutage)).toEqual([])
  }, 60_000)

  test('hundreds of clients that wait for one locked pet delay no change of another pet', async () => {
    await using store = await openThroughProxy()
    const { petId: locked } = await makePet(store.client, { quantity: 1000n })
    const { petId: free } = await makePet(store.client, { quantity: 1000n })
    const { client } = store
    const cancelled = await Promise.all(
      Array.from({ length: 4 }, () => client.placeOrder({ body: { petId: locked } })),
    )
    await using outside = new SQL({ url: store.place.databaseUrl ?? '', max: 1 })
    using holder = await outside.reserve()
    await holder.unsafe('BEGIN')
    await holder.unsafe(`SELECT id FROM pet WHERE id = ${locked} FOR UPDATE`)
    // The runtime sends at most 256 requests at once, so more clients would wait for one another.
    let isOver = false
    const statuses = new Set<number>()
    const wait = async (change: () => Promise<{ readonly status: number }>): Promise<void> => {
      do
        statuses.add(
          (await change().catch(error => (error instanceof ApiError ? error : Promise.reject(error)))).status,
        )
      while (!isOver)
    }
    const waiting = [
      ...Array.from({ length: 150 }, () => wait(() => client.placeOrder({ body: { petId: locked } }))),
      ...Array.from({ length: 50 }, () =>
        wait(() => client.adjustInventory({ petId: locked, body: { quantityChange: 1n } })),
      ),
      // These name the order, not the pet.
      ...cancelled.map(({ data }) => wait(() => client.cancelOrder({ orderId: data.id ?? 0n }))),
    ]
    const sessions = async (): Promise<number> => {
      const [row] = await store.database(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
      return Number(row?.n)
    }
    // The first waiting requests give up after 5 seconds, and are sent again. By then, the row is known.
    await until('the first requests have given up', () => statuses.has(503))
    const waitingSessions: number[] = []
    const durations: number[] = []
    for (const endMs = performance.now() + 2000; performance.now() < endMs; ) {
      waitingSessions.push(await sessions())
      durations.push(await elapsedMs(() => client.placeOrder({ body: { petId: free } })))
      durations.push(
        await elapsedMs(() => client.updatePet({ petId: free, body: { name: `${durations.length}` } })),
      )
      durations.push(
        await elapsedMs(() => client.adjustInventory({ petId: free, body: { quantityChange: 1n } })),
      )
    }
    isOver = true
    await holder.unsafe('COMMIT')
    await Promise.all(waiting)
    // Three connections wait for locked rows, three are for groups, and cancellations must meet the lock. Sixteen are
    // for the others.
    expect(Math.max(...waitingSessions)).toBeLessThanOrEqual(10)
    expect(Math.max(...durations)).toBeLessThan(2500)
    expect([...statuses].filter(status => ![201, 204, 404, 409, 503].includes(status))).toEqual([])
    expect(await violatedInvariants(store)).toEqual([])
  }, 60_000)
})
