import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LogPage, REQUESTS_KEPT, RequestLog } from '../../src/sandboxes/requests/log.ts'
import { type CallResult, openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'
import { until } from '../support/until.ts'

interface Entry {
  readonly number: bigint
  readonly method: string
  readonly path: string
  readonly status?: bigint
  readonly operationId?: string
  readonly requestHeaders: Record<string, string>
  readonly requestBody?: string
  readonly responseBody?: string
}

/** Returns the entries of a response, the newest first. */
function entriesOf({ data }: CallResult): Entry[] {
  // Safe: the tests compare the members that they use.
  return data as Entry[]
}

/** Reads a page to its end. `first` is what was read of it before. */
async function textOf(page: LogPage, first: Uint8Array = new Uint8Array()): Promise<string> {
  let text = Buffer.from(first).toString()
  for (let chunk = await page.next(); chunk; chunk = await page.next()) text += Buffer.from(chunk).toString()
  await page.close()
  expect(page.bytes).toBe(Buffer.byteLength(text))
  return text
}

test('a proxy may neither hold back nor compress the stream of a request log', async () => {
  await using host = await openSandboxHost()
  const { created } = await host.create()
  const headers = { Authorization: `Bearer ${created.adminKey}` }
  const stopping = new AbortController()
  const { signal } = stopping
  const stream = await fetch(`${host.base}/sandboxes/${created.id}/requests/stream`, { headers, signal })
  expect([stream.headers.get('cache-control'), stream.headers.get('x-accel-buffering')]).toEqual([
    'no-store, no-transform',
    'no',
  ])
  stopping.abort()
})

test('the log shows what a tool sent and received, whether the store read the body or not', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create()
  const { baseUrl, adminKey } = sandbox.created
  const post = (headers: Record<string, string>, body: string): Promise<Response> =>
    fetch(`${baseUrl}/store/orders?x=1`, { method: 'POST', headers, body })
  await post({ Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' }, '{"petId":3}')
  await fetch(`${baseUrl}/store/orders`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
    body: '{"petId":3}',
  })
  await post({ 'Content-Type': 'application/x-www-form-urlencoded' }, 'petId=3')
  await post({ 'Content-Type': 'application/json' }, `{"petId":3,"note":"${'é'.repeat(5000)}"}`)
  await fetch(`${baseUrl}/pets/1`, { method: 'HEAD' })
  await fetch(`${baseUrl}/nothing`)
  const entries = entriesOf(await sandbox.callHost('GET', '/requests')).toReversed()
  expect(entries.map(({ number, method, path, status }) => `${number} ${method} ${path} ${status}`)).toEqual([
    '1 POST /store/orders?x=1 400',
    '2 POST /store/orders 201',
    '3 POST /store/orders?x=1 401',
    '4 POST /store/orders?x=1 401',
    '5 HEAD /pets/1 200',
    '6 GET /nothing 404',
  ])
  expect(entries.map(({ operationId }) => operationId)).toEqual([
    ...['placeOrder', 'placeOrder', 'placeOrder', 'placeOrder', 'getPet'],
    undefined,
  ])
  expect(entries[0]?.requestBody).toBe('{"petId":3}')
  expect(entries[1]?.responseBody).toContain('"petId":3')
  expect(entries[2]?.requestBody).toBe('petId=3')
  expect(entries[2]?.requestHeaders['content-type']).toBe('application/x-www-form-urlencoded')
  const long = entries[3]?.requestBody ?? ''
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(4096)
  expect(long).toStartWith('{"petId":3,"note":"éé')
  expect(long).not.toContain('\uFFFD')
})

test('the log contains no key and no secret', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create()
  const { data } = await sandbox.call('POST', '/keys', { body: { name: 'till', scopes: ['orders:read'] } })
  const { key } = data as { key: string }
  const hook = await sandbox.call('POST', '/webhooks', {
    body: { url: 'http://127.0.0.1:9/hook', types: ['petstore.order.placed'] },
  })
  const { secret } = hook.data as { secret: string }
  const handover = await sandbox.call('POST', '/keys/handovers', { body: { key } })
  const { code } = handover.data as { code: string }
  await sandbox.call('GET', `/pets?x=${key}`, { headers: { Cookie: `session=${key}` } })
  // The same key, with an escape in place of its underscore or of its first letter.
  const post = (body: string): Promise<Response> =>
    fetch(`${sandbox.created.baseUrl}/pets`, { method: 'POST', headers: { 'X-Key': key }, body })
  await post(`{"name":"${key.replace('_', '\\u005f')}"}`)
  await post(`{"name":"${key.replace('p', '\\u0070')}"}`)
  await post(`name=${key.replace('_', '%5F')}&other=${secret.replace('w', '%77')}`)
  await fetch(`${sandbox.created.baseUrl}/pets`, { headers: { Authorization: 'Basic c2VjcmV0' } })
  const log = (await sandbox.callHost('GET', '/requests')).text
  for (const hidden of [key, code, secret, sandbox.created.adminKey, 'c2VjcmV0'])
    expect(log).not.toContain(hidden.slice(6))
  expect(log).toContain('Bearer pst_***')
  expect(log).toContain('psc_***')
  expect(log).toContain('whsec_***')
  expect(log).toContain('Basic ***')
})

test('the log keeps the last 1,000 requests, returns pages of them, and numbers them without a gap', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  for (let batch = 0; batch < 23; batch++) {
    await Promise.all(Array.from({ length: 100 }, () => sandbox.call('GET', '/pets?limit=1')))
    if (batch % 5 === 0) await sandbox.callHost('GET', '/requests?limit=1')
  }
  const numbers = entriesOf(await sandbox.callHost('GET', '/requests?limit=1000')).map(({ number }) => number)
  expect(numbers).toEqual(Array.from({ length: 1000 }, (_, index) => 2300n - BigInt(index)))
  const page = await sandbox.callHost('GET', '/requests?limit=2&before=2000')
  expect(entriesOf(page).map(({ number }) => number)).toEqual([1999n, 1998n])
  expect((await sandbox.callHost('DELETE', '/requests')).status).toBe(204)
  expect((await sandbox.callHost('GET', '/requests')).text).toBe('[]')
  await sandbox.call('GET', '/pets')
  expect((await sandbox.callHost('GET', '/requests')).data).toMatchObject([{ number: 2301n }])
  await sandbox.callHost('DELETE', '/requests')
  await sandbox.callHost('POST', '/reset')
  await sandbox.call('GET', '/pets')
  expect((await sandbox.callHost('GET', '/requests')).data).toMatchObject([{ number: 2302n }])
})

test('the files of the log are bounded, even if a client fills the log on purpose', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  // Each of these control characters takes six bytes in the log.
  const body = '\u0001'.repeat(4096)
  const headers = { 'Content-Type': 'text/plain', 'X-Long': 'x'.repeat(7000) }
  const { baseUrl, id } = sandbox.created
  for (let batch = 0; batch < 15; batch++) {
    await Promise.all(
      Array.from({ length: 60 }, async () => {
        await (await fetch(`${baseUrl}/store/orders`, { method: 'POST', headers, body })).text()
      }),
    )
    await sandbox.callHost('GET', '/requests?limit=1')
  }
  const files = ['requests.ndjson', 'requests-before.ndjson'].map(
    name => statSync(join(host.directory, 'sandboxes', id, name)).size,
  )
  expect(Math.max(...files)).toBeLessThan(11 * 1024 * 1024)
  expect(entriesOf(await sandbox.callHost('GET', '/requests?limit=1'))).toMatchObject([{ number: 900n }])
})

test('a page of the log is complete, although the log starts a new file while the page is sent', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-log-'))
  const log = await RequestLog.open(directory)
  const requestBody = 'x'.repeat(2000)
  const request = {
    at: '2026-11-21T10:00:00.000Z',
    method: 'GET',
    path: '/pets',
    requestHeaders: {},
    ms: 1,
    requestBody,
  }
  const add = (count: number): void => {
    for (let added = 0; added < count; added++) log.add(request)
  }
  add(REQUESTS_KEPT)
  const page = await log.page(REQUESTS_KEPT)
  const first = await page.next()
  for (let file = 0; file < 2; file++) {
    add(REQUESTS_KEPT)
    await textOf(await log.page(1))
  }
  expect(first?.length).toBeLessThan(80_000)
  const rest = await textOf(page, first)
  const entries: unknown = JSON.parse(rest)
  expect(entries).toEqual(
    Array.from({ length: REQUESTS_KEPT }, (_, index) => ({ number: REQUESTS_KEPT - index, ...request })),
  )
  await log.close()
  rmSync(directory, { recursive: true })
})

test('a stream of a large log sends every entry once, in chunks of a bounded size', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  const { id, adminKey, baseUrl } = sandbox.created
  const long = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'y'.repeat(4000) }
  for (let batch = 0; batch < 4; batch++)
    await Promise.all(Array.from({ length: 100 }, () => fetch(`${baseUrl}/store/orders`, long)))
  const response = await fetch(`${host.base}/sandboxes/${id}/requests/stream`, {
    headers: { Authorization: `Bearer ${adminKey}`, 'Last-Event-ID': '0' },
  })
  let text = ''
  let isLate = false
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('id: 400\n') && !isLate) {
      isLate = true
      await sandbox.call('GET', '/pets?limit=1')
    }
    if (text.includes('id: 401\n')) break
  }
  const numbers = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 401 }, (_, index) => index + 1))
})

test('the log continues after its current file was deleted', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-log-'))
  const log = await RequestLog.open(directory)
  const request = { at: '2026-11-21T10:00:00.000Z', method: 'GET', path: '/pets', requestHeaders: {}, ms: 1 }
  const add = async (count: number): Promise<void> => {
    for (let added = 0; added < count; added++) log.add(request)
    await textOf(await log.page(1))
  }
  await add(REQUESTS_KEPT)
  rmSync(join(directory, 'requests.ndjson'))
  await add(1)
  rmSync(join(directory, 'requests-before.ndjson'), { force: true })
  expect(JSON.parse(await textOf(await log.page(10)))).toMatchObject([{ number: REQUESTS_KEPT + 1 }])
  await log.close()
  rmSync(directory, { recursive: true })
})

test('the stream of the log sends each request as it happens', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create()
  const stopped = new AbortController()
  const { id, adminKey } = sandbox.created
  const response = await fetch(`${host.base}/sandboxes/${id}/requests/stream`, {
    headers: { Authorization: `Bearer ${adminKey}` },
    signal: stopped.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  })().catch(() => {})
  await sandbox.call('GET', '/pets?limit=1')
  await until('the request is in the stream', () => text.includes('"path":"/pets?limit=1"'), 5000)
  expect(text).toContain('id: 1\nevent: request\ndata: {')
  stopped.abort()
  await reading
})

test('the stream of the log ends at a reset, and a client that reconnects gets the requests it missed', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create()
  const { id, adminKey } = sandbox.created
  const open = (last: string): Promise<Response> =>
    fetch(`${host.base}/sandboxes/${id}/requests/stream`, {
      headers: { Authorization: `Bearer ${adminKey}`, ...(last !== '' && { 'Last-Event-ID': last }) },
    })
  const first = await open('')
  const text = first.text()
  await sandbox.call('GET', '/pets?limit=1')
  await sandbox.callHost('POST', '/reset')
  expect(await text).toContain('id: 1\n')
  await sandbox.call('GET', '/pets?limit=2')
  await sandbox.call('GET', '/pets?limit=3')
  const again = open('1').then(response => response.text())
  await Bun.sleep(100)
  await sandbox.callHost('POST', '/reset')
  expect((await again).match(/id: \d+/g)).toEqual(['id: 2', 'id: 3'])
})

test('the log of one sandbox has at most 20 streams', async () => {
  await using host = await openSandboxHost()
  const [sandbox, other] = [await host.create(), await host.create()]
  let stopped = new AbortController()
  // The runtime closes the connection of a garbage-collected response, so the responses are kept.
  const responses: Response[] = []
  const open = async ({ created: { id, adminKey } }: TestSandbox): Promise<number> => {
    const response = await fetch(`${host.base}/sandboxes/${id}/requests/stream`, {
      headers: { Authorization: `Bearer ${adminKey}` },
      signal: stopped.signal,
    })
    responses.push(response)
    return response.status
  }
  for (let index = 0; index < 21; index++) await open(sandbox)
  expect(responses.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 200), 503])
  expect(await open(other)).toBe(200)
  stopped.abort()
  stopped = new AbortController()
  // Streams that have ended make room for others.
  for (let index = 0; index < 20; index++)
    await until('a stream is open', async () => (await open(sandbox)) === 200, 5000)
  stopped.abort()
})

test('large responses and long texts are complete, although the log captures them', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'large' })
  const pages = await Promise.all(
    Array.from({ length: 20 }, () => sandbox.call('GET', '/events?limit=100&type=petstore.pet.created')),
  )
  for (const page of pages) expect(page.data).toHaveLength(100)
  const description = 'x'.repeat(2000)
  const made = await sandbox.call('POST', '/categories', { body: { name: 'Long', description } })
  expect(made.data).toMatchObject({ description })
})
