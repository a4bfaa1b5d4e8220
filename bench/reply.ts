const HEAD_END = Buffer.from('\r\n\r\n')
/** Field names are case-insensitive: Bun sends Content-Length, Fastify content-length. */
const LENGTH_FIELD = /\r\ncontent-length: /i
const STATUS_AT = 'HTTP/1.1 '.length
const DIGIT_ZERO = 48

/** Finds the end of replies that arrive one at a time on one connection. The fast path copies nothing. */
export class ReplyReader {
  #partial: Buffer | undefined
  /** Content-Length as the first reply spells it. All replies of a server spell it alike, and a byte search is fast. */
  #lengthField: Buffer | undefined

  /**
   * Adds received bytes. Returns the reply once its last byte has arrived; undefined until then. Its text must be read
   * before the next chunk arrives, because the runtime may reuse the memory. Throws if Content-Length is missing, or if
   * more bytes follow the reply.
   */
  take(chunk: Buffer): { readonly status: number; readonly bytes: Buffer } | undefined {
    const bytes = this.#partial ? Buffer.concat([this.#partial, chunk]) : chunk
    const headEnd = bytes.indexOf(HEAD_END)
    const total = headEnd < 0 ? 0 : headEnd + HEAD_END.length + this.#contentLength(bytes, headEnd)
    if (headEnd < 0 || bytes.length < total) {
      // The bytes are copied, because the runtime may reuse their memory.
      this.#partial = Buffer.from(bytes)
      return undefined
    }
    if (bytes.length > total) throw new Error('bytes follow the end of the reply')
    this.#partial = undefined
    return { status: readNumber(bytes, STATUS_AT), bytes }
  }

  #contentLength(bytes: Buffer, headEnd: number): number {
    this.#lengthField ??= Buffer.from(LENGTH_FIELD.exec(bytes.toString('latin1'))?.[0] ?? '\0')
    const at = bytes.indexOf(this.#lengthField)
    if (at < 0 || at > headEnd) throw new Error(`a reply without Content-Length: ${bytes.toString('utf8')}`)
    return readNumber(bytes, at + this.#lengthField.length)
  }
}

/** Returns the number whose digits begin at an index. */
function readNumber(bytes: Buffer, start: number): number {
  let value = 0
  for (let at = start; ; at++) {
    const digit = (bytes[at] ?? 0) - DIGIT_ZERO
    if (digit < 0 || digit > 9) return value
    value = value * 10 + digit
  }
}

/** Requests a target, with more header lines, and returns the reply as text, as it was received. */
export async function rawGet(port: number, target: string, headers = ''): Promise<string> {
  const whole = Promise.withResolvers<string>()
  const reader = new ReplyReader()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, chunk) => {
        const reply = reader.take(chunk)
        if (reply) whole.resolve(reply.bytes.toString('utf8'))
      },
      close: () => whole.reject(new Error(`port ${port} closed the connection`)),
    },
  })
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\n${headers}\r\n`,
  )
  const text = await whole.promise
  socket.end()
  return text
}

/** Splits a reply into the lines of its head and its body. */
export function partsOf(reply: string): { statusLine: string; fields: string[]; body: string } {
  const [head = '', body = ''] = reply.split('\r\n\r\n')
  const [statusLine = '', ...fields] = head.split('\r\n')
  return { statusLine, fields, body }
}

/** Throws unless two replies have the same bytes, in any order of the fields, except values that vary per request. */
export function assertSame(one: string, other: string): void {
  const comparable = (reply: string): string => {
    const { statusLine, fields, body } = partsOf(reply)
    const blank = (value: string): string => 'x'.repeat(value.length)
    const fixed = fields.map(field => field.replace(/(?<=^(Date|X-Request-Id|RateLimit): ).*/, blank))
    return [statusLine, ...fixed.toSorted(), '', body].join('\n')
  }
  if (comparable(one) !== comparable(other)) throw new Error(`two replies differ:\n${one}\n\n${other}`)
}
