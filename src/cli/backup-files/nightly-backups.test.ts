import { expect, test } from 'bun:test'
import { deletable, isDue } from './nightly-backups.ts'

function backup(text: string): { name: string; atMs: number } {
  return { name: text, atMs: Date.parse(text) }
}

/** Returns whether a backup is due, with one backup before it. */
function due(last: string, now: string, timeZone: string): boolean {
  return isDue([backup(last)], Date.parse(now), timeZone)
}

test('a backup is due from three o’clock of the shop until there is one, wherever the shop is', () => {
  const cases: [last: string, now: string, zone: string, isDue: boolean][] = [
    ['2026-11-28T02:00:10Z', '2026-11-29T01:59:59Z', 'Europe/Vienna', false],
    ['2026-11-28T02:00:10Z', '2026-11-29T02:00:00Z', 'Europe/Vienna', true],
    ['2026-11-29T02:00:00Z', '2026-11-29T23:30:00Z', 'Europe/Vienna', false],
    // In Los Angeles, it is still the evening before.
    ['2026-11-28T11:00:05Z', '2026-11-29T10:59:00Z', 'America/Los_Angeles', false],
    ['2026-11-28T11:00:05Z', '2026-11-29T11:00:00Z', 'America/Los_Angeles', true],
    // The night in which the clocks of Vienna go back has 03:00 an hour later in UTC.
    ['2026-10-24T01:00:05Z', '2026-10-25T01:30:00Z', 'Europe/Vienna', false],
    ['2026-10-24T01:00:05Z', '2026-10-25T02:00:00Z', 'Europe/Vienna', true],
    // A clock that was wrong: a backup of the future says nothing about the last night.
    ['2030-01-01T00:00:00Z', '2026-11-29T12:00:00Z', 'UTC', true],
  ]
  for (const [last, now, zone, expected] of cases)
    expect([now, due(last, now, zone)]).toEqual([now, expected])
  expect(isDue([], Date.parse('2026-11-29T12:00:00Z'), 'UTC')).toBe(true)
})

test('of two years of backups, those of the last 7 days, 4 weeks and 12 months stay', () => {
  const dayMs = 86_400_000
  const lastMs = Date.parse('2026-11-29T03:00:00Z')
  const days = Array.from({ length: 730 }, (_, index) =>
    backup(new Date(lastMs - index * dayMs).toISOString()),
  )
  // Two on one day: the later one stays.
  const twice = backup('2026-11-29T01:00:00.000Z')
  const gone = new Set(deletable([twice, ...days], 'UTC').map(({ name }) => name))
  const kept = [twice, ...days].map(({ name }) => name).filter(name => !gone.has(name))
  expect(kept.map(name => name.slice(0, 10)).sort()).toEqual([
    ...['2025-12-31', '2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'],
    ...['2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31', '2026-11-08', '2026-11-15', '2026-11-22'],
    ...['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27', '2026-11-28', '2026-11-29'],
  ])
  expect(kept).not.toContain(twice.name)
})

test('a few old backups all stay, however long the store was off', () => {
  const few = ['2024-01-05T03:00:00Z', '2025-06-01T03:00:00Z', '2026-11-29T03:00:00Z'].map(backup)
  expect(deletable(few, 'UTC')).toEqual([])
})
