/** One response as received. If no response could be read, the status is 0 and `body` says why. */
export interface FuzzResponse {
  readonly status: number
  /** The header fields, by name in lower case. Several values of one name are joined by commas. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export function noResponse(reason: string): FuzzResponse {
  return { status: 0, headers: new Map(), body: Buffer.from(reason) }
}

interface Head {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly bodyStart: number
}

/** Thrown for bytes that are not a response (RFC 9112), or that this reader does not support. */
class MalformedResponse extends Error {}

/**
 * Incrementally parses one HTTP/1.1 response (RFC 9112) and skips the interim (1xx) responses before it. Does not
 * support pipelining, trailers, or bodies that end with the connection.
 */
export class ResponseReader {
  readonly #method: string
  #bytes: Buffer = Buffer.alloc(0)
  #head: Head | undefined

  constructor(method: string) {
    this.#method = method
  }

  /**
   * Returns the response once its last byte has arrived, or `noResponse` as soon as a part is malformed; undefined
   * until then. `chunk` contains the bytes that have just arrived.
   */
  take(chunk: Uint8Array): FuzzResponse | undefined {
    // The bytes belong to the runtime, which may reuse the memory, so they are copied.
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    try {
      return this.#response()
    } catch (error) {
      if (error instanceof MalformedResponse) return noResponse(error.message)
      throw error
    }
  }

  #response(): FuzzResponse | undefined {
    this.#head ??= readHead(this.#bytes)
    while (this.#head && this.#head.status < 200) {
      this.#bytes = this.#bytes.subarray(this.#head.bodyStart)
      this.#head = readHead(this.#bytes)
    }
    if (!this.#head) return undefined
    const { status, headers, bodyStart } = this.#head
    const body = this.#body(this.#bytes.subarray(bodyStart), this.#head)
    return body && { status, headers, body }
  }

  /**
   * Returns the body, followed by any surplus bytes, which the checks of the body then report; undefined if the body is
   * incomplete.
   */
  #body(bytes: Buffer, { status, headers }: Head): Buffer | undefined {
    if (this.#method === 'HEAD' || status === 204 || status === 304) return bytes
    if (headers.get('transfer-encoding') === 'chunked') return decodeChunked(bytes)
    const length = headers.get('content-length') ?? '0'
    if (!/^\d+$/.test(length)) throw new MalformedResponse(`the Content-Length is ${length}`)
    return bytes.length < Number(length) ? undefined : bytes
  }
}

/** Returns the head of a response; undefined if its end has not arrived yet. */
function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = /^HTTP\/1\.1 ([1-9]\d\d)/.exec(line)?.[1]
  if (status === undefined) throw new MalformedResponse(`the status line is ${line}`)
  const headers = new Map<string, string>()
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    const value = field.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return { status: Number(status), headers, bodyStart: end + 4 }
}

/** Returns the decoded body, followed by any surplus bytes; undefined if the last chunk has not arrived yet. */
function decodeChunked(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let chunkStart = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', chunkStart)
    if (lineEnd < 0) return undefined
    const line = bytes.toString('latin1', chunkStart, lineEnd)
    const digits = /^([\da-f]{1,8})(?:;|$)/i.exec(line)?.[1]
    if (digits === undefined) throw new MalformedResponse(`the size of a chunk is ${line}`)
    const size = Number.parseInt(digits, 16)
    const next = lineEnd + 2 + size + 2
    if (bytes.length < next) return undefined
    if (bytes.toString('latin1', next - 2, next) !== '\r\n')
      throw new MalformedResponse(`no line end follows a chunk of ${size} bytes`)
    if (size === 0) return Buffer.concat([...chunks, bytes.subarray(next)])
    chunks.push(bytes.subarray(lineEnd + 2, next - 2))
    chunkStart = next
  }
}
