import type { Operation } from './document.ts'
import type { FuzzRequest } from './fuzz-request.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import { existingCount } from './memory.ts'
import { mutate } from './mutators.ts'
import { buildRequest, type VirtualClient } from './request-builder.ts'
import type { Resource } from './resource.ts'
import { validRequest } from './valid-request.ts'

/** A later request of a virtual client that follows from a response. */
export type Step =
  | { readonly kind: 'request'; readonly operation: Operation; readonly resource: Resource }
  | { readonly kind: 'head'; readonly request: FuzzRequest; readonly response: FuzzResponse }

/** If a client has fewer resources of a kind than this, it requests operations on that kind less often. */
const RESOURCES_MIN = 2

const routeMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']

/**
 * Returns the next request of a client: the planned one, if there is one. Otherwise it is usually a valid request, and
 * sometimes an invalid or repeated request, or a request outside the description.
 */
export function nextRequest(client: VirtualClient, number: number, planned: Step | undefined): FuzzRequest {
  const { random } = client
  const fromPlan =
    planned?.kind === 'head' ? headRequest(planned, number) : plannedRequest(client, number, planned)
  if (fromPlan) return fromPlan
  const kind = random.below(100)
  if (kind < 4) return undescribedRequest(client, number)
  if (kind < 9) return repeatedRequest(client, number) ?? nextRequest(client, number, undefined)
  if (kind < 12) return pageRequest(client, number)
  const builder = validRequest(client, pickOperation(client))
  if (kind < 45) mutate(client, builder)
  return buildRequest(client, builder, number)
}

/**
 * Returns later steps, chosen at random: a resource is read, changed, deleted and read again; a HEAD follows a GET.
 */
export function followUps(
  { random, description }: VirtualClient,
  request: FuzzRequest,
  response: FuzzResponse,
  created: Resource | undefined,
): Step[] {
  // Failed authentications are rate limited, so the same guess of a key may get a different response the second time.
  const isGuess = request.expects.kind === 'refusal' && request.expects.check === 'auth-bypassed'
  const isRead = request.method === 'GET' && request.operation && response.status !== 0 && !isGuess
  if (isRead && random.chance(0.1)) return [{ kind: 'head', request, response }]
  const resource = created ?? (request.expects.kind === 'valid' ? request.expects.resource : undefined)
  if (!resource || request.method === 'GET') return []
  const items = description.operations.filter(({ path }) => path.endsWith(`{${resource.kind}}`))
  const stepsOf = (...methods: string[]): Step[] =>
    methods.flatMap(method =>
      items
        .filter(item => item.method === method)
        .map(operation => ({ kind: 'request' as const, operation, resource })),
    )
  if (created)
    return random.chance(0.2)
      ? stepsOf('GET', 'PATCH', 'GET', 'PUT', 'DELETE', 'GET', 'DELETE')
      : stepsOf('GET')
  return random.chance(0.3) ? stepsOf('GET') : []
}

/**
 * Returns a random operation. Three kinds are returned less often than others: deletions, reads of a list, and
 * operations for which the client has too few resources.
 */
function pickOperation({ random, memory, description }: VirtualClient): Operation {
  let operation = random.pick(description.operations)
  for (let turn = 0; turn < 6; turn++) {
    const { parameters, body, method } = operation
    const path = parameters.filter(({ location }) => location === 'path').map(({ name }) => name)
    const needed = method === 'POST' ? [...path, ...(body?.schema.required ?? [])] : path
    const lacksResources = needed.some(
      name => description.idParameterNames.has(name) && existingCount(memory, name) < RESOURCES_MIN,
    )
    const isUnwanted = lacksResources || (method === 'DELETE' && random.chance(0.7))
    if (!isUnwanted && (method !== 'GET' || path.length > 0 || random.chance(0.5))) return operation
    operation = random.pick(description.operations)
  }
  return operation
}

function plannedRequest(
  client: VirtualClient,
  number: number,
  planned: Step | undefined,
): FuzzRequest | undefined {
  if (planned?.kind !== 'request') return undefined
  return buildRequest(client, validRequest(client, planned.operation, planned.resource), number)
}

function headRequest({ request, response }: Step & { kind: 'head' }, number: number): FuzzRequest {
  return {
    ...request,
    number,
    label: `HEAD of ${request.label}`,
    method: 'HEAD',
    expects: { kind: 'head', of: response },
  }
}

/**
 * Returns a repetition of an earlier request with an idempotency key, or a different request with the same key. Returns
 * undefined if there is no such request.
 */
function repeatedRequest({ memory, random }: VirtualClient, number: number): FuzzRequest | undefined {
  if (memory.repeatable.length === 0) return undefined
  const { request, response } = random.pick(memory.repeatable)
  if (random.chance(0.7)) return { ...request, number, expects: { kind: 'replay', of: response } }
  if (!request.body) return undefined
  const { sent: _, ...rest } = request
  return {
    ...rest,
    number,
    body: Buffer.concat([request.body, Buffer.from(' ')]),
    expects: {
      kind: 'refusal',
      statuses: [422],
      check: 'accepted-invalid',
      why: 'the Idempotency-Key was used with another body',
    },
  }
}

/**
 * Returns a request for the next page of a list, with the exact target from the Link of a page. If the client knows no
 * Link, the request is for the first page.
 */
function pageRequest(client: VirtualClient, number: number): FuzzRequest {
  const { memory, random, keys, description } = client
  const lists = description.operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'cursor'),
  )
  const operation = random.pick(lists)
  const target = memory.nextPages.get(operation.id)
  if (target === undefined) return buildRequest(client, validRequest(client, operation), number)
  const key = keys.validFor(random, operation)
  return {
    number,
    label: operation.id,
    operation,
    method: 'GET',
    target,
    headers: key === undefined ? [] : [['Authorization', `Bearer ${key}`]],
    path: new Map(),
    query: [],
    expects: { kind: 'valid', resource: undefined, condition: 'none' },
  }
}

/** Returns a request for a described path with a method that it does not have, or for a path that does not exist. */
function undescribedRequest(client: VirtualClient, number: number): FuzzRequest {
  const { random, description } = client
  const operation = random.pick(description.operations)
  const { path, target } = buildRequest(client, validRequest(client, operation), number)
  const methods = description.methods.get(operation.path) ?? []
  const method = random.pick(
    routeMethods.filter(name => !methods.includes(name) && !(name === 'HEAD' && methods.includes('GET'))),
  )
  const plain = { number, headers: [], path, query: [] }
  if (random.chance(0.2)) {
    const unknownTarget = target.replace(/\?.*/, '') + random.pick(['/', '/no/such/path', '/%C3%A9/no/path'])
    return {
      ...plain,
      label: 'an unknown path',
      method: 'GET',
      target: unknownTarget,
      expects: { kind: 'unknown path' },
    }
  }
  return {
    ...plain,
    label: `${method} ${operation.path}`,
    method,
    target,
    expects: { kind: 'allow', status: method === 'OPTIONS' ? 204 : 405, methods },
  }
}
