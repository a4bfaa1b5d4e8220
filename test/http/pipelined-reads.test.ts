import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { makePet } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'

const CONNECTIONS = 40
const READS = 8

/** Sends reads of a pet over one connection, without waiting for responses. Returns the number of responses. */
async function countResponses(base: string, path: string): Promise<number> {
  const { hostname, port } = new URL(base)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n`
  const last = `${request}Connection: close\r\n\r\n`
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${request}\r\n`.repeat(READS - 1) + last),
    )
    socket.setTimeout(20_000, () => socket.destroy(new Error('the connection is silent')))
    socket.on('data', chunk => {
      received += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })
  return text.split('HTTP/1.1 200 OK').length - 1
}

/** Returns the numbers of responses on many connections, which are used at the same time. */
function countOnAll(base: string, path: string): Promise<number[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => countResponses(base, path)))
}

const ALL = Array<number>(CONNECTIONS).fill(READS)

// The runtime closes a connection whose response is not ready at its next request, so a short read must be ready at
// once.
test.each(['on', 'off'] as const)(
  'pipelined reads of a pet on many connections all get a response, with the cache %s',
  async cache => {
    await using store = await openTestStore('sqlite', { cache })
    const { petId } = await makePet(store.client)
    const path = `/pets/${petId}`
    for (let round = 0; round < 3; round++) {
      expect(await countOnAll(store.base, path)).toEqual(ALL)
    }
  },
)

test('control: a server that responds in the next turn of the event loop loses pipelined reads', async () => {
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Promise<Response>(resolve => setImmediate(resolve, new Response('{}'))),
  })
  expect(await countOnAll(server.url.origin, '/pets/1')).not.toEqual(ALL)
})
