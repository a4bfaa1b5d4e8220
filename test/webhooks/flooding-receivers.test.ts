import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { type Incoming, post, RequestFailed } from '../../src/webhooks/request.ts'
import { unboundedPost } from '../controls/unbounded-post.ts'

const MIB = 1024 * 1024
/** The maximum that the sockets of both ends can buffer beyond the bytes that were read. */
const SENT_MAX_MIB = 24
const TIMEOUT_MS = 30_000

interface Flooded {
  readonly outcome: Incoming | RequestFailed
  readonly sentBytes: number
}

/** Sends one request to a receiver that sends `head`, and then `again` for as long as the connection is open. */
async function flood(head: string, again: string, send = post, timeoutMs = TIMEOUT_MS): Promise<Flooded> {
  let sentBytes = 0
  const receiver = createServer(socket => {
    const pump = (): void => {
      while (again !== '' && !socket.destroyed) {
        sentBytes += again.length
        if (!socket.write(again)) return
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
  const target = { url: new URL(`http://127.0.0.1:${port}/hook`), address: '127.0.0.1', family: 4 } as const
  const outcome = await send({ target, headers: {}, body: '{}', timeoutMs }).catch(error => {
    if (error instanceof RequestFailed) return error
    throw error
  })
  for (const socket of sockets) socket.destroy()
  receiver.close()
  return { outcome, sentBytes }
}

const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const floods = [
  {
    name: '100 Continue',
    head: '',
    again: 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500),
    ends: 'informational',
  },
  { name: '103 Early Hints', head: '', again: hint.repeat(500), ends: 'informational' },
  { name: 'header fields', head: 'HTTP/1.1 200 OK\r\n', again: 'X-Any: b\r\n'.repeat(500), ends: 'HTTP' },
  { name: 'trailer fields', head: `${chunked}0\r\n`, again: 'X-Any: b\r\n'.repeat(500), ends: 200 },
  { name: 'one chunk extension', head: `${chunked}1;`, again: 'a'.repeat(5000), ends: 200 },
  {
    name: 'chunks of one byte with extensions',
    head: chunked,
    again: `1;${'a'.repeat(4000)}\r\nx\r\n`,
    ends: 200,
  },
  { name: 'a body', head: chunked, again: `1000\r\n${'x'.repeat(4096)}\r\n`, ends: 200 },
]

for (const { name, head, again, ends } of floods) {
  test(`a receiver that floods ${name} is disconnected after a bounded number of bytes`, async () => {
    const { outcome, sentBytes } = await flood(head, again)
    if (typeof ends === 'number') expect(outcome).toMatchObject({ status: ends })
    else expect(outcome).toBeInstanceOf(RequestFailed)
    if (outcome instanceof RequestFailed) expect(outcome.message).toContain(String(ends))
    expect(sentBytes).toBeLessThan(SENT_MAX_MIB * MIB)
  }, 60_000)
}

test('a few informational responses before the final one are not a failure', async () => {
  const final = 'HTTP/1.1 204 No Content\r\n\r\n'
  const { outcome } = await flood(`${hint.repeat(5)}${final}`, '')
  expect(outcome).toMatchObject({ status: 204 })
}, 60_000)

test('control: a sender without a limit reads a flood until its deadline', async () => {
  const { sentBytes } = await flood('', hint.repeat(500), unboundedPost, 5000)
  expect(sentBytes / MIB).toBeGreaterThan(SENT_MAX_MIB)
})
