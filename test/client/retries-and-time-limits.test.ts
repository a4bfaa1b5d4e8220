import { expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { createClient } from '../../src/client/client.ts'
import { ApiError, ConnectionError, TimeoutError } from '../../src/client/errors.ts'
import type { Fetch } from '../../src/client/request.ts'
import type { Retry } from '../../src/client/send.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { cuttingServer, errorOf, fakeServer, pageOf, refusal } from './fake-server.ts'

test('a call that waits for events has this time in addition to its time limit', async () => {
  using fake = fakeServer(() => Bun.sleep(150).then(() => pageOf('[]')))
  const client = createClient({ ...fake, timeoutMs: 50, retriesMax: 0 })
  expect((await client.listEvents({ after: '0', wait: 30 })).status).toBe(200)
  expect(await errorOf(client.listEvents({ after: '0' }))).toBeInstanceOf(TimeoutError)
})

test('a program ends right after its last call, without waiting for the time limit of the call', async () => {
  using fake = fakeServer(() => pageOf('[]'))
  const client = new URL('../../src/client/client.ts', import.meta.url).pathname
  const program = `import { createClient } from '${client}'
      await createClient({ baseUrl: '${fake.baseUrl}' }).listPets()`
  const child = Bun.spawn([process.execPath, '-e', program], { stdin: 'ignore', timeout: 15_000 })
  expect([await child.exited, fake.requests.length]).toEqual([0, 1])
}, 30_000)

test('a signal that is used for many calls keeps no trace of the calls that have ended', async () => {
  using fake = fakeServer((_, count) => (count % 2 === 1 ? refusal(503, 'overloaded') : pageOf('[]')))
  const { signal } = new AbortController()
  for (const _ of [1, 2]) await createClient(fake).listPets({}, { signal })
  expect(fake.requests).toHaveLength(4)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a failed connection is retried, and reported once the retries are used up', async () => {
  const retries: Retry[] = []
  using fake = cuttingServer(2, '[]')
  const client = createClient({ baseUrl: fake.baseUrl, onRetry: retry => retries.push(retry) })
  expect((await client.listPets()).data.items).toEqual([])
  expect(retries.map(({ number, error }) => [number, error.name])).toEqual([
    [1, 'ConnectionError'],
    [2, 'ConnectionError'],
  ])
  const none = createClient({ baseUrl: 'http://127.0.0.1:1', retriesMax: 1 })
  expect(await errorOf(none.listPets())).toBeInstanceOf(ConnectionError)
})

test('a failure is not retried if the command may have run and has no idempotency key', async () => {
  using fake = cuttingServer(1, '{}')
  expect(await errorOf(createClient(fake).createKey({ body: { name: 'x', scopes: [] } }))).toBeInstanceOf(
    ConnectionError,
  )
  expect(fake.count()).toBe(1)
})

test('an error says which idempotency key its change was sent with, chosen or not', async () => {
  using fake = fakeServer((_, count) =>
    count === 1 ? refusal(503, 'outcome_unknown') : new Response('', { status: 502 }),
  )
  const client = createClient({ ...fake, retriesMax: 0 })
  const input = { body: { petId: 1 } }
  const unknown = await errorOf(client.placeOrder(input))
  expect(unknown).toBeInstanceOf(ApiError)
  expect(fake.requests[0]?.headers.get('idempotency-key')).toMatch(/^"[\da-f-]{36}"$/)
  expect(unknown).toHaveProperty(
    'idempotencyKey',
    JSON.parse(fake.requests[0]?.headers.get('idempotency-key') ?? ''),
  )
  const lost = await errorOf(client.placeOrder(input, { idempotencyKey: 'a "quoted" key' }))
  expect(lost).toMatchObject({ idempotencyKey: 'a "quoted" key' })
  expect(await errorOf(client.listPets())).toMatchObject({ idempotencyKey: undefined })
})

test('a refusal after a lost response settles a change only if the store has looked for its key', async () => {
  const outcomeOf = async (status: number, code: string, change: boolean) => {
    using fake = fakeServer((_, count) => (count === 1 ? refusal(502, 'unknown') : refusal(status, code)))
    const client = createClient({ ...fake, retriesMax: 1 })
    const error = await errorOf(change ? client.placeOrder({ body: { petId: 1 } }) : client.listPets())
    return error instanceof Error ? error.name : error
  }
  const open = [
    [429, 'rate_limited'],
    [503, 'overloaded'],
    [503, 'shutting_down'],
    [403, 'insufficient_scope'],
    [401, 'invalid_token'],
    // The page of a proxy.
    [404, 'unknown'],
  ] as const
  for (const [status, code] of open) {
    expect([code, await outcomeOf(status, code, true)]).toEqual([code, 'ConnectionError'])
    expect([code, await outcomeOf(status, code, false)]).toEqual([code, 'ApiError'])
  }
  const settled = [
    [409, 'insufficient_stock'],
    [404, 'order_not_found'],
    [412, 'precondition_failed'],
    [422, 'unknown_reference'],
  ] as const
  for (const [status, code] of settled)
    expect([code, await outcomeOf(status, code, true)]).toEqual([code, 'ApiError'])
})

test('a failure with Retry-After is not retried before that time', async () => {
  using fake = fakeServer((_, count) =>
    count === 1 ? refusal(429, 'rate_limited', { 'Retry-After': '1' }) : new Response('{}'),
  )
  const startedMs = performance.now()
  await createClient(fake).createKey({ body: { name: 'x', scopes: [] } })
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990)
})

test('a call whose complete response does not arrive in time fails with a TimeoutError', async () => {
  for (const respond of [
    () => Bun.sleep(20_000).then(() => pageOf('[]')),
    () => new Response(new ReadableStream({ start: controller => controller.enqueue(Buffer.from('[')) })),
  ]) {
    using fake = fakeServer(respond)
    const startedMs = performance.now()
    const error = await errorOf(createClient({ ...fake, timeoutMs: 100, retriesMax: 1 }).listPets())
    expect(error).toBeInstanceOf(TimeoutError)
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    expect(fake.requests).toHaveLength(2)
  }
})

test('an aborted call fails with the reason of the caller, before, during or between the attempts', async () => {
  using fake = fakeServer((_, count) =>
    count === 1
      ? Bun.sleep(20_000).then(() => new Response())
      : refusal(503, 'overloaded', { 'Retry-After': '30' }),
  )
  const client = createClient(fake)
  const reason = new Error('the user left')
  expect(await errorOf(client.listPets({}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(fake.requests.length).toBeLessThanOrEqual(1)
  for (const _ of [1, 2]) {
    const aborting = new AbortController()
    setTimeout(() => aborting.abort(reason), 100)
    const startedMs = performance.now()
    expect(await errorOf(client.listPets({}, { signal: aborting.signal }))).toBe(reason)
    expect(performance.now() - startedMs).toBeLessThan(10_000)
  }
})

onEveryEngine(engine => {
  const store = sharedStore(engine)

  /** Places an order of three units, loses the first response, and returns the number of units reserved afterwards. */
  async function reservedAfterLoss(send: Fetch): Promise<bigint | undefined> {
    const { petId } = await makePet(store().client, { quantity: 10n })
    let responses = 0
    const client = createClient({
      baseUrl: store().base,
      key: ADMIN_KEY,
      fetch: async (url, init) => {
        const response = await send(url, init)
        if (init.method !== 'POST' || responses++ > 0) return response
        await response.arrayBuffer()
        throw new TypeError('the connection was lost')
      },
    })
    const { data } = await client.placeOrder({ body: { petId, quantity: 3 } })
    expect([responses, data.quantity]).toEqual([2, 3n])
    return (await client.getInventoryItem({ petId })).data.reserved
  }

  test('an order whose response was lost is placed once', async () => {
    expect(await reservedAfterLoss(fetch)).toBe(3n)
  })

  test('control: a client with a new idempotency key for each attempt is detected', async () => {
    const withNewKey: Fetch = (url, init) => {
      const headers = new Headers(init.headers)
      if (headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID())
      return fetch(url, { ...init, headers })
    }
    expect(await reservedAfterLoss(withNewKey)).toBe(6n)
  })
})
