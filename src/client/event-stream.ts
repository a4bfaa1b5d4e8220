import { ConnectionError } from './errors.ts'

/** One parsed part of a stream of server-sent events. */
export type StreamPart =
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
