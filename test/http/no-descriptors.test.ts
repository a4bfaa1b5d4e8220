import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { startCommand } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

/** What the store makes, or loads modules for, at its first request. */
const LATE = ['/openapi.yaml', '/openapi-3.1.json', '/asyncapi.json', '/schemas/Pet.json', '/mcp']
const DESCRIPTORS = 64
const LIST_TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'
const HALF_REQUEST = 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n'

/** Sends one request on a connection. Returns its status once the whole head of the response is there. */
async function statusOf(socket: Socket, path: string): Promise<number> {
  const fields = `Host: 127.0.0.1\r\nAuthorization: Bearer ${ADMIN_KEY}\r\nAccept: */*, text/event-stream`
  const body = path === '/mcp' ? LIST_TOOLS : ''
  const method = path === '/mcp' ? 'POST' : 'GET'
  const content = `Content-Type: application/json\r\nContent-Length: ${body.length}`
  const reply = new Promise<string>(resolve => socket.once('data', data => resolve(data.toString('latin1'))))
  socket.write(`${method} ${path} HTTP/1.1\r\n${fields}\r\n${content}\r\n\r\n${body}`)
  return Number((await reply).split(' ')[1])
}

test.skipIf(process.platform !== 'linux')(
  'a store that had no file descriptor left for a moment serves all of its documents afterwards',
  async () => {
    await using place = await newStoreDirectory('sqlite')
    const main = [process.execPath, join(ROOT, 'src/main.ts'), 'serve', '--port', '0', ...place.args]
    await using server = await startCommand(
      ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$@"`, 'sh', ...main],
      place.env,
    )
    const port = Number(new URL(server.base).port)
    const open = () => connect(port, '127.0.0.1').on('error', () => {})
    const early = LATE.map(open)
    for (const socket of early) expect(await statusOf(socket, '/livez')).toBe(200)
    const idle = Array.from({ length: 70 }, () => open().setKeepAlive(true))
    for (const socket of idle) socket.write(HALF_REQUEST)
    const used = () => readdirSync(`/proc/${server.pid}/fd`).length
    await until('no descriptor is left', async () => used() === DESCRIPTORS)
    const failed = await Promise.all(early.map((socket, index) => statusOf(socket, LATE[index] ?? '')))
    expect(failed).toContain(500)
    for (const socket of [...idle, ...early]) socket.destroy()
    const statuses = async () => Promise.all(LATE.map(path => statusOf(open(), path)))
    expect(await statuses()).toEqual(LATE.map(() => 200))
  },
  30_000,
)
