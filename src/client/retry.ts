import { backoffMs, retryAfterMs } from '../values/backoff.ts'

/** The longest backoff before the first retry. This maximum doubles with each retry. */
const FIRST_BACKOFF_MAX_MS = 250
/** The longest backoff before any retry. */
const BACKOFF_MAX_MS = 8000
/** If Retry-After demands more, there is no retry: the caller gets the error, and can decide. */
const RETRY_AFTER_MAX_MS = 60_000

/** The failure of an attempt. */
export interface Failure {
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined
  /** The code in the body of the error: `unknown` if the body has no code, undefined if no response arrived. */
  readonly code: string | undefined
  /** The header Retry-After, as it was received. */
  readonly retryAfter: string | null
}

interface RetryState {
  /** The number of attempts that have failed. */
  readonly attempts: number
  readonly retriesMax: number
  /** Whether running the request twice has the same effect as running it once. */
  readonly isRepeatable: boolean
  readonly nowMs: number
  /** From 0 to 1. */
  readonly random: number
}

/** The codes which mean that the request had no effect, so that any request can be repeated. */
const NO_EFFECT: readonly (string | undefined)[] = ['rate_limited', 'overloaded', 'shutting_down']

/** Codes of refusals that say nothing of an earlier attempt: of a proxy, or of another address or version. */
const UNSETTLED: readonly (string | undefined)[] = ['unknown', 'route_not_found', 'operation_sunset']

/**
 * Returns whether a refusal also settles an earlier attempt with the same idempotency key. Before a refusal with one of
 * these statuses, the store looks for the effect of the key, or has found a body that it refuses each time. Any other
 * refusal comes earlier. Not covered: the address of a webhook whose host has another IP address since.
 */
export function settlesEarlierAttempt({ status, code }: Pick<Failure, 'status' | 'code'>): boolean {
  return !UNSETTLED.includes(code) && [404, 409, 410, 412, 422].some(settled => settled === status)
}

/**
 * Returns the delay before the next attempt in milliseconds; undefined if there should be no further attempt. The delay
 * is random (full jitter), and at least the delay in Retry-After.
 */
export function retryDelayMs(failure: Failure, state: RetryState): number | undefined {
  if (state.attempts > state.retriesMax || !canRepeat(failure, state.isRepeatable)) return undefined
  const pauseMs = state.random * backoffMs(FIRST_BACKOFF_MAX_MS, state.attempts - 1, BACKOFF_MAX_MS)
  const demandedMs = retryAfterMs(failure.retryAfter, state.nowMs)
  if (demandedMs === undefined) return pauseMs
  // The backoff is added, because all clients that were refused at the same time got the same Retry-After.
  return demandedMs > RETRY_AFTER_MAX_MS ? undefined : demandedMs + pauseMs
}

function canRepeat({ status, code }: Failure, isRepeatable: boolean): boolean {
  if (NO_EFFECT.includes(code)) return true
  if (!isRepeatable) return false
  return (
    status === undefined ||
    status === 408 ||
    status === 429 ||
    status === 502 ||
    status === 503 ||
    status === 504
  )
}
