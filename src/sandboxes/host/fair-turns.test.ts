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

test('the pauses after several pieces of long work add up', async () => {
  const turns = new FairTurns()
  const startedMs = performance.now()
  for (let work = 0; work < 3; work++) turns.charge(20)
  await turns.begin()
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(59)
})

test('a request does not begin before those that wait, even if their pause has just ended', async () => {
  const turns = new FairTurns()
  turns.charge(5)
  const first = turns.begin()
  const endMs = performance.now() + 10
  while (performance.now() < endMs);
  const second = turns.begin()
  expect([first, second].map(waiting => waiting instanceof Promise)).toEqual([true, true])
  await Promise.all([first, second])
})

test('at most 500 requests of a sandbox wait for a turn', async () => {
  const turns = new FairTurns()
  const waiting = Array.from({ length: 501 }, () => turns.begin())
  expect(turns.isFull).toBe(false)
  waiting.push(turns.begin())
  expect(turns.isFull).toBe(true)
  await Promise.all(waiting)
  expect(turns.isFull).toBe(false)
})

test('a sandbox begins two requests in each turn of the event loop, however many come at once', async () => {
  const turns = new FairTurns()
  let turn = 0
  const begunIn: number[] = []
  for (let request = 0; request < 8; request++) {
    const waiting = turns.begin()
    if (waiting) void waiting.then(() => begunIn.push(turn))
    else begunIn.push(turn)
  }
  for (turn = 1; begunIn.length < 8; turn++) await new Promise(resolve => setImmediate(resolve))
  expect(
    Map.groupBy(begunIn, one => one)
      .values()
      .map(all => all.length)
      .toArray(),
  ).toEqual([2, 2, 2, 2])
})
