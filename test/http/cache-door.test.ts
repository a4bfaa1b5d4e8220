import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import type { RepresentationCache } from '../../src/http/cache/representation-cache.ts'
import { Admission } from '../../src/http/limits/admission.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { RecordedCache } from '../support/recorded-cache.ts'
import { withReportsOnDemand } from '../support/row-reports.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY, openTestStore, type TestOptions, type TestStore } from '../support/store.ts'

/** The number of requests to one target: enough for at least two responses from the cache. */
const REPEATS = 4

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a request without a key, and returns the response without the headers that differ between requests. */
async function read(
  store: TestStore,
  target: string,
  method = 'GET',
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const response = await fetch(store.base + target, { method, headers })
  const { date: _, 'x-request-id': id, ...kept } = Object.fromEntries(response.headers)
  const given = headers['X-Request-Id']
  if (given === undefined ? !id : id !== given)
    throw new Error(`${target} has the request id ${id} instead of ${given ?? 'a new one'}`)
  // The port of the store is part of its URIs.
  const text = JSON.stringify(kept).replaceAll(store.base, 'http://store')
  return { status: response.status, headers: JSON.parse(text), body: await response.text() }
}

/** The headers of requests that may get different responses. */
const variations: readonly Readonly<Record<string, string>>[] = [
  {},
  { Accept: 'application/json' },
  { Accept: 'text/plain' },
  { Accept: 'application/json;q=0, */*' },
  { 'If-None-Match': '*' },
  { 'If-None-Match': '"other"' },
  { 'If-None-Match': 'no tag' },
  { 'If-Match': '"other"' },
  { Authorization: 'Bearer nonsense' },
  { Authorization: `Bearer ${ADMIN_KEY}` },
  { Origin: 'https://shop.example' },
  { Origin: 'https://other.example' },
  { 'X-Request-Id': 'mine-1' },
  { 'Petstore-Preview': 'store-summary' },
  { Host: 'shop.example' },
  { Host: 'shop.example/pets' },
  // Both are the host of the same URL, and only the first one is a valid Host.
  { Host: 'a%2Cb.example' },
  { Host: 'a,b.example' },
  { Host: 'shop.example', Range: 'bytes=0-1' },
  {},
]

test('every response of the cache is identical to the response of the pipeline', async () => {
  const options: TestOptions = {
    corsOrigins: ['https://shop.example'],
    rateLimit: { requests: 100_000, seconds: 3600 },
    // Otherwise the seconds in RateLimit depend on when the two stores were started.
    timer: () => 0,
  }
  await using store = await openTestStore('sqlite', options)
  await using plain = await openTestStore('sqlite', { ...options, cache: 'off' })
  for (const { client } of [store, plain]) await makePet(client, { quantity: 9n, reserved: 2n })
  const targets = [
    '/pets/1',
    '/pets?limit=1',
    '/pets/',
    '/%70ets/1',
    '/store/inventory/1',
    '/categories',
    '/pets/2',
  ]
  const different: string[] = []
  for (const target of targets) {
    await read(store, target)
    const { etag } = (await read(plain, target)).headers
    const current = etag === undefined ? {} : { 'If-None-Match': `"other", ${etag}` }
    for (const headers of [...variations, current]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE']) {
        for (let count = 0; count < REPEATS; count++) {
          const [received, expected] = [
            await read(store, target, method, headers),
            await read(plain, target, method, headers),
          ]
          if (!Bun.deepEquals(received, expected))
            different.push(
              `${method} ${target} ${JSON.stringify(headers)}: ${JSON.stringify([received, expected])}`,
            )
        }
      }
    }
  }
  expect(different).toEqual([])
  const metrics = await (await store.send('GET', '/metrics')).text()
  expect(Number(/result="hit"} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(100)
})

test('the log line of a read from the cache is that of the pipeline, whatever the address is', async () => {
  await using store = await openTestStore('sqlite', {
    trustedProxies: ['127.0.0.1'],
    rateLimit: 'off',
  })
  await makePet(store.client)
  for (const target of ['/pets/1', '/categories?limit=5']) await read(store, target)
  const addresses = ['203.0.113.9', '2001:db8::1', `fe80::1%${'z'.repeat(3000)}`, 'unknown host', '"']
  for (const address of addresses) {
    for (const target of ['/pets/1', '/categories?limit=5']) {
      const ids: string[] = []
      const from = store.logged.length
      for (let count = 0; count < REPEATS; count++) {
        const response = await fetch(store.base + target, { headers: { 'X-Forwarded-For': address } })
        ids.push(response.headers.get('X-Request-Id') ?? '')
      }
      const entries = store.logged.slice(from).map(({ fields }) => fields)
      expect(entries.map(({ requestId }) => requestId)).toEqual(ids)
      const shown = entries.map(entry => JSON.stringify({ ...entry, requestId: 0, ms: 0, time: 0 }))
      expect(new Set(shown).size).toBe(1)
      const [first] = entries
      expect(first).toMatchObject({ path: target.split('?')[0], status: 200 })
      // A read from the cache takes a part of a millisecond.
      expect(Math.min(...entries.map(({ ms }) => Number(ms)))).toBeLessThan(50)
      expect(Math.min(...entries.map(({ ms }) => Number(ms)))).toBeGreaterThan(0)
    }
  }
})

/** Sends a GET with exactly these lines after Host. Returns the head and the body of the response. */
function exchange(base: string, lines: readonly string[], target = '/pets/1'): Promise<string[]> {
  const { host, hostname, port } = new URL(base)
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  let received = ''
  const socket = connect(Number(port), hostname, () =>
    socket.write([`GET ${target} HTTP/1.1`, `Host: ${host}`, ...lines, '', ''].join('\r\n')),
  )
  socket.setTimeout(20_000, () => socket.destroy(new Error('the connection is silent')))
  socket.on('data', chunk => {
    received += chunk
    const [head = '', body] = received.split('\r\n\r\n')
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    if (body === undefined || body.length < length) return
    resolve([head, body])
    socket.destroy()
  })
  socket.on('error', reject)
  socket.on('close', () => reject(new Error(`the connection was closed after "${received}"`)))
  return promise
}

/** Returns everything in the response that a header may change, and the trace in the log. */
async function readWith(store: TestStore, lines: readonly string[]): Promise<string[]> {
  const [head = '', body = ''] = await exchange(store.base, lines)
  const same = head.replace(/^Date: .*$/im, '').replace(/^(x-request-id: )(?!mine).*$/im, '$1')
  const sorted = same.split('\r\n').sort().join('\n')
  return [sorted, body, String(store.logged.at(-1)?.fields.traceparent)].map(part =>
    part.replaceAll(store.base, 'http://store').replaceAll(/"requestId":"(?!mine)[^"]*"/g, ''),
  )
}

test('a read from the cache is identical to the response of the pipeline, whatever headers it has', async () => {
  const options: TestOptions = { corsOrigins: ['https://shop.example'], rateLimit: 'off' }
  await using store = await openTestStore('sqlite', options)
  await using plain = await openTestStore('sqlite', { ...options, cache: 'off' })
  for (const { client } of [store, plain]) await makePet(client)
  for (let count = 0; count < REPEATS; count++) await readWith(store, [])
  const neutral = ['Accept: */*', 'User-Agent: x', 'Accept-Encoding: gzip', 'Connection: keep-alive']
  const others = [
    'Authorization: Bearer nonsense',
    'If-None-Match: *',
    'If-Match: "other"',
    'Origin: https://shop.example',
    'X-Request-Id: mine-1',
    'Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'X-Unknown: 1',
  ]
  const ordinary = await readWith(plain, [])
  for (let subset = 0; subset < 2 ** neutral.length; subset++) {
    const lines = neutral.filter((_, index) => (subset >> index) % 2 === 1)
    for (const last of [[], ...others.map(line => [line])]) {
      const expected = await readWith(plain, [...lines, ...last])
      expect([lines, last, await readWith(store, [...lines, ...last])]).toEqual([lines, last, expected])
      const isOrdinary = last.length === 0 || last[0] === 'X-Unknown: 1'
      expect([last, Bun.deepEquals(expected, ordinary)]).toEqual([last, isOrdinary])
    }
  }
})

test('a target with a backslash, which the URL has as a slash, gets the response of its own route', async () => {
  await using store = await openTestStore('sqlite')
  await makePet(store.client)
  for (const target of ['/pets/1', '/pets'])
    for (let count = 0; count < REPEATS; count++) await read(store, target)
  for (const target of ['/pets/x\\..\\1', '/categories/..\\pets']) {
    const [head] = await exchange(store.base, [], target)
    expect(head).toStartWith('HTTP/1.1 400 ')
  }
})

test('a response for a page of another origin is not kept for other clients', async () => {
  await using store = await openTestStore('sqlite', { corsOrigins: ['https://shop.example'] })
  await makePet(store.client)
  const origins: unknown[] = []
  for (const headers of [{ Origin: 'https://shop.example' }, { Origin: 'https://shop.example' }, {}, {}]) {
    origins.push((await read(store, '/pets/1', 'GET', headers)).headers['access-control-allow-origin'])
  }
  expect(origins).toEqual(['https://shop.example', 'https://shop.example', undefined, undefined])
})

test('a long response is not kept, because it is sent as fast as its client reads it', async () => {
  await using store = await openTestStore('sqlite')
  const { categoryId } = await makePet(store.client)
  const body = { name: 'n'.repeat(200), categoryId }
  for (let count = 0; count < 80; count++) await store.client.createPet({ body })
  const hits = async (): Promise<string | undefined> =>
    /result="hit"} (\d+)/.exec(await (await store.send('GET', '/metrics')).text())?.[1]
  for (let count = 0; count < REPEATS; count++) await read(store, '/pets?limit=100')
  expect(await hits()).toBe('0')
  for (let count = 0; count < REPEATS; count++) await read(store, '/pets?limit=20')
  expect(await hits()).not.toBe('0')
})

test('a read from the cache is logged like the first read, and is counted in the metrics', async () => {
  await using store = await openTestStore('sqlite')
  await makePet(store.client)
  for (let count = 0; count < REPEATS; count++) await read(store, '/pets/1')
  const lines = store.logged.map(({ fields }) => fields).filter(({ operationId }) => operationId === 'getPet')
  const fixed = lines.map(({ time: _, ms: _ms, requestId: _id, ...kept }) => JSON.stringify(kept))
  expect([fixed.length, new Set(fixed).size]).toEqual([REPEATS, 1])
  expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(REPEATS)
  const metrics = await (await store.send('GET', '/metrics')).text()
  expect(metrics).toContain(`petstore_requests_total{operation_id="getPet",status="200"} ${REPEATS}\n`)
})

test('the log has only the first 1,000 characters of a path and of a trace', async () => {
  await using store = await openTestStore('sqlite')
  const path = `/pets/${'%C3%A9'.repeat(1500)}`
  const traceparent = 't'.repeat(1500)
  await store.send('GET', path, { headers: { traceparent } })
  const { fields } = store.logged.at(-1) ?? {}
  expect([fields?.path, fields?.traceparent]).toEqual([path.slice(0, 1000), traceparent.slice(0, 1000)])
})

test('reads from the cache count towards the rate limit, and are refused beyond it', async () => {
  await using store = await openTestStore('sqlite', { rateLimit: { requests: 6, seconds: 3600 } })
  await makePet(store.client)
  const statuses: unknown[] = []
  for (let count = 0; count < 8; count++) {
    const { status, headers } = await read(store, '/pets/1')
    statuses.push(`${status} ${/r=\d+/.exec(headers.ratelimit ?? '')}`)
  }
  expect(statuses).toEqual([
    '200 r=5',
    '200 r=4',
    '200 r=3',
    '200 r=2',
    '200 r=1',
    '200 r=0',
    '429 r=0',
    '429 r=0',
  ])
})

test('a read after a change counts once towards the rate limit', async () => {
  await using store = await openTestStore('sqlite', {
    rateLimit: { requests: 100, seconds: 3600 },
  })
  const { petId } = await makePet(store.client)
  const remaining = async (): Promise<number> => {
    const { headers } = await read(store, '/pets?limit=2')
    return Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1])
  }
  for (let count = 0; count < REPEATS; count++) await remaining()
  const before = await remaining()
  for (let count = 1; count <= 4; count++) {
    await store.client.updatePet({ petId, body: { name: `Name ${count}` } })
    expect(await remaining()).toBe(before - count)
  }
})

test('a read from the cache is refused after the sunset of its operation, and while the store stops', async () => {
  let nowMs = Date.parse('2026-11-22T00:00:00Z')
  const admission = new Admission()
  await using store = await openTestStore('sqlite', { admission, lifecycleClock: () => nowMs })
  await makePet(store.client)
  for (let count = 0; count < REPEATS; count++) expect((await read(store, '/pets/1')).status).toBe(200)
  nowMs = contract.getPet.deprecation.sunsetAtMs + 999
  expect((await read(store, '/pets/1')).status).toBe(200)
  nowMs++
  expect((await read(store, '/pets/1')).status).toBe(410)
  nowMs--
  await admission.drain()
  expect((await read(store, '/pets/1')).status).toBe(503)
})

/** Changes a pet after it was read repeatedly. Returns the names in the reads before and after the change. */
async function namesAroundChange(
  representations: RepresentationCache,
  options: TestOptions = {},
): Promise<string[]> {
  await using store = await openTestStore('sqlite', { ...options, representations })
  const { petId } = await makePet(store.client)
  const name = async (): Promise<string> => JSON.parse((await read(store, `/pets/${petId}`)).body).name
  for (let count = 0; count < REPEATS; count++) await name()
  const before = await name()
  await store.client.updatePet({ petId, body: { name: 'Renamed' } })
  return [before, await name()]
}

test('a read from the cache shows a change as soon as the change has its response', async () => {
  expect(await namesAroundChange(new RecordedCache())).toEqual(['Anybody', 'Renamed'])
})

test('a read from the cache shows a commit whose report the event loop has not reached', async () => {
  expect(await namesAroundChange(new RecordedCache(), withReportsOnDemand())).toEqual(['Anybody', 'Renamed'])
})

test('control: a cache that still sends an invalidated reply is detected', async () => {
  class NeverDropping extends RecordedCache {
    override drop(): void {}
  }
  expect(await namesAroundChange(new NeverDropping())).toEqual(['Anybody', 'Anybody'])
})
