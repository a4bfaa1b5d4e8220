import { backoffMs, retryAfterMs } from '../values/backoff.ts'
import type { Event, FeedEventType } from './api-types.ts'
import { ApiError, ConnectionError } from './errors.ts'
import { openStream, parseItem, SILENCE_MS, UnexpectedResponse } from './event-stream.ts'
import { type Connection, parameterText, targetOf } from './request.ts'
import { pause } from './send.ts'

/**
 * The delay before a reconnection, before randomization, unless the stream sets another delay (`retry:`). It doubles
 * with each failure.
 */
const RECONNECT_MS = 1000
const RECONNECT_MAX_MS = 30_000
/** The minimum for the delay that a stream sets (`retry:`), so that the clients do not flood the store. */
const RECONNECT_MIN_MS = 250
/** The maximum delay that a Retry-After header can cause. */
const RETRY_AFTER_MAX_MS = 600_000

export interface FollowOptions {
  /** The position after which to start: the `sequence` of the last handled event. Default: the current position. */
  readonly after?: bigint | number | string | undefined
  /** The types of the events to yield. Default: all types, including the types of later versions of the store. */
  readonly types?: readonly FeedEventType[] | undefined
  readonly signal?: AbortSignal | undefined
  /** The longest silence of the store before the client reconnects, in milliseconds; 45,000 by default. */
  readonly silenceMs?: number | undefined
  /** Called before each pause between two attempts, after a lost connection or a temporary refusal. */
  readonly onReconnect?: ((error: ApiError | ConnectionError, delayMs: number) => void) | undefined
}

/** Yields events until the signal is aborted: see `Client.followEvents`. */
export async function* follow(
  connection: Connection,
  options: FollowOptions = {},
): AsyncGenerator<Event, void> {
  const { signal, silenceMs = SILENCE_MS } = options
  if (!(silenceMs > 0)) throw new RangeError('silenceMs must be greater than 0.')
  let position = options.after === undefined ? undefined : positionOf(options.after)
  const target = targetOf({ path: '/events/stream', query: ['type'] }, { type: options.types })
  let reconnectMs = RECONNECT_MS
  let failures = 0
  while (!signal?.aborted) {
    let failure: ApiError | ConnectionError
    try {
      for await (const part of openStream(connection, { target, position, signal, silenceMs })) {
        if (signal?.aborted) return
        if (part.kind === 'retry') {
          reconnectMs = Math.min(Math.max(part.ms, RECONNECT_MIN_MS), RECONNECT_MAX_MS)
          continue
        }
        failures = 0
        // Safe: the store sends events. A type of a later version is passed on, as the documentation says.
        if (part.kind === 'event') yield parseItem(part.data) as Event
        else if (POSITION.test(part.id)) position = part.id
        else throw new ConnectionError('The stream has an id that is not a position.')
      }
      failure = new ConnectionError('The stream ended.')
    } catch (error) {
      if (signal?.aborted) return
      if (!isTemporary(error)) throw error
      failure = error
    }
    const demandedMs =
      failure instanceof ApiError ? retryAfterMs(failure.headers.get('retry-after'), Date.now()) : undefined
    const pauseMs = backoffMs(reconnectMs, failures++, RECONNECT_MAX_MS)
    // Half of the delay is random, so that the clients of a store that restarts do not all return in the same instant.
    const delayMs = Math.min(demandedMs ?? 0, RETRY_AFTER_MAX_MS) + pauseMs * (0.5 + Math.random() / 2)
    options.onReconnect?.(failure, delayMs)
    await pause(delayMs, signal)
  }
}

const POSITION = /^\d{1,19}$/

/** Returns a position as text. Throws RangeError if it is not 1 to 19 digits, or is a number that may be rounded. */
function positionOf(position: bigint | number | string): string {
  const text = parameterText(position, 'after')
  if (POSITION.test(text)) return text
  throw new RangeError('after must be the sequence of an event.')
}

/** Returns whether a later attempt may succeed: after a lost connection, a rate limit or a failure of the server. */
function isTemporary(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return !(error instanceof UnexpectedResponse)
  return error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408)
}
