import { expect, test } from 'bun:test'
import { RateLimiter } from './rate-limit.ts'

test('a rate-limit window ends after its duration, and the next request starts a new window', () => {
  let nowMs = 0
  const limiter = new RateLimiter({ requests: 2, seconds: 10 }, () => nowMs)
  const left = (): string => limiter.take('a').field
  expect([left(), left(), left()]).toEqual(['"default";r=1;t=10', '"default";r=0;t=10', '"default";r=0;t=10'])
  nowMs = 9999
  expect(limiter.take('a').refusal?.details.retryAfterSeconds).toBe(1)
  nowMs = 10_000
  expect(left()).toBe('"default";r=1;t=10')
})

test('a caller keeps its rate-limit window when the young map of the limiter becomes the old map', () => {
  let nowMs = 0
  const limiter = new RateLimiter({ requests: 1, seconds: 10 }, () => nowMs)
  nowMs = 8000
  limiter.take('a')
  nowMs = 12_000
  limiter.take('b')
  expect(limiter.take('a').refusal?.details.retryAfterSeconds).toBe(6)
  expect(limiter.entryCount).toBe(3)
})

test('the number of callers in memory is bounded, and the last caller is still limited', () => {
  const limiter = new RateLimiter({ requests: 1, seconds: 3600 }, () => 0)
  for (let caller = 0; caller < 500_000; caller++) limiter.take(`${caller}`)
  expect(limiter.entryCount).toBeLessThanOrEqual(100_000)
  expect(limiter.take('499999').refusal?.code).toBe('rate_limited')
})
