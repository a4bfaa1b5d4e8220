import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { z } from 'zod'
import { openReceiver, type Received } from '../support/receiver.ts'
import { type CallResult, openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'
import { until } from '../support/until.ts'
import { refuseWrites } from './class-session.ts'

const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

type Effect = Readonly<Record<string, unknown>>

/** Creates a sandbox with rules. A rule without a name is named after its index: `rule-0`. */
async function sandboxWith(...rules: readonly object[]): Promise<TestSandbox> {
  const sandbox = await host.create()
  const named = rules.map((rule, index) => ({ name: `rule-${index}`, ...rule }))
  const set = await sandbox.callHost('PUT', '/faults', { rules: named })
  if (set.status !== 200) throw new Error(set.text)
  return sandbox
}

test('fault rules and planted faults stay as they were if the host cannot store a change', async () => {
  const sandbox = await sandboxWith({ effect: { type: 'error', code: 'overloaded' } })
  const release = refuseWrites(host, sandbox.created.id)
  const statuses = [
    (await sandbox.callHost('DELETE', '/faults')).status,
    (await sandbox.callHost('PUT', '/faults', { rules: [] })).status,
    (await sandbox.callHost('POST', '/hunt', { seed: 3 })).status,
  ]
  release()
  expect(statuses.filter(status => status < 500)).toEqual([])
  expect((await sandbox.callHost('GET', '/faults')).data).toMatchObject({ rules: [{ name: 'rule-0' }] })
  expect((await sandbox.callHost('GET', '/planted-faults')).data).toMatchObject({ faults: [] })
})

const order = { body: { petId: 3 } }
const withKey = { ...order, headers: { 'Idempotency-Key': '"once"' } }

async function orderCount(sandbox: TestSandbox): Promise<number> {
  const { data } = await sandbox.call('GET', '/store/orders')
  return (data as unknown[]).length
}

/** Returns what a raw connection receives, and whether it is reset. */
function receiveRaw(url: string, head: string): Promise<{ bytes: string; isReset: boolean }> {
  const { port, hostname } = new URL(url)
  return new Promise(resolve => {
    let bytes = ''
    let isReset = false
    const socket = connect(Number(port), hostname, () => socket.write(head))
    socket.on('data', chunk => {
      bytes += chunk
    })
    socket.on('error', () => {
      isReset = true
    })
    socket.on('close', () => resolve({ bytes, isReset }))
  })
}

/** Returns the request line and the fields of a request to a sandbox. */
function headOf(
  { created }: TestSandbox,
  method: string,
  path: string,
  fields: readonly string[] = [],
): string {
  const { pathname, host: authority } = new URL(created.baseUrl)
  const lines = [`${method} ${pathname}${path} HTTP/1.1`, `Host: ${authority}`, ...fields, '', '']
  return lines.join('\r\n')
}

test('the effect "error" responds with the code, its status and Retry-After, as JSON or as a problem', async () => {
  const effect = { type: 'error', code: 'storage_full', retryAfterSeconds: 7 }
  const sandbox = await sandboxWith({ operation: 'placeOrder', effect })
  const refused = await sandbox.call('POST', '/store/orders', order)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '7'])
  expect(refused.data).toMatchObject({ code: 'storage_full', status: 503n })
  expect(refused.headers.get('petstore-fault')).toBe(
    'error; code=storage_full; retry_after_seconds=7; rule="rule-0"',
  )
  const problem = await sandbox.call('POST', '/store/orders', {
    ...order,
    headers: { Accept: 'application/problem+json' },
  })
  expect(problem.headers.get('content-type')).toBe('application/problem+json')
  expect((await sandbox.call('GET', '/pets')).status).toBe(200)
  expect(await orderCount(sandbox)).toBe(0)
})

test('the effect "error" can return every code of the catalogue, with the header fields of its status', async () => {
  const sandbox = await host.create()
  const { data } = await sandbox.call('GET', '/errors')
  const codes = data as { code: string; status: bigint }[]
  expect(codes.length).toBeGreaterThan(40)
  for (const { code, status } of codes) {
    const result = await sandbox.call('GET', '/pets', {
      headers: { 'Petstore-Fault': `error; code=${code}` },
    })
    expect([code, result.status, (result.data as { code: string }).code]).toEqual([
      code,
      Number(status),
      code,
    ])
    if (status === 401n) expect(result.headers.get('www-authenticate')).toContain('Bearer')
    if (status === 403n) expect(result.headers.get('www-authenticate')).toContain('scope="admin"')
    expect([code, result.headers.get('allow')]).toEqual([code, status === 405n ? 'GET' : null])
    if (status === 429n || status === 503n) expect(result.headers.get('retry-after')).toMatch(/^\d+$/)
  }
})

test('the effect "delay" waits before the request is handled', async () => {
  const sandbox = await sandboxWith({ operation: 'listPets', effect: { type: 'delay', delayMs: 200 } })
  await sandbox.callHost('DELETE', '/requests')
  const startedMs = performance.now()
  expect((await sandbox.call('GET', '/pets')).status).toBe(200)
  const tookMs = performance.now() - startedMs
  expect(tookMs).toBeGreaterThanOrEqual(195)
  const { data: logged } = await sandbox.callHost('GET', '/requests')
  const [{ ms }] = z.tuple([z.object({ ms: z.coerce.number() })]).parse(logged)
  expect([ms >= 195, ms <= tookMs]).toEqual([true, true])
  const undelayed = await sandbox.call('GET', '/categories')
  expect([undelayed.status, undelayed.headers.get('petstore-fault')]).toEqual([200, null])
  expect((await sandbox.callHost('GET', '/faults')).data).toMatchObject({ rules: [{ calls: 1n }] })
})

test('the effect "delay" adds a random time up to its jitter', async () => {
  const sandbox = await sandboxWith({ effect: { type: 'delay', delayMs: 1, jitterMs: 100 } })
  const times: number[] = []
  for (let call = 0; call < 12; call++) {
    const startedMs = performance.now()
    await sandbox.call('GET', '/categories/1')
    times.push(performance.now() - startedMs)
  }
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(20)
})

test('the effect "throttle" sends a body in parts, at its speed, as it would be sent otherwise', async () => {
  const sandbox = await sandboxWith()
  const whole = (await sandbox.call('GET', '/pets?limit=20')).text
  const bytesPerSecond = Math.ceil(Buffer.byteLength(whole) / 0.4)
  const rules = [{ name: 'slow', effect: { type: 'throttle', bytesPerSecond } }]
  await sandbox.callHost('PUT', '/faults', { rules })
  const startedMs = performance.now()
  const response = await fetch(`${sandbox.created.baseUrl}/pets?limit=20`)
  const firstMs = performance.now() - startedMs
  let parts = 0
  let text = ''
  for await (const chunk of response.body ?? []) {
    parts++
    text += new TextDecoder().decode(chunk)
  }
  const tookMs = performance.now() - startedMs
  expect([text, parts > 3]).toEqual([whole, true])
  expect(tookMs).toBeGreaterThan(390)
  expect(firstMs).toBeLessThan(tookMs / 2)
})

test('drop_before_command: the connection is reset without a byte, and no order is placed', async () => {
  const sandbox = await sandboxWith({ operation: 'placeOrder', effect: { type: 'drop_before_command' } })
  await expect(sandbox.call('POST', '/store/orders', order)).rejects.toThrow()
  expect(await orderCount(sandbox)).toBe(0)
  const drop = ['Petstore-Fault: drop_before_command']
  const raw = await receiveRaw(host.base, headOf(sandbox, 'GET', '/pets', drop))
  expect(raw).toEqual({ bytes: '', isReset: true })
  expect((await receiveRaw(host.base, headOf(sandbox, 'HEAD', '/pets', drop))).bytes).toBe('')
})

test('drop_after_commit: the order exists without a response, and a retry gets the same order', async () => {
  const sandbox = await sandboxWith({
    operation: 'placeOrder',
    when: { call: 1 },
    effect: { type: 'drop_after_commit' },
  })
  await expect(sandbox.call('POST', '/store/orders', withKey)).rejects.toThrow()
  expect(await orderCount(sandbox)).toBe(1)
  const retried = await sandbox.call('POST', '/store/orders', withKey)
  expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(await orderCount(sandbox)).toBe(1)
  const body = JSON.stringify({ petId: 4 })
  const fields = [
    `Authorization: Bearer ${sandbox.created.adminKey}`,
    'Petstore-Fault: drop_after_commit',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const raw = await receiveRaw(host.base, headOf(sandbox, 'POST', '/store/orders', fields) + body)
  expect(raw).toEqual({ bytes: '', isReset: true })
  expect(await orderCount(sandbox)).toBe(2)
})

test('control: without the idempotency key, the retry places a second order', async () => {
  const dropped = { operation: 'placeOrder', when: { call: 1 }, effect: { type: 'drop_after_commit' } }
  const sandbox = await sandboxWith(dropped)
  await sandbox.call('PUT', '/store/inventory/3', { body: { quantity: 5 } })
  await expect(sandbox.call('POST', '/store/orders', order)).rejects.toThrow()
  await sandbox.call('POST', '/store/orders', order)
  expect(await orderCount(sandbox)).toBe(2)
})

test('truncate: the body ends early, so that a client sees a broken connection', async () => {
  const sandbox = await sandboxWith({ operation: 'listPets', effect: { type: 'truncate', bytes: 20 } })
  await expect(sandbox.call('GET', '/pets')).rejects.toThrow()
  const raw = await receiveRaw(host.base, headOf(sandbox, 'GET', '/pets'))
  expect(raw.bytes).toContain('HTTP/1.1 200 OK')
  expect(raw.bytes).toContain('Petstore-Fault: truncate; bytes=20; rule="rule-0"')
  const chunks = raw.bytes.split('\r\n\r\n')[1] ?? ''
  expect(chunks).toStartWith('14\r\n[{"id":1,"name":"Ana')
  expect(chunks).not.toContain('\r\n0\r\n')
  // A rule with more bytes than the body has cuts at its end.
  const headers = { 'Petstore-Fault': 'truncate; bytes=1000000' }
  await expect(sandbox.call('GET', '/pets?limit=1', { headers })).rejects.toThrow()
})

test('the effect "rate_limit" allows some requests per period, and header fields report the limit', async () => {
  const effect = { type: 'rate_limit', requests: 2, seconds: 3600 }
  const sandbox = await sandboxWith({ operation: 'listPets', effect })
  const results: CallResult[] = []
  for (let call = 0; call < 3; call++) results.push(await sandbox.call('GET', '/pets'))
  expect(results.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(results[0]?.headers.get('ratelimit-policy')).toBe('"default";q=2;w=3600')
  expect(results[0]?.headers.get('ratelimit')).toBe('"default";r=1;t=3600')
  expect(results[0]?.headers.get('petstore-fault')).toBeNull()
  expect((await sandbox.callHost('GET', '/faults')).data).toMatchObject({
    rules: [{ calls: 3n, applied: 1n }],
  })
  expect(results[2]?.headers.get('petstore-fault')).toContain('rate_limit; requests=2; seconds=3600')
  expect(results[2]?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
  expect(Number(results[2]?.headers.get('retry-after'))).toBeGreaterThan(3000)
})

test('cut_stream: an event stream breaks after the given number of events', async () => {
  const sandbox = await sandboxWith({ effect: { type: 'cut_stream', events: 2 } })
  const { baseUrl, adminKey } = sandbox.created
  const response = await fetch(`${baseUrl}/events/stream?after=0`, {
    headers: { Authorization: `Bearer ${adminKey}` },
  })
  expect(response.headers.get('petstore-fault')).toContain('cut_stream')
  const read = async (): Promise<void> => {
    for await (const _ of response.body ?? []);
  }
  await expect(read()).rejects.toThrow()
  // The client above may get the end of the connection before it has read the events.
  const key = `Authorization: Bearer ${adminKey}`
  const raw = await receiveRaw(host.base, headOf(sandbox, 'GET', '/events/stream?after=0', [key]))
  expect(raw.bytes.match(/\ndata: /g)).toHaveLength(2)
})

describe('a condition', () => {
  const failing: Effect = { type: 'error', code: 'overloaded' }

  /** Returns which of the calls to listPets fail. */
  async function failuresOf(when: object, calls: number, headers = {}): Promise<number[]> {
    const sandbox = await sandboxWith({ operation: 'listPets', when, effect: failing })
    const failed: number[] = []
    for (let call = 1; call <= calls; call++) {
      await sandbox.call('GET', '/categories')
      if ((await sandbox.call('GET', '/pets', { headers })).status === 503) failed.push(call)
    }
    return failed
  }

  test('the conditions "call" and "every" count only the calls of the operation', async () => {
    expect(await failuresOf({ call: 3 }, 6)).toEqual([3])
    expect(await failuresOf({ every: 2 }, 6)).toEqual([2, 4, 6])
  })

  test('the condition "share" selects about that share of calls, and the same calls for the same seed', async () => {
    const first = await failuresOf({ share: 0.3, seed: 5 }, 100)
    expect(first).toEqual(await failuresOf({ share: 0.3, seed: 5 }, 100))
    expect(first).not.toEqual(await failuresOf({ share: 0.3, seed: 6 }, 100))
    expect(first.length).toBeGreaterThan(15)
    expect(first.length).toBeLessThan(45)
    expect(await failuresOf({ share: 1 }, 5)).toEqual([1, 2, 3, 4, 5])
  })

  test('the first rule that applies decides, each rule counts its calls, and deleted rules do nothing', async () => {
    const sandbox = await sandboxWith(
      { when: { every: 2 }, effect: failing },
      { effect: { type: 'error', code: 'internal_error' } },
    )
    const statuses = []
    for (let call = 0; call < 4; call++) statuses.push((await sandbox.call('GET', '/pets')).status)
    expect(statuses).toEqual([500, 503, 500, 503])
    expect((await sandbox.callHost('GET', '/faults')).data).toMatchObject({
      rules: [
        { calls: 4n, applied: 2n },
        { calls: 4n, applied: 2n },
      ],
    })
    expect((await sandbox.callHost('DELETE', '/faults')).status).toBe(204)
    expect((await sandbox.call('GET', '/pets')).status).toBe(200)
  })
})

test('the rules of a sandbox affect no operation of the host, page or probe', async () => {
  const broken = await sandboxWith({ effect: { type: 'error', code: 'internal_error' } })
  expect((await broken.call('GET', '/pets')).status).toBe(500)
  expect((await broken.callHost('GET', '/faults')).status).toBe(200)
  expect((await broken.call('GET', '/docs')).status).toBe(200)
  expect((await broken.call('GET', '/readyz')).status).toBe(200)
})

test.each([
  [{ effect: { type: 'explode' } }, '/rules/0/effect/type'],
  [{ effect: { type: 'error' } }, '/rules/0/effect/code'],
  [{ effect: { type: 'error', code: 'no_such_code' } }, '/rules/0/effect/code'],
  [{ effect: { type: 'delay', delayMs: 0 } }, '/rules/0/effect/delayMs'],
  [{ effect: { type: 'delay', delayMs: 5, bytes: 1 } }, '/rules/0/effect/bytes'],
  [{ operation: 'eatPet', effect: { type: 'truncate' } }, '/rules/0/operation'],
  [{ when: { call: 1, every: 2 }, effect: { type: 'truncate' } }, '/rules/0/when'],
  [{ when: {}, effect: { type: 'truncate' } }, '/rules/0/when'],
  [{ when: { share: 2 }, effect: { type: 'truncate' } }, '/rules/0/when/share'],
  [{ when: { every: 2, seed: 2 }, effect: { type: 'truncate' } }, '/rules/0/when'],
  [{ operation: 'listPets', effect: { type: 'webhook_lost' } }, '/rules/0/operation'],
  [{ when: { header: { name: 'A' } }, effect: { type: 'webhook_lost' } }, '/rules/0/when'],
  [{ operation: 'listPets', effect: { type: 'cut_stream' } }, '/rules/0/operation'],
  [{ name: 'A B', effect: { type: 'truncate' } }, '/rules/0/name'],
])('the rules of a sandbox are not replaced by an invalid rule: %j', async (rule, pointer) => {
  const sandbox = await sandboxWith({ name: 'before', effect: { type: 'delay', delayMs: 1 } })
  const refused = await sandbox.callHost('PUT', '/faults', { rules: [{ name: 'bad', ...rule }] })
  expect(refused.status).toBe(422)
  expect((refused.data as { errors: { pointer: string }[] }).errors.map(error => error.pointer)).toContain(
    pointer,
  )
  expect((await sandbox.callHost('GET', '/faults')).data).toMatchObject({ rules: [{ name: 'before' }] })
})

test('rules with a typo are refused with a message that suggests the valid name', async () => {
  const sandbox = await host.create()
  const rules = [{ name: 'A b', operation: 'placeorders', effect: { type: 'error', code: 'overloded' } }]
  const refused = await sandbox.callHost('PUT', '/faults', { rules })
  const messages = (refused.data as { errors: { message: string }[] }).errors.map(error => error.message)
  expect(messages.join('\n')).toContain('not "placeorders" (did you mean placeOrder?)')
  expect(messages.join('\n')).toContain('not "overloded" (did you mean overloaded?)')
  expect(messages.join('\n')).toContain('must be 1 to 50 lower-case letters, digits and hyphens')
})

test('a sandbox can have at most 50 rules, each with a different name', async () => {
  const sandbox = await host.create()
  const rule = { name: 'same', effect: { type: 'truncate' } }
  expect((await sandbox.callHost('PUT', '/faults', { rules: [rule, rule] })).status).toBe(422)
  const many = Array.from({ length: 51 }, (_, index) => ({ ...rule, name: `rule-${index}` }))
  expect((await sandbox.callHost('PUT', '/faults', { rules: many })).status).toBe(422)
})

test.each([
  ['drop-after-comit', 'not with "drop-after-comit" (did you mean drop_after_commit?)'],
  ['', 'Petstore-Fault'],
  ['error', 'code is required. An example: error; code='],
  ['error; code=storage_ful', 'not "storage_ful" (did you mean storage_full?)'],
  ['delay', 'delay_ms is required'],
  ['delay; delay_ms=abc', 'delay_ms'],
  ['delay; delay_ms=100000', 'delay_ms must be at most 60000. An example: delay; delay_ms=500'],
  ['delay; ms=1', 'ms'],
  ['rate_limit', 'Petstore-Fault'],
  ['cut_stream', 'Petstore-Fault'],
  ['webhook_lost', 'only rules can change deliveries'],
])(
  'a header Petstore-Fault is refused with a reason if its effect cannot apply: %p',
  async (field, message) => {
    const sandbox = await host.create()
    const refused = await sandbox.call('GET', '/pets', { headers: { 'Petstore-Fault': field } })
    expect([refused.status, refused.data]).toMatchObject([
      400,
      {
        code: 'invalid_parameter',
        message: expect.stringContaining(message),
        errors: [{ in: 'header', name: 'Petstore-Fault' }],
      },
    ])
  },
)

test('the header Petstore-Fault of a request affects only its own request', async () => {
  const sandbox = await host.create()
  const asked = { headers: { 'Petstore-Fault': 'error; code=overloaded; retry_after_seconds=3' } }
  expect((await sandbox.call('GET', '/pets', asked)).status).toBe(503)
  expect((await sandbox.call('GET', '/pets')).status).toBe(200)
})

describe('an effect on a delivery', () => {
  /** Sends three events to a receiver under a rule. Returns what arrived, in order: webhook-id and sequence. */
  async function deliver(
    when: object | undefined,
    effect: Effect,
    expected: number,
  ): Promise<{ id: string; sequence: string }[]> {
    await using receiver = await openReceiver()
    const sandbox = await sandboxWith({ ...(when && { when }), effect })
    const url = `${receiver.base}/hook`
    const made = await sandbox.call('POST', '/webhooks', { body: { url, types: ['petstore.order.placed'] } })
    if (made.status !== 201) throw new Error(made.text)
    for (const petId of [3, 4, 5]) await sandbox.call('POST', '/store/orders', { body: { petId } })
    await until(`${expected} deliveries`, () => receiver.received.length >= expected, 20_000)
    // A surplus delivery would arrive during this time.
    await Bun.sleep(300)
    return receiver.received.map(received => ({
      id: received.headers['webhook-id'] ?? '',
      sequence: sequenceOf(received),
    }))
  }

  function sequenceOf({ body }: Received): string {
    return (JSON.parse(body.toString()) as { sequence: string }).sequence
  }

  test('webhook_twice: the same delivery arrives twice, with the same id', async () => {
    const arrived = await deliver({ call: 1 }, { type: 'webhook_twice' }, 4)
    expect(arrived).toHaveLength(4)
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(3)
  })

  test('webhook_late: all deliveries arrive, but only after the delay', async () => {
    const startedMs = performance.now()
    const arrived = await deliver(undefined, { type: 'webhook_late', delayMs: 700 }, 3)
    expect(performance.now() - startedMs).toBeGreaterThan(700)
    expect(arrived).toHaveLength(3)
  })

  test('webhook_out_of_order: the events do not arrive in their order', async () => {
    const arrived = await deliver({ call: 1 }, { type: 'webhook_out_of_order' }, 3)
    const sequences = arrived.map(({ sequence }) => sequence)
    expect(sequences).toHaveLength(3)
    expect(sequences).not.toEqual(sequences.toSorted())
  })

  test('webhook_lost: the delivery does not arrive', async () => {
    const arrived = await deliver({ call: 2 }, { type: 'webhook_lost' }, 2)
    expect(arrived).toHaveLength(2)
  })
})
