import { expect, test } from 'bun:test'
import type { StoreEngine } from '../../src/serving/open.ts'
import { type SweepOptions, startSweeping, sweep } from '../../src/serving/sweeping.ts'
import type { Log } from '../../src/values/log.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { waitForPositions } from '../support/received-events.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

const KEPT_MS = 90 * DAY_MS
/** A number of commands above 1,000, so that a sweep that is limited to 1,000 commands is detected. */
const COMMANDS = 1500
const ROWS = 3500
const SWEEPS = ['sweepReplies', 'sweepStagedRows', 'sweepHandovers', 'sweepEvents', 'sweepDeliveries']

const quiet: Log = { access: () => {}, info: () => {}, error: () => {} }

/** Returns an engine that also records the sweep commands, and how many of them run at once. */
function recordingSweeps(engine: StoreEngine) {
  const recorded = { ids: [] as string[], concurrentMax: 0 }
  let running = 0
  const execute: StoreEngine['execute'] = async command => {
    if (!SWEEPS.includes(command.id)) return engine.execute(command)
    recorded.ids.push(command.id)
    recorded.concurrentMax = Math.max(recorded.concurrentMax, ++running)
    try {
      return await engine.execute(command)
    } finally {
      running--
    }
  }
  return { recorded, engine: { ...engine, execute } }
}

function optionsOf(engine: StoreEngine, clock: () => number = Date.now): SweepOptions {
  return { engine, log: quiet, clock, eventRetention: KEPT_MS }
}

/** The numbers from 1 to ROWS, in SQL that both engines support. */
const numbers = `WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < ${ROWS})`

/** Fills the tables that are swept, except the events, with rows that are older than every retention period. */
async function insertExpiredRows(store: TestStore): Promise<void> {
  const old = '2020-01-01T00:00:00.000Z'
  await store.database(`INSERT INTO reply (owner, operation, idempotency_key, fingerprint, status, at)
    ${numbers} SELECT 'nobody', 'placeOrder', CAST(n AS TEXT), '', 201, '${old}' FROM one`)
  await store.database(`INSERT INTO staged_row (import_id, file, line, name, quantity, hold, at)
    ${numbers} SELECT 7, 'pets', n, 'Old', 1, 0, '${old}' FROM one`)
  await store.database(`INSERT INTO delivery (id, webhook_id, position, event_id, event_type, state, attempts,
      cycle_attempts, created_at, updated_at)
    ${numbers} SELECT n, 1, n, n, 'petstore.pet.created', 'delivered', 1, 1, '${old}', '${old}' FROM one`)
  await store.database(`INSERT INTO attempt (delivery_id, number, at, duration_ms, status)
    ${numbers} SELECT n, 1, '${old}', 1, 204 FROM one`)
}

async function countSweptRows(store: TestStore): Promise<bigint> {
  const counts = ['reply', 'staged_row', 'delivery', 'attempt'].map(
    table => `(SELECT count(*) FROM ${table})`,
  )
  const [row] = await store.database(`SELECT ${counts.join(' + ')} AS n`)
  return BigInt(String(row?.n))
}

onEveryEngine(kind => {
  test('a sweep continues until no expired row is left, with a bounded number of rows per command', async () => {
    await using store = await openTestStore(kind)
    await insertExpiredRows(store)
    const { recorded, engine } = recordingSweeps(store.engine)
    const sweeping = startSweeping(optionsOf(engine), { firstMs: 0 })
    await until('no expired row is left', async () => (await countSweptRows(store)) === 0n, 60_000)
    await sweeping.stop()
    // Each command deletes at most a thousand rows, and the last command finds no row.
    const count = (id: string): number => recorded.ids.filter(one => one === id).length
    for (const id of ['sweepReplies', 'sweepStagedRows']) expect(count(id)).toBeGreaterThan(ROWS / 1000)
    expect(recorded.concurrentMax).toBe(1)
  })

  test('all expired events are deleted in one sweep', async () => {
    await using store = await openTestStore(kind)
    const ids = Array.from({ length: 1100 }, (_, index) => index)
    await Promise.all(ids.map(index => store.client.createCategory({ body: { name: `Category ${index}` } })))
    const laterClock = (): number => Date.now() + KEPT_MS + DAY_MS
    const sweeping = startSweeping(optionsOf(store.engine, laterClock), { firstMs: 0 })
    const countEvents = 'SELECT count(*) AS n FROM event'
    await until('no event is left', async () => (await store.database(countEvents))[0]?.n === 0n, 60_000)
    await sweeping.stop()
  })

  test('rows of a discarded import are deleted by the sweep, and cannot be loaded', async () => {
    await using store = await openTestStore(kind)
    const { client } = store
    const rows = Array.from({ length: 1100 }, (_, index) => ({
      line: BigInt(index + 2),
      name: `Name ${index}`,
    }))
    for (let from = 0; from < rows.length; from += 500) {
      const body = { categories: rows.slice(from, from + 500), pets: [] }
      await client.stageImport({ importId: 9n, body })
    }
    await client.discardImport({ importId: 9n })
    expect(await countSweptRows(store)).toBe(1100n)
    const sweeping = startSweeping(optionsOf(store.engine), { firstMs: 0 })
    await until('no row is left', async () => (await countSweptRows(store)) === 0n, 60_000)
    await sweeping.stop()
    await client.stageImport({ importId: 9n, body: { categories: rows.slice(0, 2), pets: [] } })
    await client.discardImport({ importId: 9n })
    const { data } = await client.loadImportSlice({ importId: 9n, body: { begins: true, rows: 500n } })
    expect(data.categoriesCreated).toBe(0n)
  })
})

/** Returns an engine that skips the first `times` `sweepReplies` commands, and returns a count of 1,000 for each. */
function endless(engine: StoreEngine, times: number) {
  const recorded = { commands: 0 }
  const execute: StoreEngine['execute'] = async command => {
    if (command.id !== 'sweepReplies' || recorded.commands >= times) return engine.execute(command)
    recorded.commands++
    return { count: 1000 }
  }
  return { recorded, engine: { ...engine, execute } }
}

test('a sweep has no maximum number of commands while expired rows are left', async () => {
  await using store = await openTestStore('sqlite')
  const { recorded, engine } = endless(store.engine, COMMANDS)
  const sweeping = startSweeping(optionsOf(engine), { firstMs: 0 })
  await until('all commands were run', () => recorded.commands === COMMANDS, 60_000)
  await sweeping.stop()
})

test('when sweeping is stopped, an unfinished sweep ends after its current command', async () => {
  await using store = await openTestStore('sqlite')
  const { recorded, engine } = endless(store.engine, Number.POSITIVE_INFINITY)
  const sweeping = startSweeping(optionsOf(engine), { firstMs: 0 })
  await until('the sweep has started', () => recorded.commands > 10)
  await sweeping.stop()
  const { commands } = recorded
  await store.client.listPets({})
  expect(recorded.commands).toBe(commands)
})

test('after a failed sweep the next one starts sooner', async () => {
  await using store = await openTestStore('sqlite')
  let failures = 0
  const execute: StoreEngine['execute'] = async command => {
    if (command.id === 'sweepReplies' && failures++ < 3) throw new Error('for the test')
    return store.engine.execute(command)
  }
  const sweeping = startSweeping(optionsOf({ ...store.engine, execute }), { firstMs: 0, retryMs: 1 })
  await until('the sweep has run again', () => failures > 3)
  await sweeping.stop()
})

onEveryEngine(kind => {
  test('deliveries are kept for 30 days, but not longer than the events, which can be kept for ever', async () => {
    await using store = await openTestStore(kind)
    await store.client.createWebhook({
      body: { url: 'http://127.0.0.1:9/', types: ['petstore.pet.created'] },
    })
    const insert = (id: number, days: number): Promise<unknown> => {
      const at = new Date(Date.now() - days * DAY_MS).toISOString()
      return store.database(`INSERT INTO delivery (id, webhook_id, position, event_id, event_type, state, attempts,
          cycle_attempts, created_at, updated_at)
        VALUES (${id}, 1, ${id}, ${id}, 'petstore.pet.created', 'delivered', 1, 1, '${at}', '${at}') RETURNING id`)
    }
    for (const [index, days] of [4, 6, 29, 31].entries()) await insert(index + 1, days)
    const keptWith = async (eventRetention: SweepOptions['eventRetention']): Promise<number[]> => {
      await sweep({ ...optionsOf(store.engine), eventRetention })
      return (await store.database('SELECT id FROM delivery ORDER BY id')).map(({ id }) => Number(id))
    }
    const later = {
      ...optionsOf(store.engine, () => Date.now() + 400 * DAY_MS),
      eventRetention: 'forever' as const,
    }
    expect(await keptWith('forever')).toEqual([1, 2, 3])
    expect(await keptWith(KEPT_MS)).toEqual([1, 2, 3])
    expect(await keptWith(5 * DAY_MS)).toEqual([1])
    await sweep(later)
    await waitForPositions(store)
    expect(
      await store.database("SELECT count(*) AS n FROM event WHERE type = 'petstore.webhook.created'"),
    ).toEqual([{ n: 1n }])
  })
})
