const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after each failed attempt the next one comes, in milliseconds; after the last, the delivery has failed. */
export const RETRY_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

/** Each pause is drawn up to so much longer, so that what failed together does not come back together. */
const JITTER = 0.1
const RETRY_AFTER_MAX_MS = 24 * HOUR
/** Failures in a row that a receiver is allowed before it gets one attempt at a time, with a pause before each. */
const FAILURES_BEFORE_PAUSE = 10n
const PAUSE_MAX_MS = MINUTE

/** What came back: a status with the field Retry-After if there was one, or nothing. */
export interface Answered {
  readonly status?: number
  readonly retryAfter?: string | undefined
}

/** What follows from an attempt: instants in milliseconds since 1970. */
export type Verdict =
  | { readonly state: 'delivered' }
  | { readonly state: 'pending'; readonly nextAtMs: number }
  | { readonly state: 'failed'; readonly gone?: true }

/**
 * Judges an attempt. 2xx is success and nothing else is; 410 says that the receiver is gone for good (Standard
 * Webhooks); Retry-After (RFC 9110, section 10.2.3) may put the next attempt off, by a day at most.
 * `attempts` counts this one, `random` is from 0 to 1.
 */
export function judge(
  answered: Answered,
  attempts: number,
  nowMs: number,
  random: number,
  pausesMs: readonly number[] = RETRY_MS,
): Verdict {
  const { status = 0 } = answered
  if (status >= 200 && status < 300) return { state: 'delivered' }
  if (status === 410) return { state: 'failed', gone: true }
  const pauseMs = pausesMs[attempts - 1]
  if (pauseMs === undefined) return { state: 'failed' }
  const ownMs = pauseMs * (1 + JITTER * random)
  return { state: 'pending', nextAtMs: nowMs + Math.max(ownMs, retryAfterMs(answered.retryAfter, nowMs)) }
}

/** How long Retry-After asks to wait, from seconds or an HTTP date; 0 for anything else, a day at most. */
export function retryAfterMs(field: string | undefined, nowMs: number): number {
  const text = field?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

/**
 * How long a receiver is left alone after so many failures in a row, when it asked for `askedMs`; 0 while that is not
 * called for. A minute at the most: what is asked for by hand, and a URL that was put right, must not wait longer.
 */
export function pauseMs(failures: bigint, askedMs = 0): number {
  const excess = Number(failures - FAILURES_BEFORE_PAUSE)
  const ownMs = excess < 0 ? 0 : SECOND * 2 ** excess
  return Math.min(Math.max(ownMs, askedMs), PAUSE_MAX_MS)
}
