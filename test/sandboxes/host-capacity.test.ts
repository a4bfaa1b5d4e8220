import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { Admission } from '../../src/http/limits/admission.ts'
import { openSandboxHost, type TestHost, type TestSandbox } from '../support/sandbox-host.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { until } from '../support/until.ts'

const MIB = 1024 * 1024
/** The maximum number of bytes of bodies that arrive at once, of one sandbox. */
const BODY_BYTES_PER_SANDBOX = 16 * MIB
const LOG_STREAMS_PER_SANDBOX = 20
const LOG_STREAMS_PER_ADDRESS = 250
const WAIT_SECONDS = 20
/** The sandboxes that can be open at once, and those that wait for events. */
const OPEN = times(3, 200)
const WAITING = times(5, 210)

async function createSandboxes(host: TestHost, count: number): Promise<TestSandbox[]> {
  const sandboxes: TestSandbox[] = []
  for (let index = 0; index < count; index++) sandboxes.push(await host.create({ seed: 'demo' }))
  return sandboxes
}

/** Sends half of a body of 1 MiB, and returns its connection. */
async function sendHalfMib({ created: { baseUrl, adminKey } }: TestSandbox): Promise<Socket> {
  const { hostname, port, pathname } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  const head = [
    `POST ${pathname}/categories HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${adminKey}`,
    'Content-Type: application/json',
    `Content-Length: ${MIB}`,
  ]
  socket.on('error', () => socket.destroy())
  await new Promise<void>(resolve => {
    socket.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(MIB / 2)}`, () => resolve())
  })
  return socket
}

/** Reads the head of the next response. */
function firstLineOf(socket: Socket): Promise<string> {
  return new Promise(resolve => socket.once('data', data => resolve(data.toString().split('\r\n')[0] ?? '')))
}

test(
  'more sandboxes than can be open wait for events, and every other request gets its response',
  async () => {
    await using host = await openSandboxHost({ limits: { open: OPEN, createdPerHour: 1000 } })
    const sandboxes = await createSandboxes(host, WAITING)
    const answered = new Set<number>()
    const polls = sandboxes.map(async (sandbox, index) => {
      const head = (await sandbox.call('GET', '/events?limit=100&after=0')).headers.get('link') ?? ''
      const after = /after=(\d+)>; rel="next"/.exec(head)?.[1]
      const poll = await sandbox.call(
        'GET',
        `/events?after=${after}&type=petstore.order.placed&wait=${WAIT_SECONDS}`,
      )
      answered.add(index)
      return poll
    })
    for (let round = 0; round < 3; round++) {
      for (const sandbox of sandboxes) expect((await sandbox.call('GET', '/pets?limit=1')).status).toBe(200)
    }
    const counts: number[] = []
    for (let round = 0; round < 20; round++) {
      const reads = sandboxes.map(async sandbox => {
        expect((await sandbox.call('GET', '/pets?limit=1')).status).toBe(200)
        counts.push(host.host.counts.open)
      })
      await Promise.all(reads)
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(OPEN)
    const startedMs = performance.now()
    for (const sandbox of sandboxes) await sandbox.call('POST', '/store/orders', { body: { petId: 3 } })
    await Promise.all(polls)
    // A poll whose sandbox was closed meanwhile ends when the sandbox is opened again, not at the end of its time.
    expect(performance.now() - startedMs).toBeLessThan((WAIT_SECONDS * 1000) / 2)
    for (const poll of await Promise.all(polls)) expect(poll.status).toBe(200)
    const log = await Promise.all(sandboxes.map(sandbox => sandbox.callHost('GET', '/requests')))
    for (const { text } of log) expect(text).toContain(`wait=${WAIT_SECONDS}`)
    const summary = `${WAITING} sandboxes with a long poll each, ${OPEN} open: each other request got its response`
    recordSoak({ guarantee: 58, engine: 'sqlite', summary })
  },
  timeLimitMs(60_000),
)

test('control: if a request that waits keeps its sandbox open, requests to other sandboxes are refused', async () => {
  const waiting = Object.getOwnPropertyDescriptor(Admission.prototype, 'waiting')
  if (!waiting) throw new Error('Admission has no property waiting')
  Object.defineProperty(Admission.prototype, 'waiting', { get: () => 0 })
  try {
    await using host = await openSandboxHost({ limits: { open: 1 } })
    const [first, second] = await createSandboxes(host, 2)
    const poll = first?.call('GET', '/events?type=petstore.webhook.disabled&wait=8')
    await until('the sandbox is open', () => host.host.counts.open === 1)
    expect((await second?.call('GET', '/pets?limit=1'))?.status).toBe(503)
    await poll
  } finally {
    Object.defineProperty(Admission.prototype, 'waiting', waiting)
  }
}, 60_000)

test('a reset or a stop of the host ends the polls of a sandbox that was closed to make room', async () => {
  const host = await openSandboxHost({ limits: { open: 1 } })
  const [first, second] = await createSandboxes(host, 2)
  const poll = (sandbox: TestSandbox | undefined) =>
    sandbox?.call('GET', `/events?type=petstore.webhook.disabled&wait=${WAIT_SECONDS}`)
  const startedMs = performance.now()
  const polls = [poll(first)]
  await first?.call('GET', '/pets?limit=1')
  polls.push(poll(second))
  await second?.call('GET', '/pets?limit=1')
  await first?.callHost('POST', '/reset')
  expect((await polls[0])?.status).toBe(200)
  await host[Symbol.asyncDispose]()
  await polls[1]?.catch(() => {})
  expect(performance.now() - startedMs).toBeLessThan((WAIT_SECONDS * 1000) / 2)
}, 60_000)

test('sandboxes whose requests still send their bodies are closed to make room for others', async () => {
  await using host = await openSandboxHost({ limits: { open: 2 } })
  const sandboxes = await createSandboxes(host, 4)
  const sockets: Socket[] = []
  for (const sandbox of sandboxes) {
    sockets.push(await sendHalfMib(sandbox))
    expect((await sandbox.call('GET', '/pets?limit=1')).status).toBe(200)
  }
  const [late] = sockets
  const response = late && firstLineOf(late)
  late?.write(' '.repeat(MIB / 2))
  // The sandbox was closed meanwhile: the client may repeat the request.
  expect(await response).toMatch(/^HTTP\/1.1 (503|400)/)
  for (const socket of sockets) socket.destroy()
}, 60_000)

test('the bodies that arrive at one sandbox are bounded, and other sandboxes have a share of their own', async () => {
  await using host = await openSandboxHost()
  const [greedy, modest] = await createSandboxes(host, 2)
  if (!greedy || !modest) throw new Error('there is no sandbox')
  const sockets: Socket[] = []
  for (let bytes = 0; bytes < BODY_BYTES_PER_SANDBOX; bytes += MIB) sockets.push(await sendHalfMib(greedy))
  await until('no further body is accepted', async () => {
    const socket = await sendHalfMib(greedy)
    const refused = await Promise.race([firstLineOf(socket), Bun.sleep(2000)])
    socket.destroy()
    return refused === 'HTTP/1.1 503 Service Unavailable'
  })
  const large = { name: 'Large', description: 'x'.repeat(1900) }
  expect((await modest.call('POST', '/categories', { body: large })).status).toBe(201)
  const modestBody = await sendHalfMib(modest)
  const response = firstLineOf(modestBody)
  modestBody.write(' '.repeat(MIB / 2))
  expect(await response).toBe('HTTP/1.1 400 Bad Request')
  for (const socket of [...sockets, modestBody]) socket.destroy()
}, 60_000)

test('one address cannot take all streams of request logs, with however many sandboxes', async () => {
  await using host = await openSandboxHost({ trustedProxies: ['127.0.0.1'] })
  const count = Math.ceil(LOG_STREAMS_PER_ADDRESS / LOG_STREAMS_PER_SANDBOX) + 1
  const sandboxes = await createSandboxes(host, count)
  const stopped = new AbortController()
  const responses: Response[] = []
  const open = async ({ created: { id, adminKey } }: TestSandbox, address: string): Promise<number> => {
    const response = await fetch(`${host.base}/sandboxes/${id}/requests/stream`, {
      headers: { Authorization: `Bearer ${adminKey}`, 'X-Forwarded-For': address },
      signal: stopped.signal,
    })
    responses.push(response)
    return response.status
  }
  const last = sandboxes.pop()
  if (!last) throw new Error('there is no sandbox')
  for (const sandbox of sandboxes)
    for (let stream = 0; stream < LOG_STREAMS_PER_SANDBOX; stream++) await open(sandbox, '203.0.113.1')
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(LOG_STREAMS_PER_ADDRESS)
  // A stream that is refused because of its address takes none of the streams of the sandbox.
  for (let refused = 0; refused < LOG_STREAMS_PER_SANDBOX; refused++)
    expect(await open(last, '203.0.113.1')).toBe(503)
  expect(await open(last, '203.0.113.2')).toBe(200)
  stopped.abort()
}, 60_000)
