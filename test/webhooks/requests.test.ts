import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { gzipSync } from 'node:zlib'
import { checkAddress, type Resolve, resolveHost } from '../../src/webhooks/address.ts'
import { type Incoming, type Outgoing, post, RequestFailed } from '../../src/webhooks/request.ts'
import {
  certificate,
  deadPort,
  dripping,
  openHastyReceiver,
  openReceiver,
  type Receiver,
  type Responder,
  raw,
  redirect,
  reply,
  reset,
  silence,
} from '../support/receiver.ts'

const LOOPBACK = '127.0.0.1'
const HEAD = 'HTTP/1.1 200 OK\r\n'
const DEADLINE_MS = 300
/** How late a request may end after its deadline on a busy machine. */
const LATENESS_MAX_MS = 10_000
const hasIpv6 = Object.values(networkInterfaces()).some(found =>
  found?.some(({ address }) => address === '::1'),
)

/** Returns a request to a URL. If the host of the URL is a name, it resolves to this machine. */
async function outgoingTo(url: string, overrides: Partial<Outgoing> = {}): Promise<Outgoing> {
  const resolve: Resolve = async () => [LOOPBACK]
  const destination = await checkAddress(url, { allowPrivate: true, resolve })
  return { destination, headers: {}, body: '{}', timeoutMs: 5000, ...overrides }
}

async function send(url: string, overrides: Partial<Outgoing> = {}): Promise<Incoming> {
  return await post(await outgoingTo(url, overrides))
}

/** Returns the message with which a request fails. */
async function failureOf(url: string, overrides: Partial<Outgoing> = {}): Promise<string> {
  const outcome = await send(url, overrides).catch((error: unknown) => error)
  return outcome instanceof RequestFailed ? outcome.message : `did not fail: ${JSON.stringify(outcome)}`
}

/** Sends one request to a receiver with this response. Returns the response, once the connection is closed. */
async function incomingFrom(answer: Responder, overrides: Partial<Outgoing> = {}): Promise<Incoming> {
  await using receiver = await openReceiver(() => answer)
  const incoming = await send(receiver.base, overrides)
  await receiver.quiet()
  return incoming
}

/** Sends one request to a receiver with this response. Returns the message with which the request fails. */
async function failureFrom(answer: Responder, overrides: Partial<Outgoing> = {}): Promise<string> {
  await using receiver = await openReceiver(() => answer)
  const message = await failureOf(receiver.base, overrides)
  await receiver.quiet()
  return message.replace(`${LOOPBACK}:${receiver.port} `, '')
}

async function durationMs(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await run()
  return performance.now() - startMs
}

async function openTls(host: '127.0.0.1' | '::1' = LOOPBACK): Promise<Receiver> {
  return await openReceiver(() => reply(200, {}, 'over TLS'), { host, tls: true })
}

test('the body, the headers, the path and the host name arrive unchanged', async () => {
  await using receiver = await openReceiver()
  const headers = { 'Content-Type': 'application/json', 'Webhook-Id': 'msg_7', Host: 'other.example' }
  const url = `http://shop.example:${receiver.port}/hooks/pets?key=a%20b`
  expect(await send(url, { headers, body: '{"name":"Žofka"}' })).toEqual({ status: 204, reply: '' })
  const [request] = receiver.received
  expect(request).toMatchObject({ method: 'POST', path: '/hooks/pets?key=a%20b' })
  expect(request?.body.toString()).toBe('{"name":"Žofka"}')
  expect(request?.headers).toEqual({
    host: `shop.example:${receiver.port}`,
    'content-type': 'application/json',
    'webhook-id': 'msg_7',
    'content-length': '17',
    connection: 'close',
  })
})

test('over TLS a host name is sent as the SNI, without a trailing dot', async () => {
  await using receiver = await openTls()
  for (const host of ['shop.example', 'shop.example.']) {
    const url = `https://${host}:${receiver.port}/`
    expect(await send(url, { ca: certificate })).toEqual({ status: 200, reply: 'over TLS' })
    expect(receiver.received.at(-1)?.headers.host).toBe(`${host}:${receiver.port}`)
    expect(receiver.received.at(-1)?.serverName).toBe('shop.example')
  }
})

test('over TLS an IPv4 address is checked against the certificate, and no SNI is sent', async () => {
  await using receiver = await openTls()
  expect(await send(receiver.base, { ca: certificate })).toMatchObject({ status: 200 })
  expect(receiver.received[0]?.headers.host).toBe(`127.0.0.1:${receiver.port}`)
  expect(receiver.received[0]).not.toHaveProperty('serverName')
})

test.skipIf(!hasIpv6)(
  'an IPv6 address is in brackets in the Host header, and must be in the certificate',
  async () => {
    await using plain = await openReceiver(undefined, { host: '::1' })
    await using secure = await openTls('::1')
    expect(await send(plain.base)).toMatchObject({ status: 204 })
    expect(plain.received[0]?.headers.host).toBe(`[::1]:${plain.port}`)
    expect(await failureOf(secure.base, { ca: certificate })).toContain('has a certificate for another name')
    expect(secure.received).toEqual([])
  },
)

// The certificate names the address that is connected to, but not the host of the URL.
test('a receiver whose certificate has another name gets nothing', async () => {
  await using receiver = await openTls()
  const url = `https://other.example:${receiver.port}/`
  expect(await failureOf(url, { ca: certificate })).toBe(
    `other.example:${receiver.port} has a certificate for another name.`,
  )
  await receiver.quiet()
  expect([receiver.connections(), receiver.received.length]).toEqual([1, 0])
})

test('a receiver with an untrusted certificate, or without TLS behind an https URL, gets nothing', async () => {
  await using secure = await openTls()
  await using plain = await openReceiver(undefined, { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' })
  for (const receiver of [secure, plain]) {
    const message = await failureOf(`https://shop.example:${receiver.port}/`)
    expect(message).toContain('could not be reached over TLS')
    await receiver.quiet()
    expect(receiver.received).toEqual([])
  }
})

test('a redirect is a response, and is not followed', async () => {
  await using other = await openReceiver()
  for (const status of [301, 302, 303, 307, 308]) {
    expect(await incomingFrom(redirect(other.base, status))).toEqual({ status, reply: '' })
  }
  expect(other.connections()).toBe(0)
})

test('a proxy that is configured in the environment is not used', async () => {
  await using proxy = await openReceiver()
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']
  const before = { ...process.env }
  for (const name of names) process.env[name] = proxy.base
  try {
    await using plain = await openReceiver()
    await using secure = await openTls()
    await send(plain.base)
    await send(`https://shop.example:${secure.port}/`, { ca: certificate })
    expect([plain.connections(), secure.connections(), proxy.connections()]).toEqual([1, 1, 0])
  } finally {
    for (const name of names) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
})

test('each request has its own connection', async () => {
  await using receiver = await openReceiver(() => reply(200, { connection: 'keep-alive' }, 'stay'))
  for (let sent = 1; sent <= 3; sent += 1) {
    await send(receiver.base)
    await receiver.quiet()
    expect(receiver.connections()).toBe(sent)
  }
})

test('the status, the reply and Retry-After are returned', async () => {
  const answer = reply(429, { 'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT' }, 'a\0 little later')
  expect(await incomingFrom(answer)).toEqual({
    status: 429,
    retryAfter: 'Fri, 31 Dec 1999 23:59:59 GMT',
    reply: 'a little later',
  })
  expect(await incomingFrom(reply(503, { 'Retry-After': '120' }))).toMatchObject({ retryAfter: '120' })
})

test('the first 1 KiB of a reply is stored, up to a complete character', async () => {
  const { reply: kept } = await incomingFrom(reply(200, {}, '€'.repeat(1000)))
  expect(kept).toBe('€'.repeat(341))
  expect((await incomingFrom(reply(200, {}, 'x'.repeat(1024)))).reply).toHaveLength(1024)
  expect((await incomingFrom(reply(200, {}, 'x'.repeat(1025)))).reply).toHaveLength(1024)
})

test('a compressed reply is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const { reply: kept } = await incomingFrom(reply(200, { 'content-encoding': 'gzip' }, bomb))
  expect(kept.charCodeAt(0)).toBe(0x1f)
})

test('a reply is read up to 64 KiB, and what follows is not waited for', async () => {
  const partial = raw(`${HEAD}Content-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`)
  const ms = await durationMs(async () => {
    expect((await incomingFrom(partial, { timeoutMs: 15_000 })).reply).toBe('x'.repeat(1024))
  })
  expect(ms).toBeLessThan(LATENESS_MAX_MS)
})

test('a body that drips, stops, breaks or is cut off does not change the status', async () => {
  const cut = `${HEAD}Content-Length: 100\r\n\r\nab`
  const answers: readonly Responder[] = [
    dripping(`${HEAD}\r\n`, 20),
    dripping(`${HEAD}Content-Length: 100000\r\n\r\n`, 20),
    raw(cut),
    raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    socket => socket.end(cut),
    socket => socket.write(cut, () => socket.resetAndDestroy()),
  ]
  for (const answer of answers) {
    const ms = await durationMs(async () => {
      expect(await incomingFrom(answer, { timeoutMs: DEADLINE_MS })).toMatchObject({ status: 200 })
    })
    expect(ms).toBeLessThan(DEADLINE_MS + LATENESS_MAX_MS)
  }
  expect((await incomingFrom(raw(cut), { timeoutMs: DEADLINE_MS })).reply).toBe('ab')
})

test('a response head that drips or never arrives is a failure at the deadline', async () => {
  const answers: readonly Responder[] = [
    silence,
    dripping(`${HEAD}X-Slow: `, 20),
    raw('HTTP/1.1 100 Continue\r\n\r\n'),
  ]
  for (const answer of answers) {
    const ms = await durationMs(async () => {
      expect(await failureFrom(answer, { timeoutMs: DEADLINE_MS })).toBe(
        `did not respond within ${DEADLINE_MS} ms.`,
      )
    })
    expect(ms).toBeGreaterThanOrEqual(DEADLINE_MS - 20)
    expect(ms).toBeLessThan(DEADLINE_MS + LATENESS_MAX_MS)
  }
})

test('a TLS handshake without a response is a failure at the deadline', async () => {
  await using receiver = await openReceiver()
  const url = `https://shop.example:${receiver.port}/`
  expect(await failureOf(url, { timeoutMs: DEADLINE_MS })).toContain('did not respond within')
  await receiver.quiet()
})

test('a closed port, a reset, an upgrade and a response that is not HTTP are failures', async () => {
  expect(await failureOf(`http://shop.example:${await deadPort()}/`)).toMatch(
    /^shop\.example:\d+ refused the connection\.$/,
  )
  expect(await failureFrom(reset)).toBe('closed the connection before responding.')
  expect(await failureFrom(socket => socket.end())).toBe('closed the connection before responding.')
  expect(await failureFrom(raw('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'))).toBe(
    'sent no final response.',
  )
  expect(await failureFrom(raw('SSH-2.0-OpenSSH_9.9\r\n'))).toBe('did not respond with valid HTTP.')
  expect(await failureFrom(raw('HTTP/1.1 42 Few\r\n\r\n'))).toBe('did not respond with valid HTTP.')
})

test('a header with a line break is not sent, and no connection is made', async () => {
  await using receiver = await openReceiver()
  const headers = { 'X-Name': 'a\r\nX-Admin: 1' }
  const failing = await send(receiver.base, { headers }).catch((error: unknown) => error)
  expect(String(failing)).toContain('Invalid character in header')
  await send(receiver.base)
  expect(receiver.connections()).toBe(1)
})

test('a receiver that responds early and reads slowly does not get the rest of the body', async () => {
  const body = 'x'.repeat(20_000_000)
  await using hasty = await openHastyReceiver(`${HEAD}Content-Length: 0\r\n\r\n`)
  expect(await send(hasty.base, { body })).toEqual({ status: 200, reply: '' })
  expect(await hasty.readRest()).toBeLessThan(body.length)
})

test('hundreds of waiting requests do not delay another request', async () => {
  await using stuck = await openReceiver(() => silence)
  await using receiver = await openReceiver()
  const outgoing = await outgoingTo(stuck.base, { timeoutMs: 60_000 })
  const waiting = Array.from({ length: 300 }, () => post(outgoing).catch(() => 'failed'))
  await stuck.waitForRequests(300)
  expect(await send(receiver.base)).toMatchObject({ status: 204 })
  stuck.cutAll()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['failed']))
})

test.skipIf(!hasIpv6)(
  'a receiver that listens on ::1 alone, as localhost of some tools, gets the request',
  async () => {
    using receiver = Bun.serve({ hostname: '::1', port: 0, fetch: () => new Response(null, { status: 204 }) })
    const url = `http://localhost:${receiver.port}/hook`
    const send = async (resolve: Resolve) => {
      const destination = await checkAddress(url, { allowPrivate: true, resolve })
      return (await post({ destination, headers: {}, body: '{}', timeoutMs: 5000 })).status
    }
    expect(await send(async () => [LOOPBACK, '::1'])).toBe(204)
    // Some systems resolve localhost to 127.0.0.1 alone.
    if ((await resolveHost('localhost')).includes('::1')) expect(await send(resolveHost)).toBe(204)
  },
)

test('a receiver that got the request gets it once, and the first failure is reported', async () => {
  await using receiver = await openReceiver(() => reset)
  const url = new URL(receiver.base)
  const send = (addresses: string[]) =>
    post({ destination: { url, addresses }, headers: {}, body: '{}', timeoutMs: 5000 }).catch(error => error)
  expect((await send([LOOPBACK, LOOPBACK, LOOPBACK])).message).toContain('closed the connection')
  expect(receiver.connections()).toBe(1)
  url.port = `${await deadPort()}`
  expect((await send([LOOPBACK, LOOPBACK])).message).toBe(`${url.host} refused the connection.`)
})
