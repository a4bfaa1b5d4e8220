import { expect, test } from 'bun:test'
import { nextReference } from '../../src/console/parts/orders/next-reference.ts'

test.each([
  ['R-2026-0042', 'R-2026-0043'],
  ['R-0099', 'R-0100'],
  ['999', '1000'],
  ['42a', ''],
  ['', ''],
  [`${'x'.repeat(197)}999`, ''],
  [`${'9'.repeat(30)}8`, `${'9'.repeat(31)}`],
])('after the reference %p comes %p', (last, next) => {
  expect(nextReference(last)).toBe(next)
})
