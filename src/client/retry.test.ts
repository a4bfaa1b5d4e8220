import { expect, test } from 'bun:test'
import { retryAfterMs } from '../values/backoff.ts'
import { type Failure, retryDelayMs, settlesEarlierAttempt } from './retry.ts'

const lost: Failure = { status: undefined, code: undefined, retryAfter: null }
const first = { attempts: 1, retriesMax: 2, isRepeatable: true, nowMs: 0, random: 1 }

function failed(status: number, code?: string, retryAfter: string | null = null): Failure {
  return { status, code, retryAfter }
}

test('a repeatable request is retried after a lost connection and after a temporary failure, up to the limit', () => {
  for (const failure of [lost, failed(408), failed(429), failed(502), failed(503), failed(504)]) {
    expect(retryDelayMs(failure, first)).toBe(250)
  }
  expect(retryDelayMs(lost, { ...first, attempts: 2 })).toBe(500)
  expect(retryDelayMs(lost, { ...first, attempts: 3 })).toBeUndefined()
  expect(retryDelayMs(lost, { ...first, retriesMax: 0 })).toBeUndefined()
})

test('a refusal that would be the same again is not retried', () => {
  for (const status of [400, 401, 403, 404, 409, 410, 412, 422, 500]) {
    expect(retryDelayMs(failed(status), first)).toBeUndefined()
  }
})

test('a refusal settles an earlier attempt only if the store had looked for its key', () => {
  const settled = [
    failed(409, 'barcode_taken'),
    failed(422, 'unknown_reference'),
    failed(404, 'pet_not_found'),
  ]
  expect(settled.map(settlesEarlierAttempt)).toEqual([true, true, true])
  const others = [failed(404, 'unknown'), failed(404, 'route_not_found'), failed(410, 'operation_sunset')]
  for (const failure of [
    ...others,
    failed(401, 'invalid_key'),
    failed(429, 'rate_limited'),
    failed(400, 'malformed_json'),
  ])
    expect([failure.code, settlesEarlierAttempt(failure)]).toEqual([failure.code, false])
})

test('a request that is not repeatable is retried only if the store says that it did not run', () => {
  const once = { ...first, isRepeatable: false }
  const unknown = [lost, failed(502), failed(503), failed(504), failed(503, 'outcome_unknown')]
  for (const failure of [...unknown, failed(503, 'storage_full')]) {
    expect(retryDelayMs(failure, once)).toBeUndefined()
  }
  for (const code of ['rate_limited', 'overloaded', 'shutting_down']) {
    expect(retryDelayMs(failed(503, code), once)).toBe(250)
  }
})

test('the delay is random, doubles with each retry, and is at most 8 s', () => {
  const many = { ...first, retriesMax: 100 }
  expect(retryDelayMs(lost, { ...many, random: 0 })).toBe(0)
  expect(retryDelayMs(lost, { ...many, random: 0.5, attempts: 3 })).toBe(500)
  expect(retryDelayMs(lost, { ...many, attempts: 99 })).toBe(8000)
})

test('the delay is at least what Retry-After demands, but there is no retry if it demands more than a minute', () => {
  expect(retryDelayMs(failed(503, 'overloaded', '2'), { ...first, random: 0 })).toBe(2000)
  expect(retryDelayMs(failed(503, 'overloaded', '2'), first)).toBe(2250)
  expect(retryDelayMs(failed(429, 'rate_limited', '61'), first)).toBeUndefined()
})

test('Retry-After is a number of seconds or an HTTP date; anything else is ignored', () => {
  expect(retryAfterMs('0', 0)).toBe(0)
  expect(retryAfterMs('120', 0)).toBe(120_000)
  expect(retryAfterMs('Thu, 01 Jan 1970 00:00:30 GMT', 10_000)).toBe(20_000)
  expect(retryAfterMs('Thu, 01 Jan 1970 00:00:30 GMT', 40_000)).toBe(0)
  for (const field of [null, '', 'soon', '-1', '1.5']) expect(retryAfterMs(field, 0)).toBeUndefined()
})
