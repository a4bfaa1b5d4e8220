import { expect, test } from 'bun:test'
import { monthOf, periodBefore, weekOf } from '../../src/console/data/days.ts'

test.each([
  ['2026-11-23', '2026-11-23', '2026-11-29'],
  ['2026-11-29', '2026-11-23', '2026-11-29'],
  ['2027-01-01', '2026-12-28', '2027-01-03'],
  ['2028-02-29', '2028-02-28', '2028-03-05'],
])('the week of %p is from Monday %p to Sunday %p', (day, from, to) => {
  expect(weekOf(day)).toEqual({ from, to })
})

test('the days of a month end before the next month, also in February', () => {
  expect(['2026-12-31', '2028-02-01', '2026-02-28'].map(day => monthOf(day).to)).toEqual([
    ...['2026-12-31', '2028-02-29', '2026-02-28'],
  ])
})

test.each([
  // A day, and a week of which three days have begun.
  ['2026-03-01..2026-03-01', '2026-03-01', '2026-02-28..2026-02-28'],
  ['2026-11-23..2026-11-29', '2026-11-25', '2026-11-16..2026-11-18'],
  ['2026-11-16..2026-11-22', '2026-11-25', '2026-11-09..2026-11-15'],
  // A month that runs, at the end of which the month before is shorter, and one that is over.
  ['2026-11-01..2026-11-30', '2026-11-28', '2026-10-01..2026-10-28'],
  ['2026-03-01..2026-03-31', '2026-03-30', '2026-02-01..2026-02-28'],
  ['2026-02-01..2026-02-28', '2026-03-05', '2026-01-01..2026-01-31'],
  ['2026-02-01..2026-02-28', '2026-02-28', '2026-01-01..2026-01-28'],
  ['2027-01-01..2027-01-31', '2027-01-05', '2026-12-01..2026-12-05'],
  // A range that ends after today, and days that have not begun or have none before them.
  ['2026-11-20..2026-12-19', '2026-11-28', '2026-10-21..2026-10-29'],
  ['2026-11-29..2026-11-30', '2026-11-28', undefined],
  ['1000-01-01..2026-11-28', '2026-11-28', undefined],
  ['1500-01-01..2026-11-28', '2026-11-28', undefined],
])('on a day, the period %p is compared (today is %p) with %p', (period, today, expected) => {
  const [from = '', to = ''] = period.split('..')
  const before = periodBefore({ from, to }, today)
  expect(before && `${before.from}..${before.to}`).toBe(expected)
})
