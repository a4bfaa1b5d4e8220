import { expect, test } from 'bun:test'
import { RetentionClock } from '../../src/serving/retention-clock.ts'
import { sweep } from '../../src/serving/sweeping.ts'
import type { Log } from '../../src/values/log.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { run } from '../support/process.ts'
import { headOf, waitForPositions } from '../support/received-events.ts'
import { seeded } from '../support/seeded.ts'
import { makePet } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000
const KEPT_MS = 90 * DAY_MS
/** The steps of a walk of the clock: each is a jump, a start or neither, and a run of at most an hour. */
const STEPS = 60
/** Most of them lie ahead, because a clock that returns ends what a jump has begun. */
const STEP_DAYS = [-365, -1, 0, 1, 365, 365, 365, 365, 3650, 3650, 3650, 3650]
const WALKS = times(3, 300)
const SEED = 20261125

async function countEvents(store: TestStore): Promise<number> {
  await waitForPositions(store)
  return Number((await store.database('SELECT count(*) AS n FROM event'))[0]?.n)
}

/** A store with some events, and a sweep whose clocks the test moves. */
async function openWithEvents(engine: Parameters<typeof openTestStore>[0]) {
  const store = await openTestStore(engine)
  for (const name of ['One', 'Two']) await store.client.createCategory({ body: { name } })
  await headOf(store)
  const lines: string[] = []
  const note = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { access: () => {}, info: note, error: note }
  const at = { aheadMs: 0, runMs: 0 }
  const start = (): (() => Promise<boolean>) => {
    const clock = new RetentionClock({
      engine: store.engine,
      log,
      clock: () => Date.now() + at.aheadMs,
      timer: () => at.runMs,
    })
    return () => sweep({ engine: store.engine, log, clock: () => clock.now(), eventRetention: KEPT_MS })
  }
  return { store, lines, at, start, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

test('a read that fails at the start does not stop the sweeps', async () => {
  await using store = await openTestStore('sqlite')
  let failures = 2
  const clock = new RetentionClock({
    engine: {
      ...store.engine,
      readShort: work => {
        if (failures-- > 0) throw new Error('the database fails over')
        return store.engine.readShort(work)
      },
    },
    log: { access: () => {}, info: () => {}, error: () => {} },
    clock: Date.now,
    timer: () => performance.now(),
  })
  await expect(clock.now()).rejects.toThrow('the database fails over')
  expect(await clock.now()).toBeGreaterThan(0)
})

onEveryEngine(engine => {
  test.each([1, 100, 400])(
    'a start with the clock %i days ahead deletes no event, and neither does a jump while the store runs',
    async days => {
      await using opened = await openWithEvents(engine)
      const { store, at, start, lines } = opened
      const before = await countEvents(store)
      at.aheadMs = days * DAY_MS
      const sweepAfterStart = start()
      at.runMs += 15_000
      expect(await sweepAfterStart()).toBe(true)
      at.aheadMs = 0
      at.runMs += 600_000
      await sweepAfterStart()
      at.aheadMs = days * DAY_MS
      for (let hour = 0; hour < 16; hour++) {
        at.runMs += HOUR_MS
        await sweepAfterStart()
      }
      expect(await countEvents(store)).toBe(before)
      const reports = lines.filter(line => line.startsWith('the clock is far ahead'))
      expect(reports).toHaveLength(days > 7 ? 1 : 0)
    },
  )

  test(
    'a clock that steps by a day or a year, at starts and while the store runs, deletes no event for days',
    async () => {
      const random = seeded(SEED)
      await using opened = await openWithEvents(engine)
      const { store, at, start } = opened
      const before = await countEvents(store)
      let [steps, starts] = [0, 0]
      for (let walk = 0; walk < WALKS; walk++) {
        // What an earlier walk has stored would add to this one.
        await store.database("DELETE FROM metadata WHERE name = 'retention-clock'")
        at.aheadMs = 0
        let sweepNow = start()
        for (let step = 0; step < STEPS; step++) {
          if (random.below(5) === 0) {
            const days = random.pick(STEP_DAYS)
            at.aheadMs = days * DAY_MS
            steps++
          }
          if (random.below(5) === 0) {
            sweepNow = start()
            starts++
          }
          at.runMs += random.below(HOUR_MS)
          expect(await sweepNow()).toBe(true)
        }
        expect([walk, await countEvents(store)]).toEqual([walk, before])
      }
      const work = `${WALKS} walks of up to ${STEPS} hours, ${steps} steps of the clock, ${starts} starts`
      const summary = `${work} (seed ${SEED}): 0 events deleted`
      recordSoak({ guarantee: 55, engine, summary })
    },
    timeLimitMs(60_000),
  )

  test('a store that runs for months deletes its events when they are 90 days old, and not earlier', async () => {
    await using opened = await openWithEvents(engine)
    const { store, at, start } = opened
    const before = await countEvents(store)
    const sweepNow = start()
    const countAfter = async (days: number): Promise<number> => {
      at.runMs = at.aheadMs = days * DAY_MS
      expect(await sweepNow()).toBe(true)
      return countEvents(store)
    }
    const counts: number[] = []
    for (const days of [1, 4, 30, 60, 89, 91]) counts.push(await countAfter(days))
    expect(counts).toEqual([before, before, before, before, before, 0])
  })

  test('a store without a stored time begins at its last event before the start', async () => {
    await using opened = await openWithEvents(engine)
    const { store, at, start, lines } = opened
    await store.database("DELETE FROM metadata WHERE name = 'retention-clock'")
    const before = await countEvents(store)
    at.aheadMs = 400 * DAY_MS
    const sweepAfterStart = start()
    await until('the jump was reported', () => lines.some(line => line.startsWith('the clock is far ahead')))
    const wrong = new Date(Date.now() + at.aheadMs).toISOString()
    await until('the time is stored', async () => {
      const rows = await store.database("SELECT value FROM metadata WHERE name = 'retention-clock'")
      return rows.length > 0
    })
    await store.database(`UPDATE event SET at = '${wrong}' WHERE id = (SELECT max(id) FROM event)`)
    at.runMs += 15_000
    expect(await sweepAfterStart()).toBe(true)
    expect(await countEvents(store)).toBe(before)
  })

  test('control: if the clock alone decided, one sweep would delete all events', async () => {
    await using opened = await openWithEvents(engine)
    const { store } = opened
    const clock = (): number => Date.now() + 400 * DAY_MS
    const log: Log = { access: () => {}, info: () => {}, error: () => {} }
    expect(await sweep({ engine: store.engine, log, clock, eventRetention: KEPT_MS })).toBe(true)
    expect(await countEvents(store)).toBe(0)
  })

  test('after a long time without power, expired events are deleted once the store has run long enough', async () => {
    await using opened = await openWithEvents(engine)
    const { store, at, start, lines } = opened
    await start()()
    at.aheadMs = KEPT_MS + DAY_MS
    // The store starts again every day. What it has caught up with is stored.
    let days = 0
    for (; (await countEvents(store)) > 0 && days < 20; days++) {
      const sweepOfTheDay = start()
      for (let hour = 0; hour < 8; hour++) {
        at.runMs += HOUR_MS
        await sweepOfTheDay()
      }
    }
    expect(days).toBe(Math.ceil((91 * 24) / 24 / 8))
    expect(lines.some(line => /^expired rows were deleted.*sweepEvents/.test(line))).toBe(true)
  })

  test('a running store whose clock is a year ahead sweeps, and its events and stored replies remain', async () => {
    let aheadMs = 0
    const clock = (): number => Date.now() + aheadMs
    await using store = await openTestStore(engine, {
      clock,
      eventRetention: KEPT_MS,
      sweeping: { firstMs: 0, everyMs: 5 },
    })
    const { petId } = await makePet(store.client, { quantity: 9n })
    const place = () => store.client.placeOrder({ body: { petId } }, { idempotencyKey: 'once' })
    const { data: order } = await place()
    const before = await countEvents(store)
    const stored = async () =>
      (await store.database("SELECT value FROM metadata WHERE name = 'retention-clock'"))[0]?.value
    aheadMs = 365 * DAY_MS
    const first = await stored()
    await until('the store has swept', async () => (await stored()) !== first)
    expect(await countEvents(store)).toBe(before)
    expect((await place()).data).toEqual(order)
  })
})

if (testedEngines.includes('postgres')) {
  test('a process whose clock is 25 hours ahead uses the clock of PostgreSQL, and repeats no effect', async () => {
    const databaseUrl = await newDatabase()
    await using store = await openTestStore('postgres', { databaseUrl })
    const { petId } = await makePet(store.client, { quantity: 9n })
    const { data: order } = await store.client.placeOrder({ body: { petId } }, { idempotencyKey: 'once' })
    const localClock = (): number => Date.now() + 25 * HOUR_MS
    await using other = await openTestStore('postgres', { databaseUrl, localClock })
    expect(Math.abs(other.engine.clock() - Date.now())).toBeLessThan(5000)
    expect(store.engine.clock() - Date.now()).toBeLessThanOrEqual(0)
    const differences = other.logged.filter(({ message }) => message === 'the clock differs')
    expect(differences.map(({ fields }) => Math.round(Number(fields.aheadMs) / HOUR_MS))).toEqual([25])
    const quiet: Log = { access: () => {}, info: () => {}, error: () => {} }
    const { engine } = other
    expect(await sweep({ engine, log: quiet, clock: engine.clock, eventRetention: 'forever' })).toBe(true)
    expect((await other.client.placeOrder({ body: { petId } }, { idempotencyKey: 'once' })).data).toEqual(
      order,
    )
  })
}

onEveryEngine(engine => {
  test('a start says, and logs, that the clock is behind the newest order, and doctor warns', async () => {
    await using place = await newStoreDirectory(engine)
    {
      await using server = await place.start()
      const { petId } = await makePet(place.client(server), { quantity: 2n, reserved: 1n })
      await place.client(server).placeOrder({ body: { petId, complete: true } })
      expect(server.messages() + server.logged()).not.toContain('is dated')
      await server.kill('SIGTERM')
    }
    // An order that was sold since the clock went wrong does not hide the one before it.
    await place.database(
      `UPDATE orders SET created_at = '2999-01-01T00:00:00.000Z' WHERE id = (SELECT min(id) FROM orders)`,
    )
    await using server = await place.start()
    const warning = 'the newest event or order is dated 2999-01-01T00:00:00Z, but the clock is at'
    await until('the start warns', () => server.messages().includes(`Warning: ${warning}`))
    await until('the start is logged', () => server.logged().includes(warning))
    await server.kill('SIGTERM')
    const { output } = await run(['doctor', '--data', place.directory], place.env)
    expect(output).toContain(`warn  clock           ${warning}`)
  }, 60_000)
})
