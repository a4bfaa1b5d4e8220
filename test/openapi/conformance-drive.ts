import { StoreError } from '../../src/contract/error.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { outcomeUnknown } from '../../src/contract/refusals.ts'
import type { StoreEngine } from '../../src/serving/open.ts'
import { type Serving, startServer } from '../../src/serving/server.ts'
import { KEY_RANDOM_BYTES, keyText } from '../../src/shop/keys/key-text.ts'
import type { Scope } from '../../src/shop/keys/schema.ts'
import { contract, isOperationId, type OperationId } from '../../src/shop/registry/operations.ts'
import type { EngineName } from '../support/engines.ts'
import { sendHalfBody } from '../support/half-body.ts'
import { ADMIN_KEY, openTestStore, SECRET_KEY, type TestOptions, type TestStore } from '../support/store.ts'
import type { Observed } from './conformance-check.ts'
import { anyRequest, refusedByTheShop, requestsWithMistakes, successOf } from './conformance-requests.ts'
import type { CallerRequest } from './request-setup.ts'

const rateLimit = { requests: 60_000, seconds: 60 }
const AFTER_SUNSET_MS = Date.parse('2028-01-01T00:00:00Z')

/** The described operations of the contract. The requests are made from the contract, not from the description. */
const served: readonly OperationId[] = Object.entries<Operation>(contract).flatMap(([id, operation]) =>
  isOperationId(id) && !operation.hidden ? [id] : [],
)

/** Sends requests that get every status of every operation, and returns all responses. */
export async function driveEverything(): Promise<Observed[]> {
  const timeouts = driveTimeouts()
  const observed = [
    ...(await driveUsual()),
    ...(await driveRateLimit()),
    ...(await driveSunset()),
    ...(await driveBrokenEngine()),
  ]
  return [...observed, ...(await timeouts)]
}

/** Sends requests that get every status of a sandbox, except those of a failing engine. Returns all responses. */
export async function driveSandbox(): Promise<Observed[]> {
  const sandbox = { asSandbox: true }
  const timeouts = driveTimeouts(sandbox)
  return [
    ...(await driveUsual('sqlite', sandbox)),
    ...(await driveRateLimit(sandbox)),
    ...(await driveSunset(sandbox)),
    ...(await timeouts),
  ]
}

/** Sends each operation a request that succeeds, and requests that it refuses. Returns all responses. */
export async function driveUsual(
  engine: EngineName = 'sqlite',
  options: TestOptions = {},
): Promise<Observed[]> {
  let now = Date.parse('2026-11-21T09:30:00Z')
  const clock = () => now
  await using store = await openTestStore(engine, { rateLimit, clock, timer: clock, ...options })
  const events = await keyWith(store, 'events:read')
  const inventory = await keyWith(store, 'inventory:read')
  const unissuedKey = `Bearer ${keyText(new Uint8Array(KEY_RANDOM_BYTES).fill(7))}`
  const observed: Observed[] = []
  for (const id of served) {
    // This begins a new window of the rate limit for failed authentications.
    now += 61_000
    const request = await successOf(id, store)
    if (!request) continue
    const { scope } = contract[id]
    const keyWithOtherScope = scope === 'events:read' ? inventory : events
    const keys = scope === 'public' || scope === 'any-key' ? [unissuedKey] : [unissuedKey, keyWithOtherScope]
    const wrong = [
      ...requestsWithMistakes(id, request),
      ...keys.map(authorization => ({ ...request, authorization })),
    ]
    for (const refused of wrong) observed.push(...(await sendRefused(store, id, refused)))
    observed.push(...(await succeed(store, id, request)))
  }
  for (const [id, scene] of refusedByTheShop)
    observed.push(...(await sendRefused(store, id, await scene(store))))
  return observed
}

/** Sends each operation a request that succeeds, to a proxy before a store. A proxy may forward no stream. */
export async function driveThrough(proxy: { readonly base: string }, store: TestStore): Promise<Observed[]> {
  const observed: Observed[] = []
  for (const id of served) {
    const request = 'stream' in contract[id].success ? undefined : await successOf(id, store)
    if (request) observed.push(await send(proxy, id, request))
  }
  return observed
}

/** Creates a key with a single scope, and returns its Authorization header. */
async function keyWith({ client }: TestStore, scope: Scope): Promise<string> {
  const { data } = await client.createKey({ body: { name: 'weak', scopes: [scope] } })
  return `Bearer ${data.key}`
}

/**
 * Sends a request that succeeds, then repeats it: a read with the received ETag, a write with the same idempotency key.
 * Then a different write with that key is refused. An operation that returns a secret refuses an idempotency key.
 */
async function succeed(store: TestStore, id: OperationId, request: CallerRequest): Promise<Observed[]> {
  const operation: Operation = contract[id]
  if (operation.method === 'GET') {
    const first = await send(store, id, request)
    const etag = first.headers.get('etag')
    return etag === null
      ? [first]
      : [first, await send(store, id, withHeader(request, 'If-None-Match', etag))]
  }
  const keyed = withHeader(request, 'Idempotency-Key', `"${id}"`)
  if (operation.secret) return [...(await sendRefused(store, id, keyed)), await send(store, id, request)]
  const other =
    request.body === undefined
      ? { path: request.path.replace(/\d+/, '404404') }
      : { body: `${request.body} ` }
  return [
    await send(store, id, keyed),
    await send(store, id, keyed),
    ...(await sendRefused(store, id, { ...keyed, ...other })),
  ]
}

async function driveRateLimit(options: TestOptions = {}): Promise<Observed[]> {
  await using store = await openTestStore('sqlite', { ...options, rateLimit: { requests: 1, seconds: 600 } })
  await store.client.listPets({})
  await store.anonymous.listPets({})
  return await refuseAll(store, served)
}

async function driveSunset(options: TestOptions = {}): Promise<Observed[]> {
  await using store = await openTestStore('sqlite', {
    ...options,
    rateLimit,
    lifecycleClock: () => AFTER_SUNSET_MS,
  })
  const ending = served.filter(id => 'deprecation' in contract[id])
  return await refuseAll(store, ending)
}

async function refuseAll(store: TestStore, ids: readonly OperationId[]): Promise<Observed[]> {
  const observed: Observed[] = []
  for (const id of ids) observed.push(...(await sendRefused(store, id, anyRequest(id))))
  return observed
}

const faults = {
  any: [
    () => new Error('planted'),
    () => new StoreError('overloaded', 'Too many requests are in progress; try again shortly.'),
    () => new StoreError('shutting_down', 'The process is stopping.'),
  ],
  write: [() => new StoreError('storage_full', 'The store has no space left to write.'), outcomeUnknown],
} as const

/**
 * Sends requests to a store whose engine fails. The first request succeeds, so that the store has the caller in memory
 * and authenticates the later requests without the engine.
 */
async function driveBrokenEngine(): Promise<Observed[]> {
  await using store = await openTestStore('sqlite')
  const { engine } = store
  let fault: () => Error = faults.any[0]
  let isBroken = false
  const serving = serve({
    ...engine,
    readShort: work => (isBroken ? Promise.reject(fault()) : engine.readShort(work)),
    readLong: () => Promise.reject(fault()),
    execute: () => Promise.reject(fault()),
  })
  await send(serving, 'getCurrentKey', anyRequest('getCurrentKey'))
  isBroken = true
  const observed: Observed[] = []
  for (const id of served) {
    const { method } = contract[id]
    for (const next of method === 'GET' ? faults.any : [...faults.any, ...faults.write]) {
      fault = next
      for (const request of inBothForms(anyRequest(id))) {
        observed.push(await send(serving, id, request))
      }
    }
  }
  await serving.stop()
  return observed
}

function serve(engine: StoreEngine): Serving {
  return startServer({
    engine,
    host: '127.0.0.1',
    port: 0,
    stability: 'experimental',
    rateLimit,
    mcp: false,
    corsOrigins: [],
    cache: 'verify',
    trustedProxies: [],
    secretKey: SECRET_KEY,
    allowPrivateWebhooks: true,
    eventRetention: 'forever',
    delivery: { resolve: async () => ['127.0.0.1'] },
    log: { info: () => {}, error: () => {}, access: () => {} },
    clock: Date.now,
    lifecycleClock: Date.now,
  })
}

/** Sends bodies that never end. All are sent at once, because the server waits ten seconds for each body. */
async function driveTimeouts(options: TestOptions = {}): Promise<Observed[]> {
  await using store = await openTestStore('sqlite', { ...options, rateLimit })
  const withBody = served.filter(id => 'body' in contract[id])
  return await Promise.all(
    withBody.flatMap(id => inBothForms(anyRequest(id)).map(request => sendHalf(store, id, request))),
  )
}

/** Sends a request that is refused, once for an Error and once for a problem, and returns the responses. */
async function sendRefused(store: TestStore, id: OperationId, request: CallerRequest): Promise<Observed[]> {
  const observed: Observed[] = []
  for (const form of inBothForms(request)) observed.push(await send(store, id, form))
  return observed
}

/** Returns a request that accepts an Error, and one that also accepts a problem (RFC 9457). */
function inBothForms(request: CallerRequest): CallerRequest[] {
  // The mistake in this request is its Accept. If Accept also named the problem type, there would be no mistake.
  if (request.headers?.Accept !== undefined) return [request]
  return [request, withHeader(request, 'Accept', '*/*, application/problem+json')]
}

function withHeader(request: CallerRequest, name: string, value: string): CallerRequest {
  return { ...request, headers: { ...request.headers, [name]: value } }
}

function headersOf(id: OperationId, { headers, body, authorization }: CallerRequest): Record<string, string> {
  const key = contract[id].scope === 'public' ? null : `Bearer ${ADMIN_KEY}`
  const sent = authorization === undefined ? key : authorization
  return {
    'X-Request-Id': 'till-2.00042',
    ...(sent !== null && { Authorization: sent }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  }
}

async function send(
  { base }: { readonly base: string },
  id: OperationId,
  request: CallerRequest,
): Promise<Observed> {
  const { method } = contract[id]
  const { path, body } = request
  const response = await fetch(base + path, {
    method,
    headers: headersOf(id, request),
    ...(body !== undefined && { body }),
  })
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const text = isStream ? await beginningOf(response) : await response.text()
  return observe(id, request, response.status, response.headers, isStream ? JSON.stringify(text) : text)
}

/** Returns the first part of a response that has no end. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

/** Sends the beginning of a body, and waits for the response of the server. */
async function sendHalf(
  { base }: { readonly base: string },
  id: OperationId,
  request: CallerRequest,
): Promise<Observed> {
  const { method } = contract[id]
  const { status, headers, body } = await sendHalfBody(base + request.path, method, headersOf(id, request))
  return observe(id, request, status, headers, body)
}

function observe(
  id: OperationId,
  request: CallerRequest,
  status: number,
  headers: Headers,
  body: string,
): Observed {
  const path = request.path.split('?')[0] ?? ''
  return { operationId: id, method: contract[id].method, path, status, headers, body }
}
