import { expect, test } from 'bun:test'
import { codeOf, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'

test('rate limits count two keys and an address separately, and report the remaining requests', async () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  await using store = await openTestStore('sqlite', {
    rateLimit: { requests: 3, seconds: 60 },
    timer: () => now,
  })
  const first = await fetch(`${store.base}/pets`)
  expect(first.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60')
  expect(first.headers.get('ratelimit')).toBe('"default";r=2;t=60')
  await fetch(`${store.base}/pets`)
  await fetch(`${store.base}/pets`)
  const refused = await fetch(`${store.base}/pets`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=60')
  const clerk = await store.clientWith('orders:read')
  for (let requests = 1; requests < 3; requests++) await store.client.listPets({})
  expect(await codeOf(store.client.listPets({}))).toBe('429 rate_limited')
  expect((await clerk.listPets({})).status).toBe(200)
  expect((await fetch(`${store.base}/pets`)).status).toBe(429)
})

test('rate limits count every request, whatever its refusal is', async () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  const category = JSON.stringify({ name: 'Any' })
  const refused = [
    { status: 403, method: 'POST', path: '/categories', body: category },
    { status: 404, method: 'GET', path: '/pets/404' },
    { status: 400, method: 'GET', path: '/pets?limit=0' },
    { status: 406, method: 'GET', path: '/pets', headers: { Accept: 'text/csv' } },
    { status: 412, method: 'GET', path: '/pets', headers: { 'If-Match': '"other"' } },
    {
      status: 415,
      method: 'POST',
      path: '/store/orders',
      body: '{}',
      headers: { 'Content-Type': 'text/csv' },
    },
    { status: 422, method: 'POST', path: '/store/orders', body: '{}' },
  ]
  await using store = await openTestStore('sqlite', {
    rateLimit: { requests: refused.length, seconds: 60 },
    timer: () => now,
  })
  for (const { status, method, path, ...request } of refused) {
    const { key } = (await store.client.createKey({ body: { name: `${status}`, scopes: ['orders:write'] } }))
      .data
    const headers = { Authorization: `Bearer ${key}`, ...request.headers }
    const statuses: number[] = []
    for (let count = 0; count <= refused.length; count++)
      statuses.push((await store.send(method, path, { ...request, headers })).status)
    expect(statuses).toEqual([...refused.map(() => status), 429])
  }
})

test('rate limits start again when the window ends', async () => {
  let now = Date.parse('2026-11-21T00:00:00Z')
  await using store = await openTestStore('sqlite', {
    rateLimit: { requests: 1, seconds: 60 },
    timer: () => now,
  })
  expect((await fetch(`${store.base}/pets`)).status).toBe(200)
  expect((await fetch(`${store.base}/pets`)).status).toBe(429)
  now += 60_000
  expect((await fetch(`${store.base}/pets`)).status).toBe(200)
})

test('a clock that is set back by an hour does not extend the window of a rate limit', async () => {
  let now = Date.parse('2026-11-21T12:00:00Z')
  let timer = 0
  const clocks = { clock: () => now, timer: () => timer }
  await using store = await openTestStore('sqlite', { rateLimit: { requests: 1, seconds: 60 }, ...clocks })
  const status = async (): Promise<number> => (await fetch(`${store.base}/pets`)).status
  expect([await status(), await status()]).toEqual([200, 429])
  now -= 3_600_000
  timer += 60_000
  expect(await status()).toBe(200)
})

test('rate limits count each client of a trusted proxy, but all clients of another proxy together', async () => {
  const rateLimit = { requests: 1, seconds: 60 }
  const from = (store: TestStore, forwarded: string) =>
    fetch(`${store.base}/pets`, { headers: { 'X-Forwarded-For': forwarded } }).then(({ status }) => status)
  await using trusting = await openTestStore('sqlite', {
    rateLimit,
    trustedProxies: ['127.0.0.0/8', '10.0.0.1'],
  })
  expect(await from(trusting, '203.0.113.1')).toBe(200)
  expect(await from(trusting, '203.0.113.2')).toBe(200)
  expect(await from(trusting, '198.51.100.9, 203.0.113.1, 10.0.0.1')).toBe(429)
  await using wary = await openTestStore('sqlite', { rateLimit })
  expect(await from(wary, '203.0.113.1')).toBe(200)
  expect(await from(wary, '203.0.113.2')).toBe(429)
})

test('paths outside the description count towards the rate limit of an address, but probes do not', async () => {
  await using own = await openTestStore('sqlite', { rateLimit: { requests: 3, seconds: 600 } })
  const status = async (path: string, method = 'GET') => (await fetch(own.base + path, { method })).status
  for (let probe = 0; probe < 5; probe++)
    expect([await status('/livez'), await status('/readyz')]).toEqual([200, 200])
  expect([
    await status('/docs/scalar.js'),
    await status('/nowhere'),
    await status('/pets', 'OPTIONS'),
  ]).toEqual([200, 404, 204])
  for (const path of ['/docs/scalar.js', '/openapi.json', '/nowhere', '/']) {
    expect([path, await status(path)]).toEqual([path, 429])
  }
  // The program that watches the store from this machine sees that others are refused.
  const metrics = (headers: Record<string, string>) => fetch(`${own.base}/metrics`, { headers })
  expect((await metrics({})).status).toBe(200)
  expect((await metrics({ Forwarded: 'for=127.0.0.1' })).status).toBe(429)
  expect(await status('/livez')).toBe(200)
})

onEveryEngine(engine => {
  test('guessed keys are slowed down, but a client with a valid key is never blocked', async () => {
    await using guarded = await openTestStore(engine)
    const guess = () => fetch(`${guarded.base}/pets`, { headers: { Authorization: 'Bearer guess' } })
    const statuses = []
    for (let guesses = 0; guesses < 61; guesses++) statuses.push((await guess()).status)
    expect(statuses.slice(0, 60).every(status => status === 401)).toBe(true)
    const slowed = await guess()
    expect([slowed.status, Number(slowed.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await guarded.client.listPets({})).status).toBe(200)
  })
})
