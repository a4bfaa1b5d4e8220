import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { verifyWebhook } from '../../src/client/webhook.ts'
import { plantableFaults } from '../../src/sandboxes/bench/catalogue.ts'
import { PlantedFaultsOfSandbox } from '../../src/sandboxes/bench/planted.ts'
import { BenchReport } from '../../src/sandboxes/bench/schema.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { openReceiver, type Received } from '../support/receiver.ts'
import { openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'
import { until } from '../support/until.ts'

/** The time of every request: what is not seen for two seconds is not seen at all. */
const NOW_MS = Date.parse('2026-11-21T10:00:00.000Z')

const host = await openSandboxHost({
  clock: () => NOW_MS,
  limits: { requestsPerMinute: 1_000_000 },
})
afterAll(() => host[Symbol.asyncDispose]())

/** A request of the tour: method, path, and optionally its body, header fields and key. */
interface Step {
  readonly request: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: 'none' | 'unknown' | 'reader' | 'revoked'
}

const key = (name: string) => ({ 'Idempotency-Key': `"${name}"` })
const stale = { 'If-Match': '"stale"' }

/** Requests that provoke every planted fault of requests and responses. `{tag}` is the ETag of the first read. */
const tour: readonly Step[] = [
  { request: 'GET /categories/1' },
  { request: 'HEAD /categories/1' },
  { request: 'GET /categories/1', headers: { 'If-None-Match': '{tag}' } },
  { request: 'GET /categories/999' },
  { request: 'PUT /categories' },
  { request: 'GET /categories?limit=2' },
  { request: 'GET /categories?limit=2&sort=-name' },
  { request: 'GET {next}' },
  { request: 'GET /pets?limit=2&status=sold' },
  { request: 'GET {next}' },
  { request: 'GET /pets?name=nothing-has-this-name' },
  { request: 'GET /pets/1', headers: { 'X-Request-Id': 'own-id' } },
  { request: 'GET /pets?limit=1', headers: { 'Petstore-Fault': 'error; code=overloaded' } },
  { request: 'POST /categories', body: { name: 'Otters' }, headers: key('otters') },
  { request: 'POST /categories', body: { name: 'Newts' }, headers: key('newts') },
  { request: 'POST /categories', body: { name: 'Otters' }, headers: key('otters') },
  { request: 'POST /categories', body: { name: 'Toads' }, headers: key('otters') },
  { request: 'GET /categories/17' },
  { request: 'GET /categories' },
  { request: 'POST /categories', body: { name: 'Seals 🦭' } },
  { request: 'POST /categories', body: { name: 'x'.repeat(120) } },
  { request: 'POST /pets', body: { name: '', categoryId: 1 } },
  { request: 'POST /pets', body: { name: 'Whale', categoryId: 1, price: 99_999_999_999 } },
  { request: 'GET /pets?id=350' },
  { request: 'PATCH /pets/350', body: { name: 'Blue whale' } },
  { request: 'PATCH /categories/1', body: { name: 'Renamed' } },
  { request: 'GET /categories/1', headers: { 'If-None-Match': '{tag}' } },
  { request: 'PATCH /categories/1', body: { name: 'Overwritten' }, headers: stale },
  { request: 'DELETE /categories/1' },
  { request: 'GET /store/inventory/349' },
  { request: 'GET /store/inventory?limit=3&status=sold' },
  { request: 'PUT /store/inventory/349', body: { quantity: 0 } },
  { request: 'GET /store/inventory/349' },
  { request: 'PUT /store/inventory/349', body: { quantity: 9 } },
  { request: 'POST /store/orders', body: { petId: 349, quantity: 2, complete: true }, headers: key('first') },
  { request: 'POST /store/orders', body: { petId: 349 } },
  { request: 'POST /store/orders', body: { petId: 349, quantity: 1000 } },
  { request: 'GET /store/orders/1' },
  { request: 'GET /store/orders/999' },
  { request: 'GET /store/orders?complete=false' },
  { request: 'GET /store/summary', headers: { 'Petstore-Preview': 'store-summary' } },
  { request: 'GET /store/inventory/349' },
  { request: 'POST /store/orders/1/returns', body: { quantity: 1 } },
  { request: 'GET /store/orders/1' },
  { request: 'GET /store/sales/totals?from=2026-11-21&to=2026-11-21' },
  { request: 'GET /store/inventory/349/movements' },
  { request: 'GET /events?limit=5' },
  { request: 'GET /keys' },
  { request: 'GET /store/orders', key: 'revoked' },
  { request: 'DELETE /keys/{revoked}' },
  { request: 'GET /store/orders', key: 'revoked' },
  { request: 'GET /store/orders', key: 'none' },
  { request: 'GET /store/orders', key: 'unknown' },
  { request: 'POST /categories', body: { name: 'Voles' }, key: 'reader' },
  { request: 'DELETE /store/orders/2' },
  { request: 'GET /store/orders/2' },
  { request: 'DELETE /pets/348' },
  { request: 'GET /pets?limit=2' },
  { request: 'DELETE /categories/18', headers: stale },
]

interface Tour {
  /** The responses as text, with what is random replaced. */
  readonly responses: readonly string[]
  readonly report: BenchReport
  /** What is stored at the end, read without faults. */
  readonly stored: readonly string[]
}

/** Everything that the tour changes. */
const lists = ['/pets?limit=100&sort=-id', '/categories?limit=100', '/store/orders', '/store/inventory/349']

/** Makes the requests of the tour in a sandbox with these faults. */
async function takeTour(...faults: string[]): Promise<Tour> {
  const sandbox = await host.create()
  const keys = await keysOf(sandbox)
  await plant(sandbox, faults)
  const responses: string[] = []
  let tag = ''
  let next = ''
  for (const [index, step] of tour.entries()) {
    const [method = '', template = ''] = step.request.split(' ')
    const path = template.replace('{next}', next).replace('{revoked}', keys.revokedId)
    const given = Object.entries(step.headers ?? {}).map(([name, value]) => [
      name,
      value.replace('{tag}', tag),
    ])
    const headers = {
      'X-Request-Id': `step-${index}`,
      ...(step.key && step.key !== 'none' && { Authorization: `Bearer ${keys[step.key]}` }),
      ...Object.fromEntries(given),
    }
    const isAnonymous = step.key !== undefined
    const {
      status,
      headers: sent,
      text,
    } = await sandbox.call(method, path, {
      headers,
      isAnonymous,
      ...(step.body !== undefined && { body: step.body }),
    })
    // The tour goes on as with a right store.
    if (index === 0) tag = faults.length === 0 ? (sent.get('etag') ?? '') : cleanTag
    if (index === 0 && faults.length === 0) cleanTag = tag
    next = /<[^>]*?\/s\/\w+([^>]*)>; rel="next"/.exec(sent.get('link') ?? '')?.[1] ?? '/categories'
    // The tag of a list is that of its texts, of which some are the sandbox's own.
    const own = /events|keys/.test(path) ? /^(date|ratelimit|etag)/ : /^(date|ratelimit)/
    const fields = [...sent].filter(([name]) => !own.test(name))
    responses.push(shown(`${status} ${JSON.stringify(fields)} ${text}`, sandbox))
  }
  const { data } = await sandbox.callHost('GET', '/report')
  await plant(sandbox, [])
  const stored: string[] = []
  for (const path of lists) stored.push(shown((await sandbox.call('GET', path)).text, sandbox))
  await sandbox.callHost('DELETE', '')
  return { responses, stored, report: BenchReport.parse(data) }
}

let cleanTag = ''

async function keysOf(sandbox: TestSandbox) {
  const make = async (name: string, scopes: string[]) =>
    (await sandbox.call('POST', '/keys', { body: { name, scopes } })).data as { id: bigint; key: string }
  const reader = await make('reader', ['orders:read'])
  const revoked = await make('revoked', ['orders:read'])
  const other = await host.create()
  const unknown = other.created.adminKey
  await other.callHost('DELETE', '')
  return { reader: reader.key, revoked: revoked.key, revokedId: String(revoked.id), unknown }
}

async function plant(sandbox: TestSandbox, ids: readonly string[]): Promise<void> {
  const faults = ids.map(id => ({ id }))
  const { status, text } = await sandbox.callHost('PUT', '/planted-faults', { faults })
  if (status !== 200) throw new Error(text)
}

/** Returns a response without what differs between two sandboxes. */
function shown(text: string, { created }: TestSandbox): string {
  return (
    text
      .replaceAll(created.id, '{id}')
      .replaceAll(/cursor=[\w-]+/g, 'cursor={cursor}')
      .replaceAll(/"hint":"[^"]*"/g, '"hint":"…"')
      // The numbers of events have a part that is the sandbox's own.
      .replaceAll(/\d{16,19}/g, '{number}')
  )
}

const catalogue = plantableFaults
/** Faults whose wrong response is a wrong effect: the store is another one afterwards. */
const withEffect = [
  'if-match-ignored',
  'if-match-ignored-by-delete',
  'second-effect',
  'open-operation',
  'any-key-works',
  'revoked-key-works',
  'scope-unchecked',
]
const ofResponses = catalogue.filter(fault => 'change' in fault)

describe('a planted fault', () => {
  let clean: Tour

  beforeAll(async () => {
    clean = await takeTour()
  })

  test('a host lists the faults, each with a sentence, a sign, a clause and its operations', async () => {
    const { data } = await host
      .create({ seed: 'empty' })
      .then(sandbox => sandbox.callHost('GET', '/plantable-faults'))
    const listed = z.array(z.object({ id: z.string() }).loose()).parse(data)
    expect(catalogue.length).toBeGreaterThanOrEqual(40)
    expect(listed.map(({ id }) => id)).toEqual(catalogue.map(({ id }) => id))
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length)
    expect(Object.keys(listed[0] ?? {})).toEqual(['id', 'class', 'summary', 'sign', 'clause', 'operations'])
  })

  test('a tour of a right store is the same twice', async () => {
    const again = await takeTour()
    expect(again.responses).toEqual(clean.responses)
    expect(again.report.faults).toEqual([])
  })

  test.each(ofResponses.map(({ id }) => id))(
    '%s makes the responses of its operations wrong, no others, and nothing stored',
    async id => {
      const fault = catalogue.find(known => known.id === id)
      const { responses, report, stored } = await takeTour(id)
      const wrong = responses.flatMap((response, index) =>
        response === clean.responses[index] ? [] : [index],
      )
      const [first] = wrong
      if (first === undefined) throw new Error('the tour does not provoke the fault')
      const [outcome] = report.faults ?? []
      expect(outcome).toMatchObject({ id })
      const expected = wrong.filter(index => fault?.operations.some(operation => isOf(index, operation)))
      if (withEffect.includes(id)) expect(expected).toContain(first)
      else expect([wrong, stored]).toEqual([expected, clean.stored])
      // A page that a wrong link leads to is another one, without being wrong itself.
      const own = wrong.filter(index => tour[index]?.request !== 'GET {next}')
      expect(outcome?.provoked).toBeLessThanOrEqual(BigInt(wrong.length))
      if (!withEffect.includes(id)) expect(outcome?.provoked).toBeGreaterThanOrEqual(BigInt(own.length))
      const requestId = tour[first]?.headers?.['X-Request-Id'] ?? `step-${first}`
      if (id !== 'request-id-of-another') expect(outcome?.first?.requestId).toBe(requestId)
    },
  )
})

/** Whether a step of the tour is a request of an operation; a page after the first has the path of the one before. */
function isOf(index: number, operation: string): boolean {
  const { method, path } = contract[operation as keyof typeof contract]
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`)
  const step = tour.slice(0, index + 1).findLast(({ request }) => !request.includes('{next}'))
  const [sent = '', target = ''] = step?.request.split(' ') ?? []
  return pattern.test(target) && (sent === method || (sent === 'HEAD' && method === 'GET') || sent === 'PUT')
}

describe('a planted fault of events', () => {
  const change = (sandbox: TestSandbox, name: string) =>
    sandbox.call('POST', '/categories', { body: { name } })

  /** Returns the numbers of the first events of a stream that has three, without the part of the sandbox. */
  async function streamed(...faults: string[]): Promise<readonly string[]> {
    const sandbox = await host.create({ seed: 'empty' })
    for (const name of ['a', 'b', 'c']) await change(sandbox, name)
    await plant(sandbox, faults)
    const ended = AbortSignal.timeout(500)
    const { baseUrl, adminKey } = sandbox.created
    const response = await fetch(`${baseUrl}/events/stream?after=0`, {
      headers: { Authorization: `Bearer ${adminKey}` },
      signal: ended,
    })
    let text = ''
    try {
      for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk)
    } catch {
      // The stream is endless: the signal ends it.
    }
    const { data } = await sandbox.callHost('GET', '/report')
    expect(BenchReport.parse(data).faults?.map(({ provoked }) => provoked > 0n)).toEqual(
      faults.map(() => true),
    )
    return [...text.matchAll(/"name":"(\w)"/g)].map(([, name = '']) => name)
  }

  test.each([
    ['stream-event-twice', 'a b b c'],
    ['stream-event-missing', 'a c'],
    ['stream-out-of-order', 'a c b'],
  ])('%s sends %s', async (id, expected) => {
    expect((await streamed()).join(' ')).toBe('a b c')
    expect((await streamed(id)).join(' ')).toBe(expected)
  })

  test.each([
    ['webhook-signature-wrong', 'wrong'],
    ['webhook-unsigned', 'wrong'],
    ['webhook-timestamp-old', 'wrong'],
    ['webhook-delivered-twice', 'a a b b'],
    ['webhook-not-delivered', ''],
    ['webhook-overtaken', 'b a'],
  ])('%s makes what a receiver gets: %s', async (id, expected) => {
    await using receiver = await openReceiver()
    // Receivers compare the time of a delivery with their own clock.
    await using own = await openSandboxHost()
    const sandbox = await own.create({ seed: 'empty' })
    await plant(sandbox, [id])
    const { data } = await sandbox.call('POST', '/webhooks', {
      body: { url: `${receiver.base}/hook`, types: ['petstore.category.created'] },
    })
    const { secret } = data as { secret: string }
    await change(sandbox, 'a')
    await change(sandbox, 'b')
    const outcome = async () => BenchReport.parse((await sandbox.callHost('GET', '/report')).data).faults?.[0]
    await until('both deliveries were wrong', async () => ((await outcome())?.provoked ?? 0n) >= 2n)
    const requestId = expect.stringMatching(/^\d+$/)
    expect((await outcome())?.first).toMatchObject({ operation: 'createWebhook', requestId })
    const count = expected === 'wrong' ? 2 : expected.split(' ').filter(Boolean).length
    await receiver.waitForRequests(count)
    const isTrue = ({ headers, body }: Received): Promise<boolean> =>
      verifyWebhook(secret, { headers, body }).then(
        () => true,
        () => false,
      )
    const verified = await Promise.all(receiver.received.map(isTrue))
    const names = receiver.received.map(({ body }) => /"name":"(\w)"/.exec(body.toString())?.[1])
    if (expected === 'wrong') expect(verified).toEqual([false, false])
    else expect([names.join(' '), verified.every(Boolean)]).toEqual([expected, true])
  })
})

describe('a hunt', () => {
  const provokeAll = async (sandbox: TestSandbox) => {
    await sandbox.call('POST', '/categories', { body: { name: 'Otters' }, headers: { 'X-Request-Id': 'r1' } })
    await sandbox.call('POST', '/pets', {
      body: { name: 'Otto', categoryId: 1 },
      headers: { 'X-Request-Id': 'r2' },
    })
    await sandbox.call('POST', '/store/orders', { body: { petId: 3 }, headers: { 'X-Request-Id': 'r3' } })
  }

  test('names no fault until its findings are scored, also after a restart', async () => {
    await using own = await openSandboxHost()
    const sandbox = await own.create()
    const started = await sandbox.callHost('POST', '/hunt', { seed: 3, class: 'headers' })
    expect(started.status).toBe(200)
    await provokeAll(sandbox)
    const ids = catalogue.map(({ id }) => id)
    const namesFault = (text: string) => ids.filter(id => text.includes(`"${id}"`))
    const asked = await sandbox.callHost('GET', '/planted-faults')
    expect([asked.status, (asked.data as { code: string }).code]).toEqual([409, 'hunt_in_progress'])
    for (const path of ['', '/faults', '/report', '/requests', '/snapshots'])
      expect(namesFault((await sandbox.callHost('GET', path)).text)).toEqual([])
    const { text, data } = await sandbox.callHost('GET', '/requests')
    expect(text.toLowerCase()).not.toContain('petstore-fault')
    expect((data as { fault?: string }[]).every(entry => entry.fault === undefined)).toBe(true)
    await sandbox.callHost('POST', '/reset', {})
    const revealed = BenchReport.parse((await sandbox.callHost('POST', '/report', { findings: [] })).data)
    expect(revealed.faults?.length).toBeGreaterThan(0)
    expect(revealed.faults?.map(({ id }) => catalogue.find(fault => fault.id === id)?.class)).toEqual(
      revealed.faults?.map(() => 'headers'),
    )
    expect((await sandbox.callHost('GET', '/planted-faults')).status).toBe(200)
  })

  test('plants the same faults for the same seed, and others for other seeds', async () => {
    const drawn = async (seed: number) => {
      const sandbox = await host.create({ seed: 'empty' })
      await sandbox.callHost('POST', '/hunt', { seed })
      const { faults } = BenchReport.parse((await sandbox.callHost('POST', '/report', { findings: [] })).data)
      return JSON.stringify(faults?.map(({ id }) => id))
    }
    const sets = await Promise.all([1, 2, 3, 4, 5, 6].map(drawn))
    expect(await drawn(1)).toBe(String(sets[0]))
    expect(new Set(sets).size).toBeGreaterThan(4)
  })

  test('counts what was reported by request, by operation and status, or by operation', async () => {
    const sandbox = await host.create()
    await plant(sandbox, ['location-missing', 'ok-for-missing', 'challenge-missing'])
    await provokeAll(sandbox)
    await sandbox.call('GET', '/store/orders/999')
    await sandbox.call('GET', '/store/orders', { isAnonymous: true })
    const report = async (findings: readonly object[], cleanRuns: readonly (readonly object[])[] = []) =>
      BenchReport.parse((await sandbox.callHost('POST', '/report', { findings, cleanRuns })).data)
    const how = ({ faults }: BenchReport) => faults?.map(({ reportedBy }) => reportedBy ?? 'no')
    const flagged = [
      { message: 'no Location', requestId: 'r2' },
      { message: 'the body is no order', method: 'get', path: '/store/orders/999', status: 200 },
      { message: 'odd', operation: 'listOrders' },
    ]
    const all = await report(flagged)
    expect(how(all)).toEqual(['request', 'operation and status', 'operation'])
    expect(all.falseAlarms).toBe(0n)
    // What is found without faults, with other numbers, counts for nothing.
    const second = { message: 'the body is no order', method: 'GET', path: '/store/orders/7', status: 200 }
    expect(how(await report(flagged, [[], [second]]))).toEqual(['request', 'no', 'operation'])
    expect(how(await report(flagged, [flagged]))).toEqual(['no', 'no', 'no'])
    const wrong = await report([{ message: 'slow', operation: 'getPet' }])
    expect([how(wrong), wrong.falseAlarms]).toEqual([['no', 'no', 'no'], 1n])
  })

  test('gives a tool that flags everything no point', async () => {
    const everything = Object.keys(contract).map(operation => ({ message: 'wrong', operation }))
    const sandbox = await host.create()
    await sandbox.callHost('POST', '/hunt', { seed: 5 })
    await provokeAll(sandbox)
    const { data } = await sandbox.callHost('POST', '/report', {
      findings: everything,
      cleanRuns: [everything, everything],
    })
    expect(BenchReport.parse(data).scores?.map(({ reported }) => reported)).toEqual(
      BenchReport.parse(data).scores?.map(() => 0n),
    )
  })
})

test('a reset ends what a fault remembers, and keeps the faults and the report', async () => {
  const sandbox = await host.create()
  await plant(sandbox, ['deleted-still-listed'])
  await sandbox.call('DELETE', '/pets/349')
  const listed = async () => (await sandbox.call('GET', '/pets?sort=-id&limit=1')).text
  expect(await listed()).toContain('"id":349')
  await sandbox.callHost('POST', '/reset', {})
  expect(JSON.parse(await listed())).toHaveLength(1)
  const { faults } = BenchReport.parse((await sandbox.callHost('GET', '/report')).data)
  expect(faults).toMatchObject([{ id: 'deleted-still-listed', provoked: 1n }])
})

test('a fault remembers the newest requests alone, so that a loop of them holds up no other sandbox', async () => {
  const planted = new PlantedFaultsOfSandbox('', () => NOW_MS)
  planted.set([{ id: 'key-reuse-accepted', operation: undefined }])
  const send = async (key: number, status: number, text: string) => {
    const headers = new Headers({ 'Idempotency-Key': `"${key}"`, 'Content-Type': 'application/json' })
    const call = {
      operationId: 'placeOrder',
      method: 'POST',
      path: '/store/orders',
      headers,
      body: '',
    } as const
    const again = () => Promise.reject(new Error('nothing is sent again'))
    return await planted.changeReply(
      { status, headers, text },
      { ...call, query: new URLSearchParams(), nowMs: NOW_MS, before: undefined, again },
    )
  }
  const startedMs = performance.now()
  for (let key = 0; key < 10_000; key++) await send(key, 201, `{"id":${key}}`)
  expect(performance.now() - startedMs).toBeLessThan(3000)
  const reused = '{"code":"idempotency_key_reused"}'
  expect([(await send(9_500, 422, reused)).text, (await send(1, 422, reused)).text]).toEqual([
    '{"id":9500}',
    reused,
  ])
})

test('each of several faults makes only the responses of its own operation wrong', async () => {
  const sandbox = await host.create()
  const faults = [
    { id: 'ok-for-created', operation: 'createPet' },
    { id: 'location-missing', operation: 'createCategory' },
  ]
  await sandbox.callHost('PUT', '/planted-faults', { faults })
  const outcomeOf = async (path: string, body: object) => {
    const { status, headers } = await sandbox.call('POST', path, { body })
    return [status, headers.has('location')]
  }
  expect(await outcomeOf('/categories', { name: 'Otters' })).toEqual([201, false])
  expect(await outcomeOf('/pets', { name: 'Otto', categoryId: 1 })).toEqual([200, true])
  expect(await outcomeOf('/store/orders', { petId: 3 })).toEqual([201, true])
})

test('two faults in one response are recorded with the status that left the store', async () => {
  const sandbox = await host.create()
  await plant(sandbox, ['location-missing', 'ok-for-created'])
  expect((await sandbox.call('POST', '/categories', { body: { name: 'Otters' } })).status).toBe(200)
  const { faults } = BenchReport.parse((await sandbox.callHost('GET', '/report')).data)
  expect(faults?.map(({ first }) => first?.status)).toEqual([200n, 200n])
})

test('a rule and a planted fault both apply: the rule to the store that is wrong', async () => {
  const sandbox = await host.create()
  await plant(sandbox, ['retry-after-missing', 'location-missing'])
  const asked = await sandbox.call('GET', '/categories/1', {
    headers: { 'Petstore-Fault': 'error; code=storage_full' },
  })
  expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, null])
  await sandbox.callHost('PUT', '/faults', {
    rules: [{ name: 'slow', operation: 'createCategory', effect: { type: 'delay', delayMs: 30 } }],
  })
  const created = await sandbox.call('POST', '/categories', { body: { name: 'Otters' } })
  expect([created.status, created.headers.get('location')]).toEqual([201, null])
  expect(created.headers.get('petstore-fault')).toContain('delay')
})

test.each([
  [{ faults: [{ id: 'locaton-missing' }] }, 'did you mean location-missing?'],
  [{ faults: [{ id: 'location-missing', operation: 'listPets' }] }, 'must be one of createCategory'],
  [{ faults: [{ id: 'location-missing' }, { id: 'location-missing' }] }, 'location-missing twice'],
])('the choice %j is refused: %s', async (body, message) => {
  const sandbox = await host.create({ seed: 'empty' })
  const { status, text } = await sandbox.callHost('PUT', '/planted-faults', body)
  expect([status, text.includes(message)]).toEqual([422, true])
})

test('a shop does not load the planted faults', async () => {
  const modulesOf = async (file: string) => {
    const built = await Bun.build({ entrypoints: [file], target: 'bun', metafile: true })
    return Object.keys(built.metafile?.inputs ?? {}).filter(path => path.includes('sandboxes/bench/'))
  }
  expect(await modulesOf('src/cli/serve/serve.ts')).toEqual([])
  expect(await modulesOf('src/sandboxes/server.ts')).not.toEqual([])
})
