import { expect, test } from 'bun:test'
import type { Reader } from '../../src/database/engine.ts'
import { sweep } from '../../src/serving/sweeping.ts'
import { listEvents, readEventPage } from '../../src/shop/events/feed.ts'
import { findLogBounds } from '../../src/shop/log/bounds.ts'
import { systemCommand } from '../../src/shop/registry/commands.ts'
import { storedInstant } from '../../src/values/instant.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { importCategories } from '../support/busy-shop.ts'
import { everyItem, followEvents } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { openStream } from '../support/open-stream.ts'
import { eventRows, headOf } from '../support/received-events.ts'
import {
  ADMIN_KEY,
  codeOf,
  onEveryEngine,
  openTestStore,
  refusalOf,
  type TestStore,
} from '../support/store.ts'
import { until } from '../support/until.ts'

const KEPT_MS = 90 * DAY_MS

/** Returns a store that keeps events for 90 days, and functions that move its clock and sweep. */
async function openAgeingStore(engine: 'sqlite' | 'postgres') {
  let nowMs = Date.parse('2026-11-21T09:30:00Z')
  const clock = (): number => nowMs
  const store = await openTestStore(engine, { clock, eventRetention: KEPT_MS })
  return {
    store,
    passDays: (days: number) => {
      nowMs += days * DAY_MS
    },
    sweep: () => sweepStore(store, clock),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

async function sweepStore({ engine, logged }: TestStore, clock: () => number): Promise<void> {
  const ignore = (): void => {}
  const error = (fields: object, message: string): void => {
    logged.push({ level: 'error', message, fields: { ...fields } })
  }
  await sweep({ engine, clock, eventRetention: KEPT_MS, log: { access: ignore, info: ignore, error } })
}

/** Creates categories, and resolves when their events have positions, which PostgreSQL assigns after the commit. */
async function createCategories(store: TestStore, ...names: string[]): Promise<void> {
  for (const name of names) await store.client.createCategory({ body: { name } })
  await headOf(store)
}

async function namesAfter({ client }: TestStore, after?: bigint): Promise<unknown[]> {
  const { data } = await client.listEvents({ after, limit: 100 })
  return data.items.map(event => 'name' in event.data && event.data.name)
}

onEveryEngine(engine => {
  test('events beyond the retention are deleted, and a client that has not read them gets an error', async () => {
    await using ageing = await openAgeingStore(engine)
    const { store } = ageing
    await createCategories(store, 'Old 1', 'Old 2')
    const floor = await headOf(store)
    ageing.passDays(91)
    await createCategories(store, 'Young')
    const head = await headOf(store)
    await ageing.sweep()
    expect(await namesAfter(store)).toEqual(['Young'])
    expect(await namesAfter(store, floor)).toEqual(['Young'])
    const refusal = await refusalOf(store.client.listEvents({ after: floor - 1n }))
    expect(`${refusal.status} ${refusal.code}`).toBe('410 event_history_expired')
    expect(refusal.message).toBe(
      `Events up to position ${floor} have been deleted. ` +
        `Continue with after=${floor} and re-read anything you cached.`,
    )
    const late = await store.send('GET', '/events/stream', { headers: { 'Last-Event-ID': '0' } })
    expect(late.status).toBe(410)
    await using stream = await openStream(store.base, `?after=${floor}`)
    expect((await stream.event())?.id).toBe(String(head))
    const following = followEvents({ base: store.base, key: ADMIN_KEY }, { after: 0n })
    expect(await codeOf(following.next())).toBe('410 event_history_expired')
  })

  test('the audit log is kept as long as the events, and ends at the retention floor', async () => {
    await using ageing = await openAgeingStore(engine)
    const { store } = ageing
    await createCategories(store, 'Old')
    ageing.passDays(91)
    await createCategories(store, 'Young', 'Younger')
    const head = await headOf(store)
    await ageing.sweep()
    const entries = await Array.fromAsync(everyItem(store.client.listAudit, { limit: 1 }))
    expect(entries.map(({ position }) => position)).toEqual([head, head - 1n])
  })

  test('recent events are kept, and the feed starts at the retention floor after a sweep', async () => {
    await using ageing = await openAgeingStore(engine)
    const { store } = ageing
    await createCategories(store, 'Day 0')
    ageing.passDays(89)
    await ageing.sweep()
    expect(await namesAfter(store)).toEqual(['Day 0'])
    await createCategories(store, 'Day 89')
    ageing.passDays(2)
    await ageing.sweep()
    await ageing.sweep()
    expect(await namesAfter(store)).toEqual(['Day 89'])
    ageing.passDays(90)
    await ageing.sweep()
    expect(await namesAfter(store)).toEqual([])
    await createCategories(store, 'Day 181')
    expect(await namesAfter(store)).toEqual(['Day 181'])
    expect(store.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('a sweep of thousands of events leaves no gap', async () => {
    await using ageing = await openAgeingStore(engine)
    const { store } = ageing
    await importCategories(store.client, 2500)
    const floor = await headOf(store)
    ageing.passDays(91)
    await createCategories(store, 'Young')
    await ageing.sweep()
    const rows = await eventRows(store)
    expect(rows.map(({ position }) => position)).toEqual([floor + 1n])
    const bounds = await store.engine.readShort(findLogBounds)
    expect(bounds).toEqual({ floor, head: floor + 1n, gaps: [] })
    expect(await namesAfter(store)).toEqual(['Young'])
  })

  test('a sweep during a read moves the oldest event, and a read from a deleted position is refused', async () => {
    await using store = await openTestStore(engine)
    const long = '2020-01-01T00:00:00.000Z'
    const command = systemCommand('sweepEvents', { before: '2020-01-02T00:00:00.000Z' }, long, 'test')
    /** Reads a page of the feed. A sweep deletes all events but the last after the first read of the bounds. */
    const readDuringSweep = async (after?: bigint) => {
      for (const name of ['1', '2', '3']) await store.client.createCategory({ body: { name } })
      await store.database(`UPDATE event SET at = '${long}' WHERE position < ${await headOf(store)}`)
      let isSwept = false
      return store.engine.readShort(reader => {
        const watched: Reader = {
          one: (statement, ...parameters) => reader.one(statement, ...parameters),
          many: async (statement, ...parameters) => {
            const rows = await reader.many(statement, ...parameters)
            if (!isSwept) await store.engine.execute(command)
            isSwept = true
            return rows
          },
        }
        const context = { base: store.base, now: long, keyId: null }
        return listEvents(watched, { limit: 10, ...(after !== undefined && { after }) }, context)
      })
    }
    expect((await readDuringSweep()).items).toHaveLength(1)
    const { floor } = await store.engine.readShort(findLogBounds)
    const refused = await readDuringSweep(floor).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'event_history_expired' })
  })

  test('a reader whose events are swept while it reads gets all of them or an error, and never a gap', async () => {
    await using ageing = await openAgeingStore(engine)
    const { store } = ageing
    await createCategories(store, 'Old')
    const after = (await headOf(store)) - 1n
    ageing.passDays(91)
    await createCategories(store, 'Young')
    const page = store.engine.readShort(async reader => {
      let queries = 0
      return readEventPage(
        {
          one: (statement, ...parameters) => reader.one(statement, ...parameters),
          many: async (statement, ...parameters) => {
            // The sweep runs after the retention floor is read and before the rows are read.
            if (queries++ === 1) await ageing.sweep()
            return reader.many(statement, ...parameters)
          },
        },
        after,
        { types: ['petstore.category.created'] },
        100,
      )
    })
    // The outcome is either the events that existed at the time of the request, or a refusal.
    const outcome = await page.then(
      ({ events }) => events.map(({ position }) => position),
      error => [error.code],
    )
    expect([[after + 1n, after + 2n], ['event_history_expired']]).toContainEqual(outcome)
  })
})

test.skipIf(!testedEngines.includes('postgres'))(
  'two processes that sweep at the same time leave no gap',
  async () => {
    await using ageing = await openAgeingStore('postgres')
    const { store } = ageing
    await createCategories(store, 'One', 'Two', 'Three', 'Four')
    await headOf(store)
    ageing.passDays(91)
    const sweepCommand = {
      id: 'sweepEvents',
      context: { caller: { keyId: null, scopes: [] }, requestId: 'test' },
    } as const
    const sweepBefore = (ms: number): Promise<unknown> =>
      store.engine.execute({
        ...sweepCommand,
        input: { before: storedInstant(ms) },
        context: { ...sweepCommand.context, now: storedInstant(ms) },
      })
    const { held } = await holdRetentionFloor(store, 2n)
    const sweeping = sweepBefore(Date.parse('2027-11-21T00:00:00Z'))
    await until('the second sweep waits for the first', () => isWaiting(store))
    await createCategories(store, 'Release')
    await Promise.all([held, sweeping])
    const { floor, head } = await store.engine.readShort(findLogBounds)
    const [oldest] = await eventRows(store)
    expect(oldest?.position ?? head + 1n).toBe(floor + 1n)
  },
)

/** Sweeps up to a position as another process would, and commits once a category named `Release` exists. */
async function holdRetentionFloor(store: TestStore, to: bigint): Promise<{ held: Promise<unknown> }> {
  const held = store.database(`DO $$ BEGIN
    UPDATE chain_end SET position = ${to}, hash = (SELECT hash FROM event WHERE position = ${to}) WHERE name = 'floor';
    DELETE FROM event WHERE position <= ${to};
    FOR turn IN 1..4000 LOOP
      EXIT WHEN EXISTS (SELECT 1 FROM category WHERE name = 'Release');
      PERFORM pg_sleep(0.005);
    END LOOP; END $$`)
  await until('the retention floor is locked', async () => {
    const rows = await store.database(`SELECT pid FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event = 'PgSleep'`)
    return rows.length > 0
  })
  return { held }
}

async function isWaiting({ database }: TestStore): Promise<boolean> {
  const rows = await database(`SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND query LIKE '%floor%'`)
  return rows.length > 0
}
