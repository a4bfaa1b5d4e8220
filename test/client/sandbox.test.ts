import { afterAll, expect, test } from 'bun:test'
import { createClient } from '../../src/client/client.ts'
import { createSandbox, type FaultRule } from '../../src/client/petstore-client.ts'
import type { Fetch } from '../../src/client/request.ts'
import type { SandboxOptions } from '../../src/client/sandbox.ts'
import { FaultEffect } from '../../src/sandboxes/failures/rules.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { codeOf } from '../support/store.ts'

const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

async function openSandbox(options: SandboxOptions = {}) {
  return createSandbox({ host: host.base, ...options })
}

/** Creates a pet with this quantity in an empty store, and returns the pet. */
async function makePet(sandbox: Awaited<ReturnType<typeof openSandbox>>, quantity: number) {
  const { data: category } = await sandbox.createCategory({ body: { name: 'Dogs' } })
  const { data: pet } = await sandbox.createPet({ body: { name: 'Rex', categoryId: category.id } })
  await sandbox.setInventory({ petId: pet.id, body: { quantity } })
  return pet
}

test('a sandbox is a client of a fresh store with its admin key, and is deleted at the end of its block', async () => {
  const before = host.host.counts.sandboxes
  let closed: Awaited<ReturnType<typeof openSandbox>>
  {
    await using sandbox = await openSandbox({ seed: 'empty', label: 'a test', lifetimeSeconds: 3600 })
    closed = sandbox
    expect((await sandbox.listPets()).data.items).toEqual([])
    expect((await sandbox.getCurrentKey()).data.scopes).toEqual(['admin'])
    const lifetimeMs = Date.parse(sandbox.expiresAt) - Date.now()
    expect(Math.round(lifetimeMs / 60_000)).toBe(60)
    const other = createClient({ baseUrl: sandbox.baseUrl, key: sandbox.adminKey })
    await other.createCategory({ body: { name: 'Cats' } })
    expect((await sandbox.listCategories()).data.items.map(({ name }) => name)).toEqual(['Cats'])
    expect(host.host.find(sandbox.id)).toMatchObject({ label: 'a test', seed: 'empty' })
    expect(host.host.counts.sandboxes).toBe(before + 1)
  }
  expect(host.host.counts.sandboxes).toBe(before)
  expect(await codeOf(closed.listPets())).toBe('404 sandbox_not_found')
  await closed.delete()
})

test('a sandbox that cannot be deleted is an error, and so is the end of its block', async () => {
  let isBroken = true
  const fetch: Fetch = async (url, init) =>
    init.method === 'DELETE' && isBroken ? new Response('{}', { status: 500 }) : globalThis.fetch(url, init)
  await using sandbox = await openSandbox({ fetch })
  await expect(sandbox.delete()).rejects.toMatchObject({ status: 500 })
  isBroken = false
})

test('the operations that control a sandbox hide no operation of the store', async () => {
  await using sandbox = await openSandbox()
  const client = createClient({ baseUrl: sandbox.baseUrl })
  const controls = Object.keys(sandbox).filter(name => !(name in client))
  expect(controls.sort()).toEqual(
    [
      ...['adminKey', 'baseUrl', 'clock', 'delete', 'expiresAt', 'faultStates', 'faults', 'id'],
      ...['requests', 'reset', 'restore', 'snapshot'],
    ].sort(),
  )
  expect(Object.keys(sandbox).length).toBe(Object.keys(client).length + controls.length)
  expect(Object.keys(client).length).toBeGreaterThan(30)
})

test('`reset` restores the seed, and `restore` restores a snapshot', async () => {
  await using sandbox = await openSandbox({ seed: 'empty' })
  await makePet(sandbox, 3)
  expect(await sandbox.snapshot('one-pet')).toMatchObject({ name: 'one-pet', bytes: expect.any(BigInt) })
  expect(await sandbox.reset()).toMatchObject({ id: sandbox.id, generation: 2n, state: 'ready' })
  expect((await sandbox.listPets()).data.items).toEqual([])
  expect((await sandbox.restore('one-pet')).generation).toBe(3n)
  expect((await sandbox.listPets()).data.items).toMatchObject([{ id: 1n, name: 'Rex' }])
  expect((await sandbox.reset('one-pet')).generation).toBe(4n)
  expect(await codeOf(sandbox.restore('other'))).toBe('404 snapshot_not_found')
})

test('a sandbox can start with the snapshot of another sandbox if the key of the other sandbox is given', async () => {
  await using template = await openSandbox({ seed: 'empty' })
  await makePet(template, 3)
  await template.snapshot('ready')
  await using copy = await openSandbox({ seed: `${template.id}/ready`, seedKey: template.adminKey })
  expect((await copy.listPets()).data.items).toMatchObject([{ name: 'Rex' }])
  expect(await codeOf(openSandbox({ seed: `${template.id}/ready` }))).toBe('401 authentication_required')
  expect(await codeOf(openSandbox({ seed: `${template.id}/ready`, seedKey: copy.adminKey }))).toBe(
    '401 invalid_token',
  )
})

test('an order whose response was dropped after the commit is placed once, and both requests are logged', async () => {
  const retries: string[] = []
  await using sandbox = await openSandbox({ seed: 'empty', onRetry: ({ error }) => retries.push(error.name) })
  const pet = await makePet(sandbox, 3)
  const rule: FaultRule = {
    name: 'lost',
    operation: 'placeOrder',
    when: { call: 1 },
    effect: { type: 'drop_after_commit' },
  }
  expect(await sandbox.faults([rule])).toMatchObject([{ name: 'lost', calls: 0n, applied: 0n }])
  const order = await sandbox.placeOrder({ body: { petId: pet.id } }, { idempotencyKey: 'first' })
  expect([order.replayed, retries]).toEqual([true, ['ConnectionError']])
  expect((await sandbox.listOrders()).data.items.length).toBe(1)
  expect(await sandbox.faultStates()).toMatchObject([{ name: 'lost', calls: 2n, applied: 1n }])
  const orders = (await sandbox.requests({ limit: 10 })).filter(
    ({ operationId }) => operationId === 'placeOrder',
  )
  expect(orders.map(({ status, fault }) => [status, fault])).toEqual([
    [201n, undefined],
    [undefined, expect.stringContaining('drop_after_commit')],
  ])
  const [last, first] = orders
  expect(last?.requestHeaders['idempotency-key']).toBe('"first"')
  expect(orders.map(({ ms }) => typeof ms)).toEqual(['number', 'number'])
  const [previous] = await sandbox.requests({ limit: 1, before: last?.number })
  expect(previous?.number).toBe(first?.number)
  await sandbox.faults([])
  expect(await sandbox.faultStates()).toEqual([])
})

test('a duration in the request log is a number, whether it has a fraction or not', async () => {
  const log = '[{"number":2,"ms":3},{"number":1,"ms":0.5}]'
  const fetch: Fetch = async (url, init) =>
    url.endsWith('/requests') ? new Response(log) : globalThis.fetch(url, init)
  await using sandbox = await openSandbox({ fetch })
  expect((await sandbox.requests()).map(({ number, ms }) => [number, ms])).toEqual([
    [2n, 3],
    [1n, 0.5],
  ])
})

/** Rules that together have every effect and every condition, as the types of the client write them. */
const everyRule: FaultRule[] = [
  { name: 'error', when: { call: 1 }, effect: { type: 'error', code: 'storage_full', retryAfterSeconds: 5 } },
  { name: 'delay', when: { every: 2 }, effect: { type: 'delay', delayMs: 10n } },
  { name: 'slow', effect: { type: 'throttle', bytesPerSecond: 1000 } },
  { name: 'before', when: { share: 0.25, seed: 7 }, effect: { type: 'drop_before_command' } },
  { name: 'after', when: { idempotencyKey: 'x' }, effect: { type: 'drop_after_commit' } },
  { name: 'cut', when: { header: { name: 'X-Test' } }, effect: { type: 'truncate', bytes: 3 } },
  { name: 'rate', operation: 'listPets', effect: { type: 'rate_limit', requests: 3, seconds: 10 } },
  { name: 'stream', operation: 'streamEvents', effect: { type: 'cut_stream', events: 2 } },
  { name: 'twice', effect: { type: 'webhook_twice' } },
  { name: 'late', effect: { type: 'webhook_late', delayMs: 5 } },
  { name: 'order', effect: { type: 'webhook_out_of_order' } },
  { name: 'webhook-lost', effect: { type: 'webhook_lost' } },
]

test('the host accepts every effect and condition that the types of the client allow', async () => {
  await using sandbox = await openSandbox()
  const states = await sandbox.faults(everyRule)
  expect(states.map(({ name }) => name)).toEqual(everyRule.map(({ name }) => name))
  expect(states[3]?.when).toEqual({ share: 0.25, seed: 7n })
  expect(everyRule.map(({ effect }) => String(effect.type))).toEqual(
    FaultEffect.options.map(({ shape }) => shape.type.value),
  )
  // The host returns what it accepts: the rules can be set again as they were read.
  expect((await sandbox.faults(await sandbox.faultStates().then(rulesOf))).length).toBe(everyRule.length)
})

function rulesOf(states: readonly FaultRule[]): FaultRule[] {
  return states.map(({ name, operation, when, effect }) => ({ name, operation, when, effect }))
}

test('the clock of a sandbox can be set, and reset to the real time', async () => {
  const deprecatedIds: unknown[] = []
  await using sandbox = await openSandbox({
    onDeprecation: ({ operationId }) => deprecatedIds.push(operationId),
  })
  await sandbox.getPet({ petId: 3 })
  expect(deprecatedIds).toEqual(['getPet'])
  expect((await sandbox.clock(new Date('2035-06-01T00:00:00Z'))).slice(0, 10)).toBe('2035-06-01')
  expect(await codeOf(sandbox.getPet({ petId: 3 }))).toBe('410 operation_sunset')
  const now = Date.parse(await sandbox.clock(null))
  expect(Math.abs(now - Date.now())).toBeLessThan(60_000)
  expect((await sandbox.getPet({ petId: 3 })).status).toBe(200)
})

test('a refusal of the host is an ApiError with its code, and invalid options are refused', async () => {
  const refused = await openSandbox({ lifetimeSeconds: 1 }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ name: 'ApiError', status: 422, code: 'validation_failed' })
  expect(await codeOf(openSandbox({ seed: 'no/such' }))).toBe('422 validation_failed')
  await expect(openSandbox({ host: 'ftp://x' })).rejects.toThrow(TypeError)
  await expect(openSandbox({ lifetimeSeconds: 60.5 })).rejects.toThrow(RangeError)
  await expect(openSandbox({ timeoutMs: 0 })).rejects.toThrow(RangeError)
})

test('404 or 405 from the host API means that the URL is not a host of sandboxes; 400 does not', async () => {
  const openThroughProxy = (status: number) =>
    openSandbox({ fetch: async () => new Response('<h1>proxy</h1>', { status }) })
  for (const status of [404, 405])
    await expect(openThroughProxy(status)).rejects.toThrow('is not a host of sandboxes')
  await expect(openThroughProxy(400)).rejects.toMatchObject({
    name: 'ApiError',
    status: 400,
    code: 'unknown',
  })
  await using sandbox = await openSandbox()
  await expect(openSandbox({ host: sandbox.baseUrl })).rejects.toThrow('is not a host of sandboxes')
})

test('the host can be given in the environment; if no host is given, the error says how to give one', async () => {
  process.env.PETSTORE_SANDBOXES = host.base
  try {
    await using sandbox = await createSandbox()
    expect(sandbox.baseUrl).toStartWith(`${host.base}/s/`)
  } finally {
    delete process.env.PETSTORE_SANDBOXES
  }
  await expect(createSandbox()).rejects.toThrow(/`host`, or in the environment variable PETSTORE_SANDBOXES/)
})

test('the given fetch sends the requests to the host and to the store', async () => {
  const paths: string[] = []
  const fetch: Fetch = (url, init) => {
    paths.push(`${init.method} ${new URL(url).pathname.replace(/[a-z0-9]{26}/, 'ID')}`)
    return globalThis.fetch(url, init)
  }
  {
    await using sandbox = await openSandbox({ fetch })
    await sandbox.getPet({ petId: 3 })
    await sandbox.requests()
  }
  expect(paths).toEqual([
    'POST /sandboxes',
    'GET /s/ID/pets/3',
    'GET /sandboxes/ID/requests',
    'DELETE /sandboxes/ID',
  ])
})
