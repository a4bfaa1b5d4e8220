import { expect, test } from 'bun:test'
import { clocksIn, datesIn, timeZoneName } from './time-zone.ts'

test('a zone has the name of the time zone database, whatever its case; an offset is no zone', () => {
  expect(['europe/vienna', 'UTC', 'Asia/Kathmandu'].map(timeZoneName)).toEqual([
    'Europe/Vienna',
    'UTC',
    'Asia/Kathmandu',
  ])
  expect(['+02:00', '', 'Vienna', 'Europe/Wien', ' UTC'].map(timeZoneName)).toEqual(Array(5).fill(undefined))
})

test.each([
  ['Europe/Vienna', '2026-03-29T02:30', '2026-03-29T01:30Z', 'the clocks skip it'],
  ['Europe/Vienna', '2026-10-25T02:30', '2026-10-25T00:30Z', 'the clocks show it twice'],
  ['America/Santiago', '2026-09-06T00:00', '2026-09-06T04:00Z', 'the day begins at one'],
  ['America/Havana', '2026-03-08T00:00', '2026-03-08T05:00Z', 'the day begins at one'],
  ['America/Havana', '2026-11-01T00:30', '2026-11-01T04:30Z', 'the clocks show it twice'],
  ['Australia/Lord_Howe', '2026-10-04T12:00', '2026-10-04T01:00Z', 'summer time is half an hour'],
  ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15Z', 'the offset has quarter-hours'],
])('in %s, %s is %s: %s', (zone, local, instant) => {
  expect(new Date(clocksIn(zone).instantOf(local)).toISOString()).toBe(instant.replace('Z', ':00.000Z'))
})

test.each(['America/Santiago', 'Atlantic/Azores', 'Pacific/Apia', 'Asia/Beirut', 'Europe/London', 'UTC'])(
  'in %s, each day of two years begins when the date changes, and its start has its date',
  zone => {
    const { instantOf, localTime } = clocksIn(zone)
    const dateOf = datesIn(zone)
    for (let ms = Date.parse('2026-01-01'); ms < Date.parse('2028-01-01'); ms += 86_400_000) {
      const day = new Date(ms).toISOString().slice(0, 10)
      const start = instantOf(`${day}T00:00`)
      expect([dateOf(start - 1) < day, dateOf(start), localTime(start).slice(0, 10)]).toEqual([
        true,
        day,
        day,
      ])
    }
  },
)

test('a text that is no local time has no instant', () => {
  expect(clocksIn('Europe/Vienna').instantOf('20261-01-01T10:00x')).toBeNaN()
})
