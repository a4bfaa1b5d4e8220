const HEAD_END = Buffer.from('\r\n\r\n')
/**
 * The pattern of Content-Length. Field names are case-insensitive: Bun sends Content-Length, Fastify content-length.
 */
const LENGTH_FIELD = /\r\ncontent-length: /i
const STATUS_AT = 'HTTP/1.1 '.length
const DIGIT_ZERO = 48
/** A reply with this status has no body, and may have no Content-Length (RFC 9110, section 15.4.5). */
const NOT_MODIFIED = 304

/** One complete reply. Only the parts that the load generator checks are parsed. */
export interface WholeReply {
  readonly status: number
  readonly bodyBytes: number
  /** Returns head and body as received. Call this before the next chunk arrives: the runtime may reuse the memory. */
  text(): string
}

/** Finds the end of replies that arrive one at a time on one connection. The fast path copies nothing. */
export class ReplyReader {
  #partial: Buffer | undefined
  /** Content-Length as the first reply spells it. All replies of a server spell it alike, and a byte search is fast. */
  #lengthField: Buffer | undefined

  /**
   * Adds received bytes. Returns the reply once its last byte has arrived; undefined until then. Throws if
   * Content-Length is missing, or if more bytes follow the reply.
   */
  take(chunk: Buffer): WholeReply | undefined {
    const bytes = this.#partial ? Buffer.concat([this.#partial, chunk]) : chunk
    const headEnd = bytes.indexOf(HEAD_END)
    const digit = (index: number): number => (bytes[STATUS_AT + index] ?? 0) - DIGIT_ZERO
    const status = digit(0) * 100 + digit(1) * 10 + digit(2)
    const bodyBytes = headEnd < 0 || status === NOT_MODIFIED ? 0 : this.#contentLength(bytes, headEnd)
    const total = headEnd + HEAD_END.length + bodyBytes
    if (headEnd < 0 || bytes.length < total) {
      // The bytes are copied, because the runtime may reuse their memory.
      this.#partial = Buffer.from(bytes)
      return undefined
    }
    if (bytes.length > total) throw new Error('bytes follow the end of the reply')
    this.#partial = undefined
    return {
      status,
      bodyBytes,
      text: () => bytes.toString('utf8'),
    }
  }

  #contentLength(bytes: Buffer, headEnd: number): number {
    const field = this.#lengthField ?? lengthField(bytes)
    this.#lengthField = field
    const at = bytes.indexOf(field)
    if (at < 0 || at > headEnd) throw withoutLength(bytes)
    let length = 0
    for (let index = at + field.length; index < headEnd; index++) {
      const digit = (bytes[index] ?? 0) - DIGIT_ZERO
      if (digit < 0 || digit > 9) break
      length = length * 10 + digit
    }
    return length
  }
}

function lengthField(bytes: Buffer): Buffer {
  const [field] = LENGTH_FIELD.exec(bytes.toString('latin1')) ?? []
  if (field === undefined) throw withoutLength(bytes)
  return Buffer.from(field)
}

function withoutLength(bytes: Buffer): Error {
  return new Error(`a reply without Content-Length: ${bytes.toString('utf8')}`)
}
