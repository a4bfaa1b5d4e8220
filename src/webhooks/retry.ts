import { backoffMs, retryAfterMs } from '../values/backoff.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * The delay after each failed attempt, in milliseconds. The attempt after the last delay is the last one: if it also
 * fails, the delivery has failed.
 */
export const RETRY_DELAYS_MS = [
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

/**
 * Each delay is extended at random by up to this fraction, so deliveries that failed together are not retried
 * together.
 */
const JITTER = 0.1
const RETRY_AFTER_MAX_MS = 24 * HOUR
/** The number of consecutive failures after which a receiver gets one attempt at a time, with a pause before each. */
const FAILURES_BEFORE_PAUSE = 10n
const PAUSE_MAX_MS = MINUTE

/** The response of a receiver: its status and Retry-After header. Both are absent if no response arrived. */
interface ReceiverResponse {
  readonly status?: number
  readonly retryAfter?: string | undefined
}

/** The decision after an attempt. */
export type RetryDecision =
  | { readonly state: 'delivered' }
  /** The delivery is retried at this instant, in milliseconds since 1970. */
  | { readonly state: 'pending'; readonly nextAtMs: number }
  | { readonly state: 'failed'; readonly gone?: true }

interface RetryRules {
  /** The delay after each failed attempt, in milliseconds; RETRY_DELAYS_MS by default. */
  readonly retryDelaysMs?: readonly number[] | undefined
  /** The last instant at which a retry may be due, in milliseconds since 1970. No limit by default. */
  readonly giveUpAtMs?: number | undefined
}

/**
 * Returns the decision after an attempt. Only 2xx is a success. 410 means that the receiver is gone for good (Standard
 * Webhooks). Retry-After (RFC 9110, section 10.2.3) may delay the next attempt by at most a day. A delivery
 * whose next attempt would be due after `giveUpAtMs` has failed.
 *
 * `attempts` is the number of attempts in the retry cycle, including this one; `random` is from 0 to 1.
 */
export function decideRetry(
  response: ReceiverResponse,
  attempts: number,
  nowMs: number,
  random: number,
  { retryDelaysMs = RETRY_DELAYS_MS, giveUpAtMs = Number.POSITIVE_INFINITY }: RetryRules = {},
): RetryDecision {
  const { status = 0 } = response
  if (status >= 200 && status < 300) return { state: 'delivered' }
  if (status === 410) return { state: 'failed', gone: true }
  const delayMs = retryDelaysMs[attempts - 1]
  if (delayMs === undefined) return { state: 'failed' }
  const scheduledMs = delayMs * (1 + JITTER * random)
  const nextAtMs = nowMs + Math.max(scheduledMs, requestedDelayMs(response.retryAfter, nowMs))
  return nextAtMs > giveUpAtMs ? { state: 'failed' } : { state: 'pending', nextAtMs }
}

/** Returns the delay that Retry-After asks for, in milliseconds and at most a day; 0 if it asks for none. */
export function requestedDelayMs(field: string | undefined, nowMs: number): number {
  return Math.min(retryAfterMs(field, nowMs) ?? 0, RETRY_AFTER_MAX_MS)
}

/**
 * Returns the pause before the next attempt to a receiver, in milliseconds; 0 if no pause is needed. It is the backoff
 * for this number of consecutive failures, or `requestedMs` if the receiver asked for a longer pause. The pause is at
 * most a minute, because a requested redelivery, or a URL that was corrected, must not wait longer.
 */
export function pauseMs(failures: bigint, requestedMs = 0): number {
  const excess = Number(failures - FAILURES_BEFORE_PAUSE)
  const pause = excess < 0 ? 0 : backoffMs(SECOND, excess, PAUSE_MAX_MS)
  return Math.min(Math.max(pause, requestedMs), PAUSE_MAX_MS)
}
