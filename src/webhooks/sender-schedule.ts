import type { AttemptResult } from './attempt.ts'
import { backoffMs, retryAfterMs } from './retry.ts'

/** Maximum number of concurrent attempts to one receiver. */
const IN_FLIGHT_MAX = 4
/** How long a sender waits before it checks for due deliveries without being woken. */
const POLL_MS = 10_000

/** One instant on both clocks. */
export interface Instants {
  /** The wall clock, like the stored deliveries. It only decides which deliveries are due. */
  readonly nowMs: number
  /** The monotonic clock, which measures pauses and polls, because the wall clock may jump. */
  readonly monotonicMs: number
}

/** Everything that decides what a sender does next, except whether events are pending. */
export interface SenderState {
  /** Whether the sender was stopped or lost its lease. */
  readonly isStopped: boolean
  /** Attempts that have a permit. */
  readonly inFlight: number
  /** Consecutive failed attempts of the receiver. */
  readonly failures: bigint
  /** No attempt starts before this instant of the monotonic clock. */
  readonly resumeAtMonotonicMs: number
  /** When the next known delivery is due, on the wall clock. */
  readonly nextDueMs: number
  /** When to check for due deliveries even if none is known, on the monotonic clock. */
  readonly nextPollMonotonicMs: number
}

export type NextStep =
  /** Start an attempt: of a due delivery or else of the next event (`due`), or only of the next event (`pending`). */
  | { readonly step: 'send'; readonly from: 'due' | 'pending' }
  /** Nothing to do for this duration, unless the sender is woken. It is no instant, because either clock can end it. */
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
 * Decides what a sender does next: due retries first, then events. A receiver that keeps failing gets one attempt at a
 * time. `mayHavePending`: events may exist that the webhook has not been sent.
 */
export function nextStep(
  state: SenderState & { readonly mayHavePending: boolean },
  { nowMs, monotonicMs }: Instants,
): NextStep {
  const { isStopped, inFlight, failures, resumeAtMonotonicMs, nextDueMs, nextPollMonotonicMs } = state
  if (isStopped) return { step: 'stop' }
  if (monotonicMs < resumeAtMonotonicMs) return { step: 'wait', waitMs: resumeAtMonotonicMs - monotonicMs }
  if (inFlight >= (backoffMs(failures) > 0 ? 1 : IN_FLIGHT_MAX)) return { step: 'idle' }
  if (nowMs >= nextDueMs || monotonicMs >= nextPollMonotonicMs) return { step: 'send', from: 'due' }
  if (state.mayHavePending) return { step: 'send', from: 'pending' }
  return { step: 'wait', waitMs: Math.min(nextDueMs - nowMs, nextPollMonotonicMs - monotonicMs) }
}

/** Stops the sender, so that it starts no more attempts. */
export function withStop(state: SenderState): SenderState {
  return { ...state, isStopped: true }
}

/**
 * Takes over the failures that the store has counted for the receiver. `receiver` is undefined if the webhook was
 * disabled or deleted, or if another process has its lease.
 */
export function withReceiver(
  state: SenderState,
  receiver: { readonly failures: bigint } | undefined,
): SenderState {
  if (!receiver) return withStop(state)
  // While attempts are in progress, this process may have counted failures that are not stored yet.
  return state.inFlight === 0 ? { ...state, failures: receiver.failures } : state
}

/** Begins a read of the due deliveries. Unless it reports one (`withDue`), the next read is a poll. */
export function withDueRead(state: SenderState, { monotonicMs }: Pick<Instants, 'monotonicMs'>): SenderState {
  return {
    ...state,
    nextDueMs: Number.POSITIVE_INFINITY,
    nextPollMonotonicMs: monotonicMs + POLL_MS,
  }
}

/** Adds a delivery that is due at this instant of the wall clock. */
export function withDue(state: SenderState, dueMs: number): SenderState {
  return { ...state, nextDueMs: Math.min(state.nextDueMs, dueMs) }
}

/** Takes a permit for an attempt. */
export function withAttemptStarted(state: SenderState): SenderState {
  return { ...state, inFlight: state.inFlight + 1 }
}

/** Releases the permit of an attempt. */
export function withAttemptEnded(state: SenderState): SenderState {
  return { ...state, inFlight: state.inFlight - 1 }
}

/** Pauses for `pauseMs`, or until the end of an earlier pause if that is later. */
export function withPause(
  state: SenderState,
  pauseMs: number,
  { monotonicMs }: Pick<Instants, 'monotonicMs'>,
): SenderState {
  return { ...state, resumeAtMonotonicMs: Math.max(state.resumeAtMonotonicMs, monotonicMs + pauseMs) }
}

/** Adjusts the pauses for the receiver to the result of an attempt. */
export function withResult(
  state: SenderState,
  result: Pick<AttemptResult, 'status' | 'retryAfter' | 'unsent'> & { readonly isDelivered: boolean },
  now: Instants,
): SenderState {
  const { status, retryAfter, unsent, isDelivered } = result
  if (unsent) return state
  if (isDelivered) return { ...state, failures: 0n, resumeAtMonotonicMs: 0 }
  const failures = state.failures + 1n
  const requestedMs = status === 429 || status === 503 ? retryAfterMs(retryAfter, now.nowMs) : 0
  return withPause({ ...state, failures }, backoffMs(failures, requestedMs), now)
}
