import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { type Incoming, post, RequestFailed } from '../../src/webhooks/request.ts'

const MIB = 1024 * 1024
/**
 * The maximum that a receiver can have sent when it is disconnected: the few bytes that were read, and the bytes that
 * the sockets of both ends buffer.
 */
const SENT_MAX_MIB = 24
const TIMEOUT_MS = 30_000

interface FloodOutcome {
  readonly outcome: Incoming | RequestFailed
  readonly sentBytes: number
}

/** Sends one request to a receiver that sends `head`, and then `repeated` for as long as the connection is open. */
async function flood(head: string, repeated: string): Promise<FloodOutcome> {
  let sentBytes = 0
  const receiver = createServer(socket => {
    const pump = (): void => {
      while (repeated !== '' && !socket.destroyed) {
        sentBytes += repeated.length
        if (!socket.write(repeated)) return
      }
    }
    socket.on('error', () => {})
    socket.on('drain', pump)
    socket.once('data', () => {
      socket.write(head)
      pump()
    })
  })
  const sockets = new Set<Socket>()
  receiver.on('connection', socket => sockets.add(socket))
  const port = await new Promise<number>(resolve => {
    receiver.listen(0, '127.0.0.1', () => {
      const address = receiver.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  const destination = {
    url: new URL(`http://127.0.0.1:${port}/hook`),
    addresses: ['127.0.0.1'],
  } as const
  const outcome = await post({ destination, headers: {}, body: '{}', timeoutMs: TIMEOUT_MS }).catch(error => {
    if (error instanceof RequestFailed) return error
    throw error
  })
  for (const socket of sockets) socket.destroy()
  receiver.close()
  return { outcome, sentBytes }
}

const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const floods = [
  {
    name: '100 Continue responses',
    head: '',
    repeated: 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500),
    expected: 'informational',
  },
  { name: '103 Early Hints responses', head: '', repeated: hint.repeat(500), expected: 'informational' },
  {
    name: 'header fields',
    head: ok,
    repeated: 'X-Any: b\r\n'.repeat(500),
    expected: 'HTTP',
  },
  { name: 'trailer fields', head: `${chunked}0\r\n`, repeated: 'X-Any: b\r\n'.repeat(500), expected: 200 },
  { name: 'one chunk extension', head: `${chunked}1;`, repeated: 'a'.repeat(5000), expected: 200 },
  {
    name: 'chunks of one byte with extensions',
    head: chunked,
    repeated: `1;${'a'.repeat(4000)}\r\nx\r\n`,
    expected: 200,
  },
  { name: 'a body without a length', head: `${ok}\r\n`, repeated: 'x'.repeat(4096), expected: 200 },
  {
    name: 'a body with a long length',
    head: `${ok}Content-Length: 99999999999\r\n\r\n`,
    repeated: 'x'.repeat(4096),
    expected: 200,
  },
  { name: 'a chunked body', head: chunked, repeated: `1000\r\n${'x'.repeat(4096)}\r\n`, expected: 200 },
]

for (const { name, head, repeated, expected } of floods) {
  test(`a receiver that sends ${name} without an end is disconnected after a bounded number of bytes`, async () => {
    const { outcome, sentBytes } = await flood(head, repeated)
    if (typeof expected === 'number') expect(outcome).toMatchObject({ status: expected })
    else expect(outcome).toBeInstanceOf(RequestFailed)
    if (outcome instanceof RequestFailed) expect(outcome.message).toContain(String(expected))
    expect(sentBytes).toBeLessThan(SENT_MAX_MIB * MIB)
  })
}

test('a few informational responses before the final one are not a failure', async () => {
  const final = 'HTTP/1.1 204 No Content\r\n\r\n'
  const { outcome } = await flood(`${hint.repeat(5)}${final}`, '')
  expect(outcome).toMatchObject({ status: 204 })
})
