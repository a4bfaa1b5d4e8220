import { expect, test } from 'bun:test'
import { type CallResult, openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'

function refusalOf({ status, data }: CallResult): string {
  const { code, message } = data as { code: string; message: string }
  return `${status} ${code}: ${message}`
}

async function createPets(sandbox: TestSandbox, count: number): Promise<CallResult[]> {
  await sandbox.call('POST', '/categories', { body: { name: 'Dogs' } })
  const results: CallResult[] = []
  for (let index = 0; index < count; index++) {
    results.push(await sandbox.call('POST', '/pets', { body: { name: `Pet ${index}`, categoryId: 1 } }))
  }
  return results
}

test('a refusal names the limit of rows, of events or of webhooks, and reads still work', async () => {
  await using host = await openSandboxHost({ limits: { rows: 3, events: 14, webhooks: 1 } })
  const fullOfRows = await host.create({ seed: 'empty' })
  const results = await createPets(fullOfRows, 5)
  expect(results.map(({ status }) => status)).toEqual([201, 201, 201, 503, 503])
  expect(results.slice(3).map(refusalOf)[0]).toBe(
    '503 storage_full: This sandbox has reached its limit of 3 pets. Reset it, or create another one.',
  )
  const fullOfEvents = await host.create({ seed: 'empty' })
  await createPets(fullOfEvents, 3)
  const changes: CallResult[] = []
  for (let quantity = 5; quantity < 20; quantity++) {
    changes.push(await fullOfEvents.call('PUT', '/store/inventory/1', { body: { quantity } }))
  }
  expect(changes.filter(({ status }) => status === 503).map(refusalOf)[0]).toContain('its limit of 14 events')
  const { data: events } = await fullOfEvents.call('GET', '/events?after=0&limit=100')
  expect(Array.isArray(events) && events.at(-1)).toMatchObject({
    sequence: expect.stringMatching(/^0*14$/),
  })
  expect((await fullOfEvents.call('GET', '/pets')).data).toHaveLength(3)
  expect((await fullOfEvents.callHost('POST', '/reset')).status).toBe(200)
  expect((await createPets(fullOfEvents, 1))[0]?.status).toBe(201)
  const fullOfWebhooks = await host.create({ seed: 'empty' })
  const body = { url: 'http://127.0.0.1:9/hook', types: ['petstore.order.placed'] }
  expect((await fullOfWebhooks.call('POST', '/webhooks', { body })).status).toBe(201)
  expect(refusalOf(await fullOfWebhooks.call('POST', '/webhooks', { body }))).toContain(
    '409 webhook_limit_reached: This sandbox has reached its limit of 1 webhooks',
  )
})

test('a refusal names the limit of bytes, other sandboxes still write, and a reset frees the space', async () => {
  await using host = await openSandboxHost({ limits: { bytes: 1024 * 1024 } })
  const [full, other] = [await host.create({ seed: 'empty' }), await host.create({ seed: 'empty' })]
  const description = 'x'.repeat(2000)
  let refused: CallResult | undefined
  for (let index = 0; index < 600 && !refused; index++) {
    const made = await full.call('POST', '/categories', { body: { name: `${index}`, description } })
    if (made.status !== 201) refused = made
  }
  expect(refused && refusalOf(refused)).toContain(
    '503 storage_full: This sandbox has reached its limit of 1 MiB.',
  )
  expect((await full.call('GET', '/categories')).status).toBe(200)
  expect((await other.call('POST', '/categories', { body: { name: 'Dogs' } })).status).toBe(201)
  expect((await full.callHost('POST', '/reset')).status).toBe(200)
  expect((await full.call('POST', '/categories', { body: { name: 'Dogs' } })).status).toBe(201)
})

test('each sandbox has its own limit of requests per minute; the host API and probes are exempt', async () => {
  await using host = await openSandboxHost({ limits: { requestsPerMinute: 20 } })
  const [busy, other] = [await host.create(), await host.create()]
  const results: CallResult[] = []
  for (let index = 0; index < 25; index++)
    results.push(await busy.call('GET', '/pets', { isAnonymous: index % 2 === 0 }))
  const refused = results.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(5)
  expect(refused[0] && refusalOf(refused[0])).toContain('its limit of 20 requests a minute')
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await other.call('GET', '/pets')).status).toBe(200)
  expect((await busy.callHost('GET', '/requests')).data).toHaveLength(25)
  expect((await busy.call('GET', '/readyz')).status).toBe(200)
})

test('a refusal names the limit of streams or of snapshots', async () => {
  await using host = await openSandboxHost({ limits: { streams: 2, snapshots: 2 } })
  const sandbox = await host.create()
  const { baseUrl, adminKey } = sandbox.created
  const stopped = new AbortController()
  const open = (): Promise<Response> =>
    fetch(`${baseUrl}/events/stream`, {
      headers: { Authorization: `Bearer ${adminKey}` },
      signal: stopped.signal,
    })
  // The runtime closes the connection of a garbage-collected response, so both responses are kept.
  const [first, second, third] = [await open(), await open(), await open()]
  expect([third.status, await third.text()]).toEqual([503, expect.stringContaining('At most 2 streams')])
  expect([first.status, second.status]).toEqual([200, 200])
  stopped.abort()
  for (const name of ['a', 'b', 'a'])
    expect((await sandbox.callHost('PUT', `/snapshots/${name}`)).status).toBe(200)
  expect(refusalOf(await sandbox.callHost('PUT', '/snapshots/c'))).toBe(
    '409 sandbox_limit_reached: A sandbox can have 2 snapshots: delete one first.',
  )
})

test('a refusal names the limit of sandboxes, of total bytes or of creations per hour', async () => {
  await using few = await openSandboxHost({ limits: { sandboxes: 2 } })
  const created = await Promise.allSettled([few.create(), few.create(), few.create(), few.create()])
  expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  await expect(few.create()).rejects.toThrow('This host has reached its limit of 2 sandboxes')
  await using small = await openSandboxHost({ limits: { bytesTotal: 1_000_000 } })
  for (let index = 0; index < 3; index++) await small.create().catch(() => {})
  await expect(small.create()).rejects.toThrow('MiB on its disk')

  // The limit does not apply to programs on this machine, so these requests look as if a proxy forwarded them.
  await using host = await openSandboxHost({ limits: { createdPerHour: 2 }, trustedProxies: ['127.0.0.1'] })
  const createFrom = (address: string): Promise<Response> =>
    fetch(`${host.base}/sandboxes`, { method: 'POST', headers: { 'X-Forwarded-For': address } })
  const statuses: number[] = []
  for (let index = 0; index < 3; index++) statuses.push((await createFrom('203.0.113.5')).status)
  expect(statuses).toEqual([201, 201, 429])
  const refused = await createFrom('203.0.113.5')
  expect(await refused.text()).toContain('One address can create 2 sandboxes an hour')
  expect((await createFrom('203.0.113.6')).status).toBe(201)
  for (let index = 0; index < 5; index++) expect((await host.create()).created.id).toHaveLength(26)
  // The limit applies to a page of another origin, even in a browser on this machine.
  const fromPage: number[] = []
  for (let index = 0; index < 3; index++) {
    const headers = { Origin: 'https://evil.example' }
    fromPage.push((await fetch(`${host.base}/sandboxes`, { method: 'POST', headers })).status)
  }
  expect(fromPage).toEqual([201, 201, 429])
})

test('the limit of open sandboxes is never exceeded, and no order is lost when sandboxes are closed', async () => {
  await using host = await openSandboxHost({ limits: { open: 3 } })
  const sandboxes = await Promise.all(Array.from({ length: 8 }, () => host.create()))
  for (let round = 0; round < 3; round++) {
    const orders = await Promise.all(
      sandboxes.map(sandbox => sandbox.call('POST', '/store/orders', { body: { petId: 3 + round } })),
    )
    expect(orders.map(({ status }) => status)).toEqual(sandboxes.map(() => 201))
    expect(host.host.counts.open).toBeLessThanOrEqual(3)
  }
  for (const sandbox of sandboxes) expect((await sandbox.call('GET', '/store/orders')).data).toHaveLength(3)
})

test('webhooks of sandboxes are off unless the host allows them, and the refusal says so', async () => {
  await using host = await openSandboxHost({
    webhooksRefusal: 'This host sends no webhooks from sandboxes.',
  })
  const sandbox = await host.create()
  const refused = await sandbox.call('POST', '/webhooks', {
    body: { url: 'https://example.com/hook', types: ['petstore.order.placed'] },
  })
  expect(refused.data).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/url', message: 'This host sends no webhooks from sandboxes.' }],
  })
})

test('webhooks of sandboxes to private addresses are refused unless the host allows them', async () => {
  await using host = await openSandboxHost({ allowPrivateWebhooks: false })
  const sandbox = await host.create()
  for (const url of ['http://127.0.0.1:9/', 'http://10.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/']) {
    const refused = await sandbox.call('POST', '/webhooks', {
      body: { url, types: ['petstore.order.placed'] },
    })
    expect(refusalOf(refused)).toContain('is not on the public Internet')
  }
})
