import { parseJson } from '../model/json.ts'
import type { Event, FeedEventType } from './api-types.ts'
import { ApiError, ConnectionError } from './errors.ts'
import { readEventStream } from './event-stream.ts'
import type { Connection } from './request.ts'
import { apiErrorFrom } from './response.ts'
import { retryAfterMs } from './retry.ts'
import { messageOf, pause } from './send.ts'

/** The delay before a reconnection, unless the store demands another one. It doubles with each failure. */
const RETRY_MS = 1000
const RETRY_MAX_MS = 30_000
/** The store sends a comment every 15 s. */
const SILENCE_MS = 45_000

export interface FollowOptions {
  /** Start after this position: the `sequence` of the last handled event. Default: now. */
  readonly after?: bigint | number | string | undefined
  /** Only events with one of these types. Default: all, also types of later versions. */
  readonly types?: readonly FeedEventType[] | undefined
  readonly signal?: AbortSignal | undefined
  /** How long the store may be silent before the client reconnects, in milliseconds; 45,000 by default. */
  readonly silenceMs?: number | undefined
  /** Called when the connection is lost, with the delay until the next attempt. */
  readonly onReconnect?: ((error: ApiError | ConnectionError, delayMs: number) => void) | undefined
}

/** Follows the events without an end: see `Client.followEvents`. */
export async function* follow(
  connection: Connection,
  options: FollowOptions = {},
): AsyncGenerator<Event, void> {
  const { signal } = options
  let position = options.after === undefined ? undefined : String(options.after)
  let retryMs = RETRY_MS
  let failures = 0
  while (!signal?.aborted) {
    let failure: ApiError | ConnectionError
    try {
      for await (const part of readEventStream(connect(connection, position, options))) {
        failures = 0
        if (part.kind === 'retry') retryMs = Math.min(part.ms, RETRY_MAX_MS)
        else if (part.kind === 'id') position = part.id
        else yield eventIn(part.data)
      }
      failure = new ConnectionError('The stream ended.')
    } catch (error) {
      if (signal?.aborted) return
      if (!isTemporary(error)) throw error
      failure = error
    }
    const demandedMs =
      failure instanceof ApiError ? retryAfterMs(failure.headers.get('retry-after'), Date.now()) : undefined
    const backoffMs = Math.min(retryMs * 2 ** failures++, RETRY_MAX_MS)
    // Half of it is random: a thousand clients of a store that restarts must not return in the same instant.
    const delayMs = (demandedMs ?? 0) + backoffMs * (0.5 + Math.random() / 2)
    options.onReconnect?.(failure, delayMs)
    await pause(delayMs, signal)
  }
}

/** Whether a later attempt may succeed: a lost connection, a rate limit or a failure of the server. */
function isTemporary(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return true
  return error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408)
}

function eventIn(data: string): Event {
  try {
    // Safe: the store sends events. A type of a later version is passed on, as the documentation says.
    return parseJson(data, Object.prototype) as unknown as Event
  } catch (error) {
    throw new ConnectionError('The stream has an event that is not JSON.', error)
  }
}

/** Connects, and yields the chunks of the stream. Throws ConnectionError after `silenceMs` without a chunk. */
async function* connect(
  { base, key, fetch }: Connection,
  position: string | undefined,
  { types = [], signal, silenceMs = SILENCE_MS }: FollowOptions,
): AsyncGenerator<Uint8Array> {
  const query = types.map(type => `type=${encodeURIComponent(type)}`).join('&')
  const headers: Record<string, string> = { Accept: 'text/event-stream' }
  if (key !== undefined) headers.Authorization = `Bearer ${key}`
  if (position !== undefined) headers['Last-Event-ID'] = position
  const connection = new AbortController()
  const abort = (): void => connection.abort()
  signal?.addEventListener('abort', abort)
  let timer = setTimeout(abort, silenceMs)
  try {
    const response = await fetch(`${base}/events/stream${query && `?${query}`}`, {
      headers,
      redirect: 'manual',
      cache: 'no-store',
      signal: connection.signal,
    })
    if (!response.ok || !response.body) throw apiErrorFrom(response, await response.arrayBuffer())
    const reader = response.body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(abort, silenceMs)
      yield value
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ConnectionError(`The stream was lost: ${messageOf(error)}`, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    connection.abort()
  }
}
