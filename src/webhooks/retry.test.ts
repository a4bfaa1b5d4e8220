import { describe, expect, test } from 'bun:test'
import { decideRetry, pauseMs, RETRY_DELAYS_MS, requestedDelayMs } from './retry.ts'

const NOW = Date.parse('2026-11-21T09:30:00Z')
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Returns the delay after a failed attempt; `none` if there is no next attempt. */
function waitMs(attempts: number, random: number, retryAfter?: string): number | 'none' {
  const decision = decideRetry({ status: 500, retryAfter }, attempts, NOW, random)
  return decision.state === 'pending' ? decision.nextAtMs - NOW : 'none'
}

describe('attempts', () => {
  test('an attempt succeeds with status 2xx only', () => {
    for (const status of [200, 201, 202, 204, 226, 299]) {
      expect(decideRetry({ status }, 1, NOW, 0)).toEqual({ state: 'delivered' })
    }
    for (const status of [100, 199, 300, 301, 304, 307, 400, 404, 429, 500, 503, 999]) {
      expect(`${status} ${decideRetry({ status }, 1, NOW, 0).state}`).toBe(`${status} pending`)
    }
    expect(decideRetry({}, 1, NOW, 0).state).toBe('pending')
  })

  test('an attempt with status 410 means that the receiver is gone, whatever the number of attempts', () => {
    for (const attempts of [1, 5, 10]) {
      expect(decideRetry({ status: 410, retryAfter: '5' }, attempts, NOW, 0)).toEqual({
        state: 'failed',
        gone: true,
      })
    }
  })
})

describe('retries', () => {
  test('the next attempt comes after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then never', () => {
    const hours = [2, 5, 10, 14, 20, 24].map(count => count * HOUR)
    const schedule = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours]
    expect([...RETRY_DELAYS_MS]).toEqual(schedule)
    const waits = Array.from({ length: 11 }, (_, index) => waitMs(index + 1, 0))
    expect(waits).toEqual([...schedule, 'none', 'none'])
  })

  test('the next attempt is delayed at random by up to a tenth, and never brought forward', () => {
    for (const [index, pause] of RETRY_DELAYS_MS.entries()) {
      expect(waitMs(index + 1, 1)).toBeCloseTo(pause * 1.1, 3)
      expect(waitMs(index + 1, 0.5)).toBeCloseTo(pause * 1.05, 3)
    }
  })

  test('the next attempt waits as long as Retry-After asks, unless it is scheduled later anyway', () => {
    expect(waitMs(1, 0, '60')).toBe(60 * SECOND)
    expect(waitMs(1, 0, '1')).toBe(5 * SECOND)
    expect(waitMs(3, 0, '60')).toBe(30 * MINUTE)
    expect(waitMs(10, 0, '60')).toBe('none')
  })
})

describe('the end of the attempts', () => {
  const giveUpAtMs = NOW + 10 * MINUTE
  const cases = [
    { attempts: 1, nextMs: 5 * SECOND },
    { attempts: 2, nextMs: 5 * MINUTE },
    { attempts: 3, nextMs: undefined },
    { attempts: 1, retryAfter: '600', nextMs: 10 * MINUTE },
    { attempts: 1, retryAfter: '601', nextMs: undefined },
    { attempts: 2, retryAfter: '86400', nextMs: undefined },
    { attempts: 2, elapsedMs: 5 * MINUTE, nextMs: 5 * MINUTE },
    { attempts: 2, elapsedMs: 5 * MINUTE + 1, nextMs: undefined },
    { attempts: 2, elapsedMs: 5 * MINUTE, random: 0.1, nextMs: undefined },
    { attempts: 1, elapsedMs: 11 * MINUTE, nextMs: undefined },
  ]
  test.each(cases)(
    'a retry is never due after the last instant for retries: %j',
    ({ attempts, retryAfter, elapsedMs = 0, random = 0, nextMs }) => {
      const nowMs = NOW + elapsedMs
      const decision = decideRetry({ status: 503, retryAfter }, attempts, nowMs, random, { giveUpAtMs })
      expect(decision).toEqual(
        nextMs === undefined ? { state: 'failed' } : { state: 'pending', nextAtMs: nowMs + nextMs },
      )
    },
  )

  test('an attempt after the last instant for retries can still succeed, or show that the receiver is gone', () => {
    const rules = { giveUpAtMs: NOW - 1 }
    expect(decideRetry({ status: 204 }, 1, NOW, 0, rules)).toEqual({ state: 'delivered' })
    expect(decideRetry({ status: 410 }, 1, NOW, 0, rules)).toEqual({ state: 'failed', gone: true })
  })
})

describe('Retry-After', () => {
  test('Retry-After is a number of seconds, or an HTTP date', () => {
    expect(requestedDelayMs('0', NOW)).toBe(0)
    expect(requestedDelayMs('120', NOW)).toBe(2 * MINUTE)
    expect(requestedDelayMs(' 120 ', NOW)).toBe(2 * MINUTE)
    expect(requestedDelayMs('Sat, 21 Nov 2026 09:31:00 GMT', NOW)).toBe(MINUTE)
    expect(requestedDelayMs('Saturday, 21-Nov-26 09:31:00 GMT', NOW)).toBe(MINUTE)
    expect(requestedDelayMs('Sat Nov 21 09:31:00 2026', NOW)).toBe(MINUTE)
  })

  test('Retry-After is limited to a day, and ignored if it is in the past or invalid', () => {
    expect(requestedDelayMs('999999999', NOW)).toBe(24 * HOUR)
    expect(requestedDelayMs('9'.repeat(400), NOW)).toBe(24 * HOUR)
    expect(requestedDelayMs('Fri, 31 Dec 2027 23:59:59 GMT', NOW)).toBe(24 * HOUR)
    for (const none of [undefined, '', 'soon', '-5', 'Fri, 20 Nov 2026 09:30:00 GMT', 'NaN', 'Infinity']) {
      expect(`${none} ${requestedDelayMs(none, NOW)}`).toBe(`${none} 0`)
    }
  })
})

describe('pauses of receivers', () => {
  test('the tenth consecutive failure causes a pause, and each further failure doubles it, up to a minute', () => {
    expect([0n, 1n, 9n].map(failures => pauseMs(failures))).toEqual([0, 0, 0])
    const pauses = [10n, 11n, 12n, 13n, 14n, 15n, 16n, 17n, 100_000n].map(failures => pauseMs(failures))
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map(seconds => seconds * SECOND))
  })

  test('a receiver that asks for a longer pause gets it, up to a minute', () => {
    expect(pauseMs(1n, 2 * SECOND)).toBe(2 * SECOND)
    expect(pauseMs(1n, HOUR)).toBe(MINUTE)
    expect(pauseMs(12n, SECOND)).toBe(4 * SECOND)
  })
})
