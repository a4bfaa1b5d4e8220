import { errorTable, isErrorCode } from '../../src/contract/error.ts'
import { ErrorBody } from '../../src/contract/error-schema.ts'
import { parseJson } from '../../src/values/json.ts'

/** One hostile request, byte for byte, and its only correct response. */
export interface HostileCase {
  readonly name: string
  /** The request line and header fields, one byte per character; `{key}` and similar names are replaced. */
  readonly head: string
  readonly body?: string | Uint8Array | undefined
  /** Whether the client closes its side of the connection after it has sent everything. */
  readonly ends?: true
  /**
   * The response: `400 malformed_json`, `422 validation_failed: /name too_long`, a status if there is no Error body, or
   * `closed` if there is no response.
   */
  readonly expected: string
  /** A part of the text of the response. */
  readonly contains?: string
  /** The header fields of the response; null for a field that must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** The name that the created resource must have, in the response and then at its Location. */
  readonly createdName?: string
  readonly withinMs?: number
}

export interface HttpCaseOptions extends Omit<HostileCase, 'name' | 'head' | 'expected' | 'headers'> {
  /** The header fields of the request; null removes a default field. */
  readonly requestHeaders?: Readonly<Record<string, string | null>>
  readonly responseHeaders?: HostileCase['headers']
}

/** Returns a case that is valid HTTP, with the admin key: `httpCase('limit 0', 'GET /pets?limit=0', '400 ...')`. */
export function httpCase(
  name: string,
  line: string,
  expected: string,
  options: HttpCaseOptions = {},
): HostileCase {
  const { requestHeaders = {}, responseHeaders, body, ...rest } = options
  const fields = {
    Host: 'store',
    Connection: 'close',
    'X-Request-Id': '{id}',
    Authorization: 'Bearer {key}',
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...requestHeaders,
  }
  const lines = Object.entries(fields).flatMap(([field, value]) =>
    value === null ? [] : [`${field}: ${value}`],
  )
  const head = [`${line} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  return {
    name,
    head,
    expected,
    ...rest,
    ...(body !== undefined && { body }),
    ...(responseHeaders && { headers: responseHeaders }),
  }
}

export interface HostileResponse {
  /** The status; 0 if the connection was closed without a response. */
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const RESPONSE_TIMEOUT_MS = 60_000

/** Writes bytes to a new connection, reads until the server closes it, and returns the response. */
export async function sendBytes(port: number, bytes: Uint8Array, ends = false): Promise<HostileResponse> {
  const closed = Promise.withResolvers<void>()
  const chunks: Uint8Array[] = []
  let sent = 0
  const write = (socket: Bun.Socket): void => {
    while (sent < bytes.length) {
      const written = socket.write(bytes.subarray(sent))
      if (written <= 0) return
      sent += written
    }
    if (ends) socket.end()
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: write,
      drain: write,
      data: (_, chunk) => void chunks.push(Uint8Array.from(chunk)),
      close: () => closed.resolve(),
      error: (_, error) => closed.reject(error),
    },
  })
  const guard = setTimeout(
    () => closed.reject(new Error('the server kept the connection open')),
    RESPONSE_TIMEOUT_MS,
  )
  try {
    await closed.promise
  } finally {
    clearTimeout(guard)
    socket.terminate()
  }
  return parseResponse(Buffer.concat(chunks))
}

/** Returns a response in the notation of `HostileCase.expected`. Throws if an Error body violates a general rule. */
export function shortOf({ status, headers, text }: HostileResponse): string {
  if (status === 0) return 'closed'
  if (status < 400 || text === '') return String(status)
  const value = parseJson(text)
  const members = typeof value === 'object' && value !== null ? { ...value, status: BigInt(status) } : {}
  const { code, message, errors = [] } = ErrorBody.parse(members)
  if (!text.includes(`"status":${status}`))
    throw new Error(`the status in the body is not ${status}: ${text}`)
  if (!isErrorCode(code) || errorTable[code].status !== status)
    throw new Error(`${code} does not belong to ${status}`)
  if (headers.get('content-type') !== 'application/json')
    throw new Error('the Content-Type of the Error body is not application/json')
  if (/ at .*:\d+:\d+|SELECT |INSERT |\.ts\b/.test(message)) throw new Error(`the message leaks: ${message}`)
  const places = errors.map(error => `${error.in === 'body' ? error.pointer : error.name} ${error.code}`)
  return places.length > 0 ? `${status} ${code}: ${places.join(', ')}` : `${status} ${code}`
}

function parseResponse(bytes: Buffer): HostileResponse {
  if (bytes.length === 0) return { status: 0, headers: new Headers(), text: '' }
  const end = bytes.indexOf('\r\n\r\n')
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]
  if (end < 0 || status === undefined)
    throw new Error(`this is not an HTTP response: ${bytes.toString('latin1')}`)
  const headers = new Headers()
  for (const field of fields)
    headers.append(field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1))
  const body = bytes.subarray(end + 4)
  return { status: Number(status), headers, text: new TextDecoder('utf-8', { fatal: true }).decode(body) }
}
