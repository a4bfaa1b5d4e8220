import { ReplyReader } from './reply-reader.ts'

/** One reply as it was received; the names of header fields keep their case. */
export interface RawReply {
  readonly statusLine: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly headBytes: number
}

/** Requests a target and returns the whole reply. Throws if the connection fails or ends too early. */
export async function rawGet(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawReply> {
  const fields = Object.entries({ Host: `127.0.0.1:${port}`, Accept: 'application/json', ...headers })
  const head = [`GET ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  const whole = Promise.withResolvers<string>()
  const socket = await Bun.connect<ReplyReader>({
    hostname: '127.0.0.1',
    port,
    data: new ReplyReader(),
    socket: {
      open: opened => {
        opened.write(`${head.join('\r\n')}\r\n\r\n`)
      },
      data: ({ data }, chunk) => {
        try {
          const reply = data.take(chunk)
          if (reply) whole.resolve(reply.text())
        } catch (error) {
          whole.reject(error)
        }
      },
      close: () => whole.reject(new Error(`port ${port} closed the connection`)),
    },
  })
  const text = await whole.promise
  socket.end()
  const [received = '', body = ''] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = received.split('\r\n')
  const receivedHeaders = new Map(
    lines.map(field => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 2)]),
  )
  if (receivedHeaders.size !== lines.length) throw new Error(`a header field is duplicated: ${received}`)
  return { statusLine, headers: receivedHeaders, body, headBytes: Buffer.byteLength(received) }
}

/** Fields whose values differ between replies of one server, but not in length. */
const VARYING_FIELDS = ['Date', 'X-Request-Id', 'RateLimit']

/**
 * Throws unless two replies have the same status, field names, body and length of the head, and the same field values
 * except those of `VARYING_FIELDS`.
 */
export function assertSame(one: RawReply, other: RawReply): void {
  const names = [...one.headers.keys()].toSorted()
  const isSame =
    one.statusLine === other.statusLine &&
    one.body === other.body &&
    one.headBytes === other.headBytes &&
    names.join() === [...other.headers.keys()].toSorted().join() &&
    names.every(name => VARYING_FIELDS.includes(name) || one.headers.get(name) === other.headers.get(name))
  if (!isSame) throw new Error(`two replies differ:\n${describe(one)}\n\n${describe(other)}`)
}

function describe({ statusLine, headers, body }: RawReply): string {
  return [statusLine, ...[...headers].map(([name, value]) => `${name}: ${value}`), '', body].join('\n')
}
