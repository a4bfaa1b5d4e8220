import { expect, test } from 'bun:test'
import { padded } from './paging.ts'

test('the values of a filter are padded to one of a few sizes, so that there are few statement texts', () => {
  const sizeOf = (count: number): number =>
    padded(Array.from({ length: count }, (_, id) => BigInt(id))).length
  expect([1, 2, 4, 5, 20, 21, 100].map(sizeOf)).toEqual([1, 4, 4, 20, 20, 100, 100])
  expect(padded([7n, 8n])).toEqual([7n, 8n, null, null])
  expect(() => sizeOf(101)).toThrow('too many values')
})
