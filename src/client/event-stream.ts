import { parseJson } from '../values/json.ts'
import { ApiError, ConnectionError } from './errors.ts'
import { type Connection, requestHeaders } from './request.ts'
import { apiErrorFrom } from './response.ts'
import { messageOf, readBody, TIMER_MS_MAX } from './send.ts'

/** One parsed part of a stream of server-sent events. */
type StreamPart =
  | { readonly kind: 'event'; readonly data: string }
  /** The position to resume from. It is sent with each event, and may also be sent without an event. */
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'retry'; readonly ms: number }

/** The maximum length of one event, which is far more than the store sends. */
const EVENT_CHARS_MAX = 4 * 1024 * 1024

/**
 * Yields the parts of a stream of server-sent events (WHATWG HTML, section 9.2.6) until the stream ends. Throws
 * ConnectionError for an event that is too long.
 */
export async function* readEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamPart> {
  let data: string[] = []
  let chars = 0
  let id: string | undefined
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      // The id is yielded after the data, because a position must never be ahead of the events that were handled.
      if (data.length > 0) yield { kind: 'event', data: data.join('\n') }
      if (id !== undefined) yield { kind: 'id', id }
      data = []
      chars = 0
      id = undefined
      continue
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') {
      data.push(value)
      chars += value.length
      if (chars > EVENT_CHARS_MAX) throw tooLong()
    } else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) yield { kind: 'retry', ms: Number(value) }
  }
}

/**
 * Yields the lines of a stream, which end with CR LF, LF or CR. A last line without an end is not yielded. Throws
 * ConnectionError if a line that arrives in several chunks is too long.
 */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let chars = 0
  let isAfterCr = false
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    if (isAfterCr && text.startsWith('\n')) text = text.slice(1)
    isAfterCr = text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    // Only the new text is searched, because a long line may arrive in many chunks.
    parts.push(first)
    chars += first.length
    if (chars > EVENT_CHARS_MAX) throw tooLong()
    if (others.length === 0) continue
    yield parts.join('')
    const last = others.pop() ?? ''
    yield* others
    parts = [last]
    chars = last.length
  }
}

function tooLong(): ConnectionError {
  return new ConnectionError(`The stream has an event of more than ${EVENT_CHARS_MAX} characters.`)
}

/** A server sends a comment every 15 s. A connection that is silent for three times as long is treated as lost. */
export const SILENCE_MS = 45_000

/**
 * Thrown for a response that is not a stream of events, so it does not come from a store. A new attempt would get the
 * same response.
 */
export class UnexpectedResponse extends ConnectionError {}

interface StreamOptions {
  /** The path and query under the base address. */
  readonly target: string
  /** The position after which to continue. */
  readonly position?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly silenceMs?: number | undefined
  /** Headers to add. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Connects, and yields the parts of the stream until it ends. Throws ApiError if the server refuses. Throws
 * ConnectionError if the connection fails, is silent for `silenceMs`, or has no stream of events.
 */
export async function* openStream(
  connection: Connection,
  options: StreamOptions,
): AsyncGenerator<StreamPart> {
  yield* readEventStream(chunksOfStream(connection, options))
}

/** Returns the item in the data of an event. Throws ConnectionError if it is not JSON. */
export function parseItem(data: string): object {
  try {
    // Safe: a server sends objects.
    return parseJson(data, Object.prototype) as object
  } catch (error) {
    throw new ConnectionError('The stream has an event that is not JSON.', error)
  }
}

async function* chunksOfStream(
  connection: Connection,
  { target, position, signal, silenceMs = SILENCE_MS, headers: added }: StreamOptions,
): AsyncGenerator<Uint8Array> {
  const headers = requestHeaders(connection, {
    Accept: 'text/event-stream',
    'Last-Event-ID': position,
    ...added,
  })
  const { base, fetch } = connection
  const aborter = new AbortController()
  const abort = (): void => aborter.abort()
  signal?.throwIfAborted()
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
      clearTimeout(timer)
      if (done) return
      // The time that the caller needs is no silence.
      yield value
      timer = setTimeout(abort, Math.min(silenceMs, TIMER_MS_MAX))
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ApiError || error instanceof ConnectionError) throw error
    throw new ConnectionError(`The stream was lost: ${messageOf(error)}`, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    aborter.abort()
  }
}
