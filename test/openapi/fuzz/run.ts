import { hasScope, type ScopeName, scopeNames } from '../../../src/contract/scopes.ts'
import { makeClient } from '../../support/client.ts'
import { check } from './checks.ts'
import { bodyOf, type FuzzRequest, type FuzzResponse, type Run, targetOf, VirtualClient } from './client.ts'
import { fetchDescription, type Operation } from './description.ts'
import { mutate } from './mutations.ts'
import { validRequest } from './valid-request.ts'

/** The number of concurrent virtual clients. */
const CLIENTS = 16
const RESPONSE_TIMEOUT_MS = 10_000
const routeMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** A later request that follows from a response. */
type Step = (client: VirtualClient) => FuzzRequest

export interface FuzzOptions {
  readonly url: string
  /** A key with the scope `admin`. */
  readonly key: string
  readonly requests: number
  readonly seed: number
  /** The number of concurrent clients. Only a single one sends the same requests with the same seed. */
  readonly clients?: number
  /** Called with the operation and the rule of each finding, joined by a space. The run ends once it returns true. */
  readonly isEnough?: (finding: string) => boolean
}

/**
 * Sends the given number of valid and invalid requests, derived from the description that the store serves, and checks
 * each response. Returns the first finding of each operation and rule. The created resources remain.
 */
export async function fuzz(options: FuzzOptions): Promise<ReadonlyMap<string, string>> {
  const { url, key, requests, seed, clients = CLIENTS, isEnough } = options
  const description = await fetchDescription(url)
  const keys = await makeKeys(url, key)
  const findings = new Map<string, string>()
  let hasEnough = false
  await using receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const run = { description, adminKey: key, keys, receiver: receiver.url.origin }
  const runClient = async (first: number): Promise<void> => {
    const client = new VirtualClient(run)
    const planned: Step[] = []
    for (let number = first; number < requests && !hasEnough; number += clients) {
      client.begin(seed, number)
      const request = (planned.shift() ?? nextRequest)(client)
      const response = await send(url, request, client.requestId)
      for (const [rule, detail] of check(client, request, response)) {
        const finding = `${request.operation.operationId} ${rule}`
        hasEnough ||= isEnough?.(finding) ?? false
        const line = `${request.method} ${targetOf(request)} ${[...request.headers]} ${bodyOf(request)}`
        if (!findings.has(finding)) findings.set(finding, `${detail}\n${line.slice(0, 1000)}`)
      }
      planned.unshift(...followUps(client, request, response))
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => runClient(index)))
  return findings
}

/** Returns a request: usually a valid one, sometimes an invalid or repeated one, or one with another method. */
function nextRequest(client: VirtualClient): FuzzRequest {
  if (client.chance(5) && client.repeatable.length > 0) return repeated(client)
  const request = validRequest(client, pickOperation(client))
  if (client.chance(4)) return withOtherMethod(request, client)
  return client.chance(37) ? mutate(request, client) : request
}

/** Returns later requests: a resource is read, changed, deleted and read again; a HEAD follows a GET. */
function followUps(client: VirtualClient, request: FuzzRequest, response: FuzzResponse): Step[] {
  const { expects, method, operation } = request
  const created = client.remember(request, response)
  // Failed authentications are rate limited.
  if (method === 'GET' && operation.method === 'GET' && response.status !== 401 && client.chance(10))
    return [() => ({ ...request, method: 'HEAD', expects: { kind: 'head', of: response } })]
  const resource = created ?? (expects.kind === 'valid' ? request.resource : undefined)
  if (!resource || method === 'GET' || (!created && client.chance(70))) return []
  const isLong = created && client.chance(20)
  const methods = isLong ? ['GET', 'PATCH', 'GET', 'PUT', 'DELETE', 'GET', 'DELETE'] : ['GET']
  const items = client.run.description.operations.filter(({ path }) => path.endsWith(`{${resource.kind}}`))
  const planned = methods.flatMap(name => items.filter(one => one.method === name))
  return planned.map(item => later => validRequest(later, item, resource))
}

/** Returns a random operation: less often a read of a list, or one for which resources are missing. */
function pickOperation(client: VirtualClient): Operation {
  const { operations } = client.run.description
  if (!client.chance(60)) return client.pick(operations)
  const ready = new Set(client.run.description.kinds.filter(kind => client.resources(kind).length > 1))
  const isLikely = ({ path, method, kinds }: Operation): boolean =>
    kinds.every(kind => ready.has(kind)) && (method !== 'GET' || path.endsWith('}'))
  return client.pick(operations.filter(isLikely))
}

/** Returns a repetition of an earlier request with an idempotency key, or another request with the same key. */
function repeated(client: VirtualClient): FuzzRequest {
  const { request, response } = client.pick(client.repeatable)
  const body = bodyOf(request)
  if (body === undefined || client.chance(70))
    return { ...request, expects: { kind: 'replay', of: response } }
  const why = 'the Idempotency-Key was used with another body'
  return { ...request, body: `${body} `, expects: { kind: 'refusal', status: 422, why } }
}

/** Returns a request whose method its path does not have. */
function withOtherMethod(request: FuzzRequest, client: VirtualClient): FuzzRequest {
  const { path } = request.operation
  const described = client.run.description.operations.filter(one => one.path === path).map(one => one.method)
  const methods = [...described, 'OPTIONS', ...(described.includes('GET') ? ['HEAD'] : [])]
  const method = client.pick(['OPTIONS', ...routeMethods.filter(name => !methods.includes(name))])
  const expects = { kind: 'allow', status: method === 'OPTIONS' ? 204 : 405, methods } as const
  return { ...request, method, headers: new Map(), expects }
}

async function makeKeys(base: string, key: string): Promise<Run['keys']> {
  const createKey = async (scopes: ScopeName[]): Promise<string> =>
    (await makeClient({ base, key }).createKey({ body: { name: 'fuzz', scopes } })).data.key
  const limited = scopeNames.filter(scope => scope !== 'admin')
  const keys = limited.map(async scope => {
    const others = scopeNames.filter(other => !hasScope({ scopes: [other] }, scope))
    return [scope, [await createKey([scope]), await createKey(others)]] as const
  })
  return new Map<string, readonly [string, string]>(await Promise.all(keys))
}

/** Sends a request. The status of the response is 0 if there is none, or if it is not text in UTF-8. */
async function send(url: string, request: FuzzRequest, id: string): Promise<FuzzResponse> {
  const { method, headers } = request
  const fields = { 'Accept-Encoding': 'identity', 'X-Request-Id': id, ...Object.fromEntries(headers) }
  const text = method === request.operation.method ? bodyOf(request) : undefined
  // A text as a body would add a Content-Type.
  const body = text === undefined ? null : Buffer.from(text)
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
  try {
    const response = await fetch(url + targetOf(request), { method, headers: fields, body, signal })
    const received = new TextDecoder('utf-8', { fatal: true }).decode(await response.bytes())
    return { status: response.status, headers: response.headers, text: received }
  } catch (error) {
    return { status: 0, headers: new Headers(), text: String(error) }
  }
}
