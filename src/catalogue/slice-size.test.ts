import { expect, test } from 'bun:test'
import { nextSliceRows } from './slice-size.ts'

test.each([
  { what: 'a slice that took the target time keeps its size', rows: 100, tookMs: 12, next: 100 },
  { what: 'a slow slice is followed by a smaller one', rows: 100, tookMs: 24, next: 50 },
  { what: 'a fast slice is followed by one of at most twice its size', rows: 100, tookMs: 1, next: 200 },
  { what: 'a slice has at most 500 rows', rows: 400, tookMs: 6, next: 500 },
  { what: 'a slice has at least 10 rows', rows: 20, tookMs: 5000, next: 10 },
])('$what', ({ rows, tookMs, next }) => {
  expect(nextSliceRows(rows, tookMs)).toBe(next)
})
