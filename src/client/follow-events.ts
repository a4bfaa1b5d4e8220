import { parseJson } from '../values/json.ts'
import type { Event, FeedEventType } from './api-types.ts'
import { ApiError, ConnectionError } from './errors.ts'
import { readEventStream } from './event-stream.ts'
import { type Connection, parameterText, requestHeaders, targetOf } from './request.ts'
import { apiErrorFrom } from './response.ts'
import { retryAfterMs } from './retry.ts'
import { messageOf, pause, readBody, TIMER_MS_MAX } from './send.ts'

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
/** The store sends a comment every 15 s. A connection that is silent for three times as long is treated as lost. */
const SILENCE_MS = 45_000

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
  let reconnectMs = RECONNECT_MS
  let failures = 0
  while (!signal?.aborted) {
    let failure: ApiError | ConnectionError
    try {
      for await (const part of readEventStream(chunksOfStream(connection, position, options))) {
        if (signal?.aborted) return
        if (part.kind === 'retry') {
          reconnectMs = Math.min(Math.max(part.ms, RECONNECT_MIN_MS), RECONNECT_MAX_MS)
          continue
        }
        failures = 0
        if (part.kind === 'event') yield parseEvent(part.data)
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
    const backoffMs = Math.min(reconnectMs * 2 ** failures++, RECONNECT_MAX_MS)
    // Half of the delay is random, so that the clients of a store that restarts do not all return in the same instant.
    const delayMs = Math.min(demandedMs ?? 0, RETRY_AFTER_MAX_MS) + backoffMs * (0.5 + Math.random() / 2)
    options.onReconnect?.(failure, delayMs)
    await pause(delayMs, signal)
  }
}

const POSITION = /^\d{1,19}$/

/**
 * Thrown for a response that is not a stream of events, so it does not come from a store. A new attempt would get the
 * same response.
 */
class UnexpectedResponse extends ConnectionError {}

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

function parseEvent(data: string): Event {
  try {
    // Safe: the store sends events. A type of a later version is passed on, as the documentation says.
    return parseJson(data, Object.prototype) as unknown as Event
  } catch (error) {
    throw new ConnectionError('The stream has an event that is not JSON.', error)
  }
}

/**
 * Connects, and yields the chunks of the stream until it ends. Throws ApiError if the store refuses. Throws
 * ConnectionError if the connection fails, is silent for `silenceMs`, or has no stream of events.
 */
async function* chunksOfStream(
  connection: Connection,
  position: string | undefined,
  { types, signal, silenceMs = SILENCE_MS }: FollowOptions,
): AsyncGenerator<Uint8Array> {
  const target = targetOf({ path: '/events/stream', query: ['type'] }, { type: types })
  const headers = requestHeaders(connection, { Accept: 'text/event-stream', 'Last-Event-ID': position })
  const { base, fetch } = connection
  const aborter = new AbortController()
  const abort = (): void => aborter.abort()
  signal?.addEventListener('abort', abort)
  let timer = setTimeout(abort, Math.min(silenceMs, TIMER_MS_MAX))
  try {
    const response = await fetch(base + target, {
      headers,
      redirect: 'manual',
      cache: 'no-store',
      signal: aborter.signal,
    })
    if (response.status >= 400) throw apiErrorFrom(response, await readBody(response))
    const type = response.headers.get('content-type') ?? ''
    if (response.status !== 200 || !type.startsWith('text/event-stream') || !response.body) {
      throw new UnexpectedResponse(
        `The server responded with HTTP status ${response.status} and no stream of events.`,
      )
    }
    const reader = response.body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(abort, Math.min(silenceMs, TIMER_MS_MAX))
      yield value
    }
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionError) throw error
    throw new ConnectionError(`The stream was lost: ${messageOf(error)}`, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    aborter.abort()
  }
}
