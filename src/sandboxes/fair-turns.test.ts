import { expect, test } from 'bun:test'
import { FairTurns } from './fair-turns.ts'

test('after long work a sandbox pauses as long as the work took, and its requests begin in order', async () => {
  const turns = new FairTurns()
  const startedMs = performance.now()
  turns.charge(40)
  const begun: number[] = []
  await Promise.all(
    [1, 2, 3].map(async request => {
      await turns.begin()
      begun.push(request)
    }),
  )
  expect(begun).toEqual([1, 2, 3])
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(39)
})

test('short work needs no pause', () => {
  const turns = new FairTurns()
  turns.charge(0.5)
  expect(turns.begin()).toBeUndefined()
})
