import { afterEach, expect, jest, test } from 'bun:test'
import { DatabaseClock } from './database-clock.ts'

const HOUR_MS = 3_600_000
/** How often the clock of the database is read. */
const READ_EVERY_MS = 60_000

afterEach(() => {
  jest.useRealTimers()
})

/** Starts a clock on a machine and a database whose times the test sets. */
async function startClock(times: { machine: number; database: number }) {
  const differences: number[] = []
  const clock = await DatabaseClock.start({
    read: async () => times.database,
    local: () => times.machine,
    onDifference: aheadMs => differences.push(aheadMs),
  })
  return { clock, differences }
}

test('a machine whose clock is wrong uses the time of the database, and reports the difference once', async () => {
  for (const aheadMs of [25 * HOUR_MS, -25 * HOUR_MS]) {
    const { clock, differences } = await startClock({
      machine: 1_000 * HOUR_MS + aheadMs,
      database: 1_000 * HOUR_MS,
    })
    expect(Math.abs(clock.now() - 1_000 * HOUR_MS)).toBeLessThan(1000)
    expect(differences.map(ms => Math.round(ms / HOUR_MS))).toEqual([aheadMs / HOUR_MS])
    clock.close()
  }
})

test('a difference below two seconds is that of clocks that are synchronized, and is not corrected', async () => {
  const { clock, differences } = await startClock({ machine: 1_001_500, database: 1_000_000 })
  expect([clock.now(), differences]).toEqual([1_001_500, []])
  clock.close()
})

test('a clock that is set right, or wrong again, while the process runs is noticed within a minute', async () => {
  jest.useFakeTimers()
  const times = { machine: 5 * HOUR_MS, database: 4 * HOUR_MS }
  const { clock, differences } = await startClock(times)
  const nextReading = async (): Promise<void> => {
    jest.advanceTimersByTime(READ_EVERY_MS)
    for (let turn = 0; turn < 10; turn++) await null
  }
  times.machine = times.database
  await nextReading()
  expect(clock.now()).toBe(times.database)
  times.machine = times.database - 2 * HOUR_MS
  await nextReading()
  expect(Math.abs(clock.now() - times.database)).toBeLessThan(1000)
  expect(differences.map(ms => Math.round(ms / HOUR_MS))).toEqual([1, 0, -2])
  clock.close()
})

test('a reading that took over two seconds is ignored, and half the time of another is deducted', async () => {
  const slow = async (tookMs: number, aheadMs: number): Promise<number> => {
    const startedMs = performance.now()
    const local = (): number => performance.now() - startedMs
    const clock = await DatabaseClock.start({
      // The time of the database when the request has come half of its way.
      read: async () => {
        await Bun.sleep(tookMs)
        return tookMs / 2 - aheadMs
      },
      local,
      onDifference: () => {},
    })
    clock.close()
    return Math.round(local() - clock.now())
  }
  const [ignored, corrected] = await Promise.all([slow(2200, 10 * HOUR_MS), slow(1600, 0)])
  expect([ignored, corrected].map(Math.abs)).toEqual([0, 0])
})
