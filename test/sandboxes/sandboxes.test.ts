import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dynamicSql } from '../../src/database/statement.ts'
import { ID_ALPHABET, ID_CHARS, isSandboxId } from '../../src/sandboxes/contract/schema.ts'
import { verifyAuditChain } from '../../src/shop/log/verification.ts'
import { sendBytes } from '../support/hostile-request.ts'
import { type CallResult, createSandbox, openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'
import { until } from '../support/until.ts'

const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

const order = { body: { petId: 3 } }

/** Returns the number of rows of a table in the database of a sandbox. */
async function countRows(id: string, table: string): Promise<bigint | undefined> {
  const count = dynamicSql<{ count: bigint }>(() => `SELECT count(*) AS count FROM ${table}`)
  return host.host.use(id, async ({ engine }) =>
    engine.readShort(async reader => (await reader.one(count))?.count),
  )
}

function codeOf({ status, data }: CallResult): string {
  const code: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'code') : undefined
  return `${status} ${code}`
}

/** Returns what a client can read of a sandbox, without instants and secrets. */
async function contentOf(sandbox: TestSandbox): Promise<string> {
  const lists = [
    '/pets?limit=100',
    '/categories',
    '/store/inventory',
    '/store/orders',
    '/events?limit=100',
    '/keys',
  ]
  const texts = await Promise.all(lists.map(async path => (await sandbox.call('GET', path)).text))
  return texts
    .join('\n')
    .replaceAll(/"(time|createdAt|attemptedAt)":"[^"]*"/g, '"$1":""')
    .replaceAll(/"hint":"\w*"/g, '"hint":""')
}

test('a sandbox starts with its seed, and its own key is an admin key', async () => {
  const demo = await host.create()
  expect(demo.created).toMatchObject({ seed: 'demo', state: 'ready', generation: 1n })
  expect((await demo.call('GET', '/pets?limit=1')).data).toMatchObject([{ id: 1n }])
  expect((await demo.call('GET', '/keys/current')).data).toMatchObject({ id: 1n, scopes: ['admin'] })
  const empty = await host.create({ seed: 'empty', label: 'Ada' })
  expect((await empty.call('GET', '/pets')).text).toBe('[]')
  expect(empty.created.label).toBe('Ada')
  const large = await host.create({ seed: 'large' })
  expect((await large.call('GET', '/pets?id=10000')).data).toHaveLength(1)
  expect((await large.call('GET', '/pets?id=10001')).data).toHaveLength(0)
})

test('a request to the host that is followed by bytes that are not a request has no effect', async () => {
  const { created, callHost } = await host.create({ label: 'before' })
  const { host: authority, port } = new URL(host.base)
  const send = async (method: string, body: string, surplus: string): Promise<number> => {
    const typed = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    const fields = `Host: ${authority}\r\nAuthorization: Bearer ${created.adminKey}\r\n${typed}`
    const text = `${method} /sandboxes/${created.id} HTTP/1.1\r\n${fields}\r\n${body}${surplus}`
    return (await sendBytes(Number(port), Buffer.from(text))).status
  }
  const statuses: number[] = []
  for (const surplus of ['\n', '}', 'GARBAGE\r\n\r\n']) {
    statuses.push(await send('PATCH', '{"label":"after"}', surplus), await send('DELETE', '', surplus))
  }
  expect(new Set(statuses)).toEqual(new Set([400]))
  expect((await callHost('GET', '')).data).toMatchObject({ label: 'before' })
})

test('a sandbox serves its pages, description, error catalogue and probes under its address', async () => {
  const { created } = await host.create()
  const path = new URL(created.baseUrl).pathname
  for (const page of [
    '/',
    '/docs',
    '/console',
    '/openapi.yaml',
    '/llms.txt',
    '/livez',
    '/readyz',
    '/errors',
  ]) {
    expect([page, (await fetch(created.baseUrl + page)).status]).toEqual([page, 200])
  }
  const description: unknown = await (await fetch(`${created.baseUrl}/openapi.json`)).json()
  expect(description).toMatchObject({ servers: [{ url: created.baseUrl }] })
  for (const page of ['/docs', '/console', '/']) {
    const html = await (await fetch(created.baseUrl + page, { headers: { Accept: 'text/html' } })).text()
    const links = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) {
      expect([link, link.startsWith(`${path}/`)]).toEqual([link, true])
      expect([link, (await fetch(host.base + link)).status]).toEqual([link, 200])
    }
  }
})

test('the cursors, positions and idempotency keys of a sandbox have no effect in another sandbox', async () => {
  const [mine, other] = await Promise.all([host.create(), host.create()])
  const cursor = /cursor=([\w-]+)/.exec(
    (await mine.call('GET', '/pets?limit=1')).headers.get('link') ?? '',
  )?.[1]
  expect((await mine.call('GET', `/pets?limit=1&cursor=${cursor}`)).status).toBe(200)
  expect(codeOf(await other.call('GET', `/pets?limit=1&cursor=${cursor}`))).toBe('400 invalid_cursor')
  const after = /after=(\d+)/.exec((await mine.call('GET', '/events?limit=1')).headers.get('link') ?? '')?.[1]
  expect((await mine.call('GET', `/events?after=${after}`)).status).toBe(200)
  expect(codeOf(await other.call('GET', `/events?after=${after}`))).toBe('410 event_history_expired')

  const headers = { 'Idempotency-Key': '"one"' }
  const first = await mine.call('POST', '/store/orders', { ...order, headers })
  const elsewhere = await other.call('POST', '/store/orders', { ...order, headers })
  expect([first.status, elsewhere.status]).toEqual([201, 201])
  expect(elsewhere.headers.get('idempotent-replayed')).toBeNull()
  expect((await other.call('GET', '/store/orders')).data).toHaveLength(1)
})

test('a sandbox is not found after it was deleted, and its files are gone', async () => {
  const sandbox = await host.create()
  await sandbox.call('POST', '/store/orders', order)
  const directory = join(host.directory, 'sandboxes', sandbox.created.id)
  expect(existsSync(directory)).toBe(true)
  expect((await sandbox.callHost('DELETE', '')).status).toBe(204)
  expect(codeOf(await sandbox.call('GET', '/pets'))).toBe('404 sandbox_not_found')
  expect(codeOf(await sandbox.callHost('GET', ''))).toBe('404 sandbox_not_found')
  expect(existsSync(directory)).toBe(false)
})

test('a PATCH with null removes the label of a sandbox, and a PATCH without a label keeps it', async () => {
  const { callHost } = await host.create({ label: 'Ada' })
  expect((await callHost('PATCH', '', { lifetimeSeconds: 120 })).data).toMatchObject({ label: 'Ada' })
  expect((await callHost('PATCH', '', { label: null })).data).not.toHaveProperty('label')
  expect((await callHost('GET', '')).data).not.toHaveProperty('label')
})

test('a sandbox is not found after its lifetime, and its files are deleted then', async () => {
  let now = Date.now()
  await using aged = await openSandboxHost({ clock: () => now, sweepMs: 20, graceMs: 100 })
  const sandbox = await aged.create({ lifetimeSeconds: 60 })
  now += 30_000
  expect((await sandbox.callHost('PATCH', '', { lifetimeSeconds: 120, label: 'longer' })).status).toBe(200)
  now += 60_000
  expect((await sandbox.call('GET', '/pets')).status).toBe(200)
  now += 61_000
  expect(codeOf(await sandbox.call('GET', '/pets'))).toBe('404 sandbox_not_found')
  const directory = join(aged.directory, 'sandboxes', sandbox.created.id)
  await until('the files are deleted', () => !existsSync(directory) && aged.host.counts.sandboxes === 0)
})

test('a sandbox is not deleted soon if the clock of the machine jumps forward by days', async () => {
  let now = Date.now()
  await using jumping = await openSandboxHost({ clock: () => now, sweepMs: 20, graceMs: 50 })
  const sandbox = await jumping.create({ lifetimeSeconds: 60 })
  await sandbox.call('POST', '/store/orders', order)
  now += 365 * 86_400_000
  expect(codeOf(await sandbox.call('GET', '/pets'))).toBe('404 sandbox_not_found')
  await Bun.sleep(200)
  now -= 365 * 86_400_000
  expect((await sandbox.call('GET', '/store/orders')).data).toHaveLength(1)
})

test('a sandbox keeps its content, key, rules, clock and request log when the host restarts', async () => {
  const first = await openSandboxHost()
  const [sandbox, cleared] = [await first.create(), await first.create({ seed: 'empty' })]
  const rules = [{ name: 'slow', effect: { type: 'delay', delayMs: 5 } }]
  for (const { callHost } of [sandbox, cleared]) await callHost('PUT', '/faults', { rules })
  await cleared.callHost('DELETE', '/faults')
  await sandbox.call('POST', '/store/orders', order)
  await sandbox.callHost('PUT', '/clock', { now: '2027-06-01T00:00:00Z' })
  await first.stop()
  const port = Number(new URL(first.base).port)
  await using again = await openSandboxHost({ directory: first.directory, port })
  expect((await sandbox.call('GET', '/store/orders/1')).headers.get('petstore-fault')).toContain('slow')
  expect((await sandbox.callHost('GET', '/faults')).data).toMatchObject({
    rules: [{ name: 'slow', calls: 2n, applied: 2n }],
  })
  expect((await cleared.callHost('GET', '/faults')).data).toEqual({ rules: [] })
  expect((await sandbox.callHost('GET', '/requests')).data).toHaveLength(2)
  expect((await sandbox.callHost('GET', '/clock')).text).toContain('2027-06-01T00:0')
  expect([again.host.counts.sandboxes, again.errors]).toEqual([2, []])
})

test('a sandbox refuses bad input with a message that says what is valid', async () => {
  const create = (body: unknown) => createSandbox(host.base, body as object).catch(error => String(error))
  expect(await create({ seed: 'huge' })).toContain('must be demo, empty, large, or the snapshot of a sandbox')
  expect(await create({ lifetimeSeconds: 10_000_000 })).toContain('at most 604800')
  expect(await create({ lifetimeSeconds: 1 })).toContain('at least 60')
  expect(await create({ label: 'x'.repeat(101) })).toContain('label must have at most 100 characters')
  expect(await create({ color: 'red' })).toContain('color is not a member')
  const sandbox = await host.create()
  expect(codeOf(await sandbox.callHost('POST', '/reset', { snapshot: 'none' }))).toBe(
    '404 snapshot_not_found',
  )
  expect(codeOf(await sandbox.callHost('PUT', '/snapshots/BAD'))).toBe('400 invalid_parameter')
  expect(codeOf(await sandbox.callHost('GET', '/nothing'))).toBe('404 route_not_found')
  expect(codeOf(await sandbox.callHost('PUT', '/clock', { now: 'soon' }))).toBe('422 validation_failed')
  const withoutKey = await fetch(`${host.base}/sandboxes/${sandbox.created.id}`)
  expect([withoutKey.status, withoutKey.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="petstore"',
  ])
})

test('the host asks for the key of a sandbox before it reads parameters or a body', async () => {
  const { created } = await host.create({ seed: 'empty' })
  for (const [method, path] of [
    ['GET', '?colour=red'],
    ['GET', '/requests?limit=none'],
    ['PUT', '/snapshots/BAD'],
    ['PUT', '/clock'],
  ] as const) {
    const { status } = await fetch(`${host.base}/sandboxes/${created.id}${path}`, { method })
    expect([path, status]).toEqual([path, 401])
  }
})

test('the type of a problem from the host is the address of its entry in the catalogue', async () => {
  const response = await fetch(`${host.base}/sandboxes/nothing`, {
    headers: { Accept: 'application/problem+json' },
  })
  const { type, code } = (await response.json()) as { type: string; code: string }
  expect(await (await fetch(type)).json()).toMatchObject({ code })
  expect(((await (await fetch(`${host.base}/errors`)).json()) as unknown[]).length).toBeGreaterThan(40)
  expect((await fetch(`${host.base}/errors/nothing`)).status).toBe(404)
})

test('a reset restores the same ids, positions and data, however often it is repeated', async () => {
  const sandbox = await host.create()
  const start = await contentOf(sandbox)
  const act = async (): Promise<string> => {
    await sandbox.call('POST', '/store/orders', order)
    await sandbox.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
    await sandbox.call('POST', '/keys', { body: { name: 'till', scopes: ['orders:write'] } })
    return contentOf(sandbox)
  }
  const acted = await act()
  for (let generation = 2; generation <= 4; generation++) {
    const reset = await sandbox.callHost('POST', '/reset')
    expect(reset.data).toMatchObject({ generation: BigInt(generation) })
    expect(await contentOf(sandbox)).toBe(start)
    // Only the ids of new events differ.
    expect((await act()).replaceAll(/"id":"\d+"/g, '')).toBe(acted.replaceAll(/"id":"\d+"/g, ''))
  }
})

test('a reset gives later events other ids, invalidates older cursors and positions, and ends streams', async () => {
  const sandbox = await host.create()
  const { baseUrl, adminKey } = sandbox.created
  const lastEvent = async (): Promise<{ id: string; sequence: string }> => {
    const { data } = await sandbox.call('GET', '/events?type=petstore.order.placed')
    return (data as { id: string; sequence: string }[]).at(-1) ?? { id: '', sequence: '' }
  }
  const stream = await fetch(`${baseUrl}/events/stream`, {
    headers: { Authorization: `Bearer ${adminKey}` },
  })
  const streamed = stream.text()
  await sandbox.call('POST', '/store/orders', order)
  const before = await lastEvent()
  const link = (await sandbox.call('GET', '/pets?limit=1')).headers.get('link') ?? ''
  const feed = (await sandbox.call('GET', '/events')).headers.get('link') ?? ''
  await sandbox.callHost('POST', '/reset')
  const lastId =
    (await streamed)
      .match(/id: (\d+)/g)
      ?.at(-1)
      ?.slice(4) ?? ''
  await sandbox.call('POST', '/store/orders', order)
  const afterwards = await lastEvent()
  expect(afterwards.sequence).toBe(before.sequence)
  expect(afterwards.id).not.toBe(before.id)
  expect(codeOf(await sandbox.call('GET', `/pets?limit=1&cursor=${/cursor=([\w-]+)/.exec(link)?.[1]}`))).toBe(
    '400 invalid_cursor',
  )
  expect(codeOf(await sandbox.call('GET', `/events?after=${/after=(\d+)/.exec(feed)?.[1]}`))).toBe(
    '410 event_history_expired',
  )
  const resumed = await sandbox.call('GET', '/events/stream', { headers: { 'Last-Event-ID': lastId } })
  expect(codeOf(resumed)).toBe('410 event_history_expired')
})

test('a reset restores the key of the sandbox, even if it was revoked', async () => {
  const sandbox = await host.create({ seed: 'empty' })
  await sandbox.call('POST', '/keys', { body: { name: 'other', scopes: ['admin'] } })
  expect((await sandbox.call('DELETE', '/keys/1')).status).toBe(204)
  expect((await sandbox.call('GET', '/keys')).status).toBe(401)
  expect((await sandbox.callHost('POST', '/reset')).status).toBe(200)
  expect((await sandbox.call('GET', '/keys')).status).toBe(200)
})

test('a reset during requests succeeds, and no request gets a 500', async () => {
  const sandbox = await host.create()
  const statuses = new Set<number>()
  let isDone = false
  const clients = Array.from({ length: 8 }, async () => {
    while (!isDone) statuses.add((await sandbox.call('POST', '/store/orders', order)).status)
  })
  for (let round = 0; round < 5; round++) {
    await Bun.sleep(30)
    expect((await sandbox.callHost('POST', '/reset')).status).toBe(200)
  }
  isDone = true
  await Promise.all(clients)
  expect([...statuses].filter(status => ![201, 409, 503].includes(status))).toEqual([])
  expect((await sandbox.callHost('GET', '')).data).toMatchObject({ generation: 6n, state: 'ready' })
  expect(host.errors).toEqual([])
})

test('a snapshot is taken, listed, restored and deleted', async () => {
  const sandbox = await host.create()
  await sandbox.call('POST', '/store/orders', order)
  const before = await contentOf(sandbox)
  const taken = await sandbox.callHost('PUT', '/snapshots/one-order')
  expect([taken.status, taken.data]).toMatchObject([200, { name: 'one-order' }])
  await sandbox.call('POST', '/store/orders', { body: { petId: 4 } })
  expect((await sandbox.callHost('GET', '/snapshots')).data).toMatchObject([{ name: 'one-order' }])
  await sandbox.callHost('POST', '/reset', { snapshot: 'one-order' })
  expect(await contentOf(sandbox)).toBe(before)
  expect((await sandbox.callHost('DELETE', '/snapshots/one-order')).status).toBe(204)
  expect(codeOf(await sandbox.callHost('GET', '/snapshots/one-order'))).toBe('404 snapshot_not_found')
})

test('a sandbox that started from the snapshot of another one outlives it', async () => {
  const teacher = await host.create({ seed: 'empty' })
  await teacher.call('POST', '/categories', { body: { name: 'Dragons' } })
  await teacher.callHost('PUT', '/snapshots/lesson')
  const student = await host.create({ seed: `${teacher.created.id}/lesson` }, teacher.created.adminKey)
  await teacher.callHost('DELETE', '')
  expect((await student.callHost('POST', '/reset')).status).toBe(200)
  expect((await student.call('GET', '/categories')).data).toMatchObject([{ name: 'Dragons' }])
})

test('a sandbox that starts from the snapshot of another one has its shop, and nothing of its owner', async () => {
  const teacher = await host.create()
  const { id, adminKey } = teacher.created
  const url = 'http://127.0.0.1:9/token-of-the-teacher'
  await teacher.call('POST', '/webhooks', { body: { url } })
  const assistant = await teacher.call('POST', '/keys', { body: { name: 'Assistant', scopes: ['admin'] } })
  const { key } = assistant.data as { key: string }
  const headers = { 'Idempotency-Key': 'lesson-1', 'X-Request-Id': 'laptop-of-the-teacher' }
  const placed = await teacher.call('POST', '/store/orders', { ...order, headers })
  const rows = { categories: [{ line: 1, name: 'Staged' }], pets: [] }
  expect((await teacher.call('POST', '/imports/7/rows', { body: rows })).status).toBe(204)
  await until('the receiver was called', async () =>
    (await teacher.call('GET', '/webhooks/1/deliveries')).text.includes('"durationMs"'),
  )
  await teacher.callHost('PUT', '/snapshots/lesson')
  const student = await host.create({ seed: `${id}/lesson` }, adminKey)
  const { created } = student
  const read = async (path: string): Promise<string> => (await student.call('GET', path)).text
  for (let generation = 1; generation <= 2; generation++) {
    expect(await read('/webhooks')).toBe('[]')
    expect(JSON.parse(await read('/keys'))).toHaveLength(1)
    const asAssistant = { headers: { Authorization: `Bearer ${key}` } }
    expect((await student.call('GET', '/keys', asAssistant)).status).toBe(401)
    expect(JSON.parse(await read('/store/orders'))).toEqual([JSON.parse(placed.text)])
    expect(await read('/events?after=0&type=petstore.order.placed')).toContain('"petId":3')
    const shown = (await student.callHost('GET', '')).text
    expect(shown).toContain('"seed":"snapshot/lesson"')
    const all = [
      shown,
      JSON.stringify({ ...created, generation: 1 }),
      await read('/audit?limit=100'),
      await read('/events?after=0'),
    ]
    expect(all.join().match(/token-of|Assistant|-of-the-teacher|petstore\.key|petstore\.webhook/)).toBeNull()
    expect(all.join()).not.toContain(id)
    const chain = await host.host.use(created.id, ({ engine }) =>
      Promise.resolve(engine.readShort(verifyAuditChain)),
    )
    expect(chain.problems).toEqual([])
    for (const table of ['staged_row', 'attempt', 'delivery'])
      expect([table, await countRows(created.id, table)]).toEqual([table, 0n])
    // The same idempotency key is a new one in this sandbox, so the order of another pet is placed.
    const repeated = await student.call('POST', '/store/orders', { body: { petId: 4 }, headers })
    expect([repeated.status, repeated.data]).toMatchObject([201, { petId: 4n }])
    expect((await student.callHost('POST', '/reset')).status).toBe(200)
  }
})

test('a snapshot is consistent while a client writes', async () => {
  const sandbox = await host.create()
  await sandbox.call('PUT', '/store/inventory/3', { body: { quantity: 100_000 } })
  let isDone = false
  const writer = (async () => {
    while (!isDone) await sandbox.call('POST', '/store/orders', order)
  })()
  for (let round = 0; round < 5; round++) {
    expect((await sandbox.callHost('PUT', `/snapshots/round-${round}`)).status).toBe(200)
  }
  isDone = true
  await writer
  const counts: bigint[] = []
  for (let round = 0; round < 5; round++) {
    expect((await sandbox.callHost('POST', '/reset', { snapshot: `round-${round}` })).status).toBe(200)
    const item = await sandbox.call('GET', '/store/inventory/3')
    const last = await sandbox.call('GET', '/store/orders?limit=1&sort=-id')
    const { reserved } = item.data as { reserved: bigint }
    // Each order reserves one unit.
    expect(last.data).toMatchObject(reserved === 0n ? [] : [{ id: reserved }])
    expect(reserved).toBeGreaterThanOrEqual(counts.at(-1) ?? 0n)
    counts.push(reserved)
  }
  expect(counts.at(-1)).toBeGreaterThan(0n)
})

test('the lifecycle clock retires an operation after its sunset, in its own sandbox only', async () => {
  const [late, other] = await Promise.all([host.create(), host.create()])
  const deprecated = '/pets/3'
  expect((await late.call('GET', deprecated)).status).toBe(200)
  const set = await late.callHost('PUT', '/clock', { now: '2040-01-01T00:00:00Z' })
  expect(set.text).toContain('2040-01-01T00:00:0')
  expect(codeOf(await late.call('GET', deprecated))).toBe('410 operation_sunset')
  expect((await other.call('GET', deprecated)).status).toBe(200)
  expect((await other.callHost('GET', '/clock')).text).not.toContain('2040')
  expect((await late.callHost('PUT', '/clock', { now: null })).text).not.toContain('2040')
  const end = '9999-12-31T23:59:59.999Z'
  await late.callHost('PUT', '/clock', { now: end })
  await Bun.sleep(20)
  expect((await late.callHost('GET', '/clock')).data).toEqual({ now: end })
  await late.callHost('PUT', '/clock', { now: null })
  expect((await late.call('GET', deprecated)).status).toBe(200)
})

test('the pattern of an id allows exactly the characters of new ids', () => {
  const allowed = [...'0123456789abcdefghijklmnopqrstuvwxyzABC-_'].filter(character =>
    isSandboxId(character.repeat(ID_CHARS)),
  )
  expect(allowed.join('')).toBe(ID_ALPHABET)
  expect(isSandboxId('a'.repeat(ID_CHARS + 1))).toBe(false)
})
