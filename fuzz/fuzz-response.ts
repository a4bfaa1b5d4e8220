/** One response as received; the status is 0 if there was none, and `body` then says why. */
export interface FuzzResponse {
  readonly status: number
  /** By name in lower case; several values of one name are joined by commas. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export function noResponse(reason: string): FuzzResponse {
  return { status: 0, headers: new Map(), body: Buffer.from(reason) }
}

interface Head {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly bodyAt: number
}

/** Finds the end of the only response that a connection is waiting for (RFC 9112, section 6). */
export class ResponseReader {
  readonly #method: string
  #bytes: Buffer = Buffer.alloc(0)
  #head: Head | undefined

  constructor(method: string) {
    this.#method = method
  }

  /** Takes the received bytes; returns the response once its last byte has arrived. */
  take(chunk: Uint8Array): FuzzResponse | undefined {
    // The bytes belong to the runtime, which may use their memory again, so they are copied.
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    this.#head ??= readHead(this.#bytes)
    if (!this.#head) return undefined
    const { status, headers, bodyAt } = this.#head
    const body = this.#body(this.#bytes.subarray(bodyAt), this.#head)
    return body && { status, headers, body }
  }

  #body(bytes: Buffer, { status, headers }: Head): Buffer | undefined {
    if (this.#method === 'HEAD' || status === 204 || status === 304) return bytes
    if (headers.get('transfer-encoding') === 'chunked') return unchunked(bytes)
    const length = Number(headers.get('content-length') ?? 0)
    return bytes.length < length ? undefined : bytes
  }
}

function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = new Map<string, string>()
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    const value = field.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0), headers, bodyAt: end + 4 }
}

function unchunked(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, next - 2))
    at = next
  }
}
