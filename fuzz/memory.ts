import type { Description, Operation } from './document.ts'
import type { FuzzRequest } from './fuzz-request.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import type { JsonValue } from './json.ts'
import type { Random } from './random.ts'
import type { Resource } from './resource.ts'
import { isObject } from './validate.ts'

const RESOURCES_PER_KIND_MAX = 60
const REPEATABLE_MAX = 8
/** If more representations than this are known, all are forgotten before the next one is added. */
const REPRESENTATIONS_MAX = 240

/** The response that contained a representation, and the value of Memory.changes at that time. */
interface KnownRepresentation {
  readonly response: FuzzResponse
  readonly changes: number
}

/** The knowledge of one virtual client, from the responses to its own requests. */
export interface Memory {
  readonly resources: Map<string, Resource[]>
  readonly deleted: Map<string, Resource[]>
  /** The last known representation of each resource, by the path of the resource. */
  readonly representations: Map<string, KnownRepresentation>
  /** The target of the next page by operationId, from the Link of a page. */
  readonly nextPages: Map<string, string>
  /** The last successful requests with an idempotency key, and their responses. */
  readonly repeatable: { readonly request: FuzzRequest; readonly response: FuzzResponse }[]
  /** The number of successful changes by this client. A representation with a lower number may be out of date. */
  changes: number
}

export function emptyMemory(): Memory {
  return {
    resources: new Map(),
    deleted: new Map(),
    representations: new Map(),
    nextPages: new Map(),
    repeatable: [],
    changes: 0,
  }
}

/** Returns an existing resource of a kind that this client has created; undefined if there is none. */
export function existingResource({ resources }: Memory, random: Random, kind: string): Resource | undefined {
  const list = resources.get(kind) ?? []
  return list.length > 0 ? random.pick(list) : undefined
}

export function existingCount({ resources }: Memory, kind: string): number {
  return resources.get(kind)?.length ?? 0
}

/** Returns a resource of a kind that this client has deleted; undefined if there is none. */
export function deletedResource({ deleted }: Memory, random: Random, kind: string): Resource | undefined {
  const list = deleted.get(kind) ?? []
  return list.length > 0 ? random.pick(list) : undefined
}

/**
 * Returns the response with the last representation of the resource at a path. Returns undefined if there is none, or
 * if this client has changed anything since. The response may be to a read, or to the request that created or changed
 * the resource.
 */
export function unchangedAt({ representations, changes }: Memory, path: string): FuzzResponse | undefined {
  const known = representations.get(path)
  return known?.changes === changes ? known.response : undefined
}

/** Returns an entity tag that the resource at a path has, or had; undefined if none is known. */
export function etagAt({ representations }: Memory, path: string): string | undefined {
  return representations.get(path)?.response.headers.get('etag')
}

/** Records the effect of a valid request that succeeded. Returns the resource that it created, if any. */
export function remember(
  memory: Memory,
  description: Description,
  request: FuzzRequest,
  response: FuzzResponse,
  body: JsonValue | undefined,
): Resource | undefined {
  const { operation, expects } = request
  if (!operation || expects.kind !== 'valid' || response.status >= 300 || response.status < 200)
    return undefined
  if (request.method === 'GET') {
    rememberNextPage(memory, description, operation, response)
  } else {
    memory.changes++
    if (request.headers.some(([name]) => name === 'Idempotency-Key'))
      keepLast(memory.repeatable, { request, response }, REPEATABLE_MAX)
  }
  if (request.method === 'DELETE') {
    if (expects.resource) moveToDeleted(memory, expects.resource, operation.path)
    return undefined
  }
  const location = response.headers.get('location')
  const path =
    request.method === 'POST' ? location?.slice(description.base.length) : itemPath(request, operation)
  if (path !== undefined && response.headers.has('etag')) rememberRepresentation(memory, path, response)
  return request.method === 'POST' ? rememberCreated(memory, operation, response, body) : undefined
}

/**
 * Returns the path of the requested resource. Returns undefined if the described path does not end with a parameter:
 * other clients may change the content of a list.
 */
function itemPath({ target }: FuzzRequest, { path }: Operation): string | undefined {
  return path.endsWith('}') ? target.split('?')[0] : undefined
}

function rememberRepresentation(
  { representations, changes }: Memory,
  path: string,
  response: FuzzResponse,
): void {
  if (representations.size > REPRESENTATIONS_MAX) representations.clear()
  representations.set(path, { response, changes })
}

function rememberNextPage(
  { nextPages }: Memory,
  { base }: Description,
  { id }: Operation,
  response: FuzzResponse,
): void {
  // Deliveries appear without a request of the client, so a remembered next page may be stale.
  if (id === 'listDeliveries') return
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  if (next?.startsWith(base)) nextPages.set(id, next.slice(base.length))
}

/**
 * Records the created resource and returns it; returns undefined if nothing was created, or the resource is already
 * known. The kind of the resource is the name of the link parameter whose expression is `$response.body#/id`.
 */
function rememberCreated(
  memory: Memory,
  { responses }: Operation,
  { status }: FuzzResponse,
  body: JsonValue | undefined,
): Resource | undefined {
  if (!isObject(body)) return undefined
  for (const link of responses.get(status)?.links ?? []) {
    for (const [kind, expression] of link) {
      const id = expression === '$response.body#/id' ? body.id : undefined
      const resources = memory.resources.get(kind) ?? []
      if (typeof id !== 'bigint' || resources.some(resource => resource.id === String(id))) continue
      const resource = { kind, id: String(id) }
      keepLast(resources, resource, RESOURCES_PER_KIND_MAX)
      memory.resources.set(kind, resources)
      return resource
    }
  }
  return undefined
}

function moveToDeleted({ resources, deleted }: Memory, resource: Resource, path: string): void {
  resource.deletedPath = path
  resources.set(
    resource.kind,
    (resources.get(resource.kind) ?? []).filter(other => other !== resource),
  )
  const list = deleted.get(resource.kind) ?? []
  keepLast(list, resource, RESOURCES_PER_KIND_MAX)
  deleted.set(resource.kind, list)
}

function keepLast<T>(list: T[], entry: T, countMax: number): void {
  list.push(entry)
  if (list.length > countMax) list.shift()
}
