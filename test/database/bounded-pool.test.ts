import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type ReservedSQL, SQL } from 'bun'
import { BoundedPool } from '../../src/database/postgres/bounded-pool.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'

const CONNECTIONS_MAX = 3
const CLOSE_MS_MAX = 1000
/** The time in which the client notices that the server has closed a connection, in milliseconds. */
const NOTICE_MS = 250

let url: string
let admin: SQL
let pool: BoundedPool

function use<T>(work: (connection: ReservedSQL) => Promise<T>, limitMs = 5000): Promise<T> {
  return pool.use(performance.now() + limitMs, work)
}

/** Returns the process id that the server has for a connection. */
async function backendOf(connection: ReservedSQL): Promise<number> {
  const [row] = await connection.unsafe<{ pid: number }[]>('SELECT pg_backend_pid() AS pid')
  return row?.pid ?? 0
}

/** Opens all connections of the pool at once, and returns their process ids. */
async function openAll(): Promise<number[]> {
  const all = Promise.withResolvers<void>()
  let open = 0
  return Promise.all(
    Array.from({ length: CONNECTIONS_MAX }, () =>
      use(async connection => {
        const backend = await backendOf(connection)
        if (++open === CONNECTIONS_MAX) all.resolve()
        await all.promise
        return backend
      }),
    ),
  )
}

async function terminate(backends: readonly number[]): Promise<void> {
  for (const backend of backends) await admin.unsafe(`SELECT pg_terminate_backend(${backend})`)
}

/** Waits until the server has closed all but `left` connections, and the client has noticed this. */
async function waitForClose(left: number): Promise<void> {
  await until('the server has closed the connections', async () => (await countOpen()) === left)
  await Bun.sleep(NOTICE_MS)
}

async function countOpen(): Promise<number> {
  const [row] = await admin.unsafe<{ count: string }[]>(
    `SELECT count(*) AS count FROM pg_stat_activity WHERE application_name = 'pool' AND datname = current_database()`,
  )
  return Number(row?.count)
}

describe.skipIf(!testedEngines.includes('postgres'))('a bounded pool of connections', () => {
  beforeAll(async () => {
    url = await newDatabase()
    admin = new SQL({ url, max: 1 })
  })
  afterAll(() => admin.close())
  beforeEach(() => {
    pool = new BoundedPool({ url, connection: { application_name: 'pool' } }, CONNECTIONS_MAX)
  })

  afterEach(() => pool.close(CLOSE_MS_MAX))

  test('consecutive uses get the same connection, and concurrent uses get different ones', async () => {
    const first = await use(backendOf)
    expect(await use(backendOf)).toBe(first)
    expect(new Set(await openAll()).size).toBe(CONNECTIONS_MAX)
  })

  test('a use gets an open connection after the server has closed all idle ones', async () => {
    const closed = await openAll()
    await terminate(closed)
    await waitForClose(0)
    const reopened = await openAll()
    expect(reopened.filter(backend => closed.includes(backend))).toEqual([])
  })

  test('the other idle connections stay open when the server closes one', async () => {
    const [first = 0, ...others] = await openAll()
    await terminate([first])
    await waitForClose(others.length)
    expect(await openAll()).toEqual(expect.arrayContaining(others))
  })

  test('a connection that was lost during a use is not used again', async () => {
    const lost = await use(async connection => {
      const backend = await backendOf(connection)
      await terminate([backend])
      await connection.unsafe('SELECT 1').catch(() => {})
      // The work catches its error, so only the client can report the loss to the pool.
      return backend
    })
    expect(await use(backendOf)).not.toBe(lost)
  })

  test('a use fails at its deadline, and the next one gets another connection', async () => {
    const first = await use(backendOf)
    const startMs = performance.now()
    const late = use(connection => connection.unsafe('SELECT pg_sleep(20)'), 200)
    expect(
      await late.then(
        () => 'succeeded',
        () => 'failed',
      ),
    ).toBe('failed')
    expect(performance.now() - startMs).toBeLessThan(5000)
    expect(await use(backendOf)).not.toBe(first)
  })

  test('uses that wait get a connection one after another, and one that gives up takes none', async () => {
    const hold = Promise.withResolvers<void>()
    const holding = Array.from({ length: CONNECTIONS_MAX }, () => use(() => hold.promise))
    const impatient = use(backendOf, 20).then(
      () => 'got a connection',
      error => error.code,
    )
    const waiting = Array.from({ length: 2 * CONNECTIONS_MAX }, () => use(backendOf))
    expect(await impatient).toBe('overloaded')
    hold.resolve()
    await Promise.all([...holding, ...waiting])
    expect(new Set(await openAll()).size).toBe(CONNECTIONS_MAX)
  })

  test('closing the pool closes its idle connections, and closes each busy one when its work ends', async () => {
    await openAll()
    const started = Promise.withResolvers<void>()
    const working = use(async connection => {
      started.resolve()
      await connection.unsafe('SELECT pg_sleep(0.2)')
    })
    await started.promise
    await pool.close(CLOSE_MS_MAX)
    await working
    await until('the connections are closed', async () => (await countOpen()) === 0)
  })
})
