import type { AttemptResult } from './attempt.ts'
import { pauseMs, requestedDelayMs } from './retry.ts'

/** The maximum number of concurrent attempts to one receiver. */
const IN_FLIGHT_MAX = 4
/** The time after which a sender checks for due deliveries again, even if it knows of none. */
const POLL_MS = 10_000

/** One instant on both clocks. */
export interface Instants {
  /** The wall clock, by which the stored deliveries become due. It decides nothing else. */
  readonly nowMs: number
  /** The monotonic clock, which measures pauses and polls, because the wall clock may jump. */
  readonly monotonicMs: number
}

/** Everything that decides what a sender does next, except whether there are events to send. */
export interface SenderState {
  readonly isStopped: boolean
  /** The number of attempts that have a permit. */
  readonly inFlight: number
  /** The number of consecutive attempts to the receiver that have failed. */
  readonly failures: bigint
  /** No attempt starts before this instant of the monotonic clock. */
  readonly resumeAtMonotonicMs: number
  /** The instant of the wall clock at which the next known delivery is due. */
  readonly nextDueMs: number
  /** The instant of the monotonic clock at which due deliveries are checked, even if no delivery is known. */
  readonly nextPollMonotonicMs: number
}

export type NextStep =
  /** Start an attempt: `due` for a due delivery, or for the next event if no delivery is due; `event` for an event. */
  | { readonly step: 'send'; readonly from: 'due' | 'event' }
  /**
   * Wait for this duration, unless the sender is woken. It is not an instant, because either clock can end the wait.
   */
  | { readonly step: 'wait'; readonly waitMs: number }
  /** Every permit is taken. The end of an attempt wakes the sender. */
  | { readonly step: 'idle' }
  | { readonly step: 'stop' }

/** The state of a new sender, which first checks for due deliveries. */
export const initialState: SenderState = {
  isStopped: false,
  inFlight: 0,
  failures: 0n,
  resumeAtMonotonicMs: 0,
  nextDueMs: 0,
  nextPollMonotonicMs: 0,
}

/**
 * Returns what a sender does next: due retries first, then events. A receiver that keeps failing gets one attempt at a
 * time. `mayHaveEvents` is whether there may be events that the webhook has not been sent.
 */
export function nextStep(
  state: SenderState & { readonly mayHaveEvents: boolean },
  { nowMs, monotonicMs }: Instants,
): NextStep {
  const { isStopped, inFlight, failures, resumeAtMonotonicMs, nextDueMs, nextPollMonotonicMs } = state
  if (isStopped) return { step: 'stop' }
  if (monotonicMs < resumeAtMonotonicMs) return { step: 'wait', waitMs: resumeAtMonotonicMs - monotonicMs }
  if (inFlight >= (pauseMs(failures) > 0 ? 1 : IN_FLIGHT_MAX)) return { step: 'idle' }
  if (nowMs >= nextDueMs || monotonicMs >= nextPollMonotonicMs) return { step: 'send', from: 'due' }
  if (state.mayHaveEvents) return { step: 'send', from: 'event' }
  return { step: 'wait', waitMs: Math.min(nextDueMs - nowMs, nextPollMonotonicMs - monotonicMs) }
}

/** Returns the state of a stopped sender, which starts no more attempts. */
export function withStop(state: SenderState): SenderState {
  return { ...state, isStopped: true }
}

/**
 * Returns the state with the failures that the store has counted for the receiver. `receiver` is undefined if the
 * webhook was disabled or deleted, or if another process has its lease; the sender is then stopped.
 */
export function withReceiver(
  state: SenderState,
  receiver: { readonly failures: bigint } | undefined,
): SenderState {
  if (!receiver) return withStop(state)
  // While attempts are in progress, this process may have counted failures that are not stored yet.
  return state.inFlight === 0 ? { ...state, failures: receiver.failures } : state
}

/**
 * Returns the state at the start of a check for due deliveries. Unless a delivery is then added with `withDue`, the
 * next check is the next poll.
 */
export function withDueRead(state: SenderState, { monotonicMs }: Pick<Instants, 'monotonicMs'>): SenderState {
  return {
    ...state,
    nextDueMs: Number.POSITIVE_INFINITY,
    nextPollMonotonicMs: monotonicMs + POLL_MS,
  }
}

/** Returns the state with another delivery, which is due at this instant of the wall clock. */
export function withDue(state: SenderState, dueMs: number): SenderState {
  return { ...state, nextDueMs: Math.min(state.nextDueMs, dueMs) }
}

/** Returns the state after an attempt has taken a permit. */
export function withAttemptStarted(state: SenderState): SenderState {
  return { ...state, inFlight: state.inFlight + 1 }
}

/** Returns the state after an attempt has released its permit. */
export function withAttemptEnded(state: SenderState): SenderState {
  return { ...state, inFlight: state.inFlight - 1 }
}

/** Returns the state with a pause of `pauseMs`, or with the earlier pause if that one ends later. */
export function withPause(
  state: SenderState,
  pauseMs: number,
  { monotonicMs }: Pick<Instants, 'monotonicMs'>,
): SenderState {
  return { ...state, resumeAtMonotonicMs: Math.max(state.resumeAtMonotonicMs, monotonicMs + pauseMs) }
}

/**
 * Returns the state after the result of an attempt. A success resets the failures and ends the pause. A failure is
 * counted, and may begin a pause. A request that was not sent changes nothing.
 */
export function withResult(
  state: SenderState,
  result: Pick<AttemptResult, 'status' | 'retryAfter' | 'unsent'> & { readonly isDelivered: boolean },
  now: Instants,
): SenderState {
  const { status, retryAfter, unsent, isDelivered } = result
  if (unsent) return state
  if (isDelivered) return { ...state, failures: 0n, resumeAtMonotonicMs: 0 }
  const failures = state.failures + 1n
  const requestedMs = status === 429 || status === 503 ? requestedDelayMs(retryAfter, now.nowMs) : 0
  return withPause({ ...state, failures }, pauseMs(failures, requestedMs), now)
}
