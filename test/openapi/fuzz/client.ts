import fc from 'fast-check'
import { type JsonValue, parseJson } from '../../../src/values/json.ts'
import type { Description, Operation } from './description.ts'

const RESOURCES_MAX = 300
const REPEATABLE_MAX = 8

/** A resource that a client has created. No other client changes it, so its creator knows whether it exists. */
export interface Resource {
  /** The name of the path parameter that takes the id. */
  readonly kind: string
  readonly id: string
  /** The described path at which the resource was deleted; absent while it exists. */
  deletedPath?: string
}

/** What the clients of a run have in common. */
export interface Run {
  readonly description: Description
  readonly adminKey: string
  /** By scope, a key that has only it, and one that does not grant it. */
  readonly keys: ReadonlyMap<string, readonly [only: string, without: string]>
  /** The address of a receiver of webhooks on this machine, which accepts every delivery. */
  readonly receiver: string
}

/** What a response must satisfy, in addition to the description. */
export type Expectation =
  /** The request is invalid on purpose, and must be refused with this status. */
  | { readonly kind: 'refusal'; readonly status: number; readonly why: string }
  /** The request is valid, so only the state of the store, or a rule in prose, can be a reason for a refusal. */
  | { readonly kind: 'valid'; readonly precondition: 'none' | 'holds' | 'fails' | 'unmodified' }
  /** The request is repeated under its idempotency key, or as HEAD immediately after GET; `of` was its response. */
  | { readonly kind: 'replay' | 'head'; readonly of: FuzzResponse }
  /** The path does not have the method, or the method is OPTIONS. `Allow` must name these methods. */
  | { readonly kind: 'allow'; readonly status: number; readonly methods: readonly string[] }

/** A request of a described operation, valid at first. A mutation may change it. */
export interface FuzzRequest {
  readonly operation: Operation
  readonly method: string
  /** The path and query parameters, as sent. */
  readonly path: Map<string, string>
  query: (readonly [name: string, value: string])[]
  readonly headers: Map<string, string>
  /** The members of the body, each with its JSON text. */
  readonly members: Map<string, string>
  /** The body, if it is not made of `members`. */
  body?: string
  /** The resource of the path, if the client knows whether it exists. */
  readonly resource: Resource | undefined
  expects: Expectation
}

export interface FuzzResponse {
  /** The status; 0 if there was no response. */
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** One of the concurrent clients of a run. It knows the store only from the responses to its own requests. */
export class VirtualClient {
  readonly run: Run
  requestId = ''
  /** The last successful requests with an idempotency key. */
  readonly repeatable: { readonly request: FuzzRequest; readonly response: FuzzResponse }[] = []
  readonly #resources: Resource[] = []
  /** The last representation of each resource by path, and the number of changes at that time. */
  readonly #representations = new Map<string, { readonly response: FuzzResponse; readonly changes: number }>()
  #changes = 0
  #generate: fc.GeneratorValue | undefined

  constructor(run: Run) {
    this.run = run
  }

  /** Begins a request, whose random choices depend only on these two numbers. */
  begin(seed: number, number: number): void {
    this.requestId = `fuzz-${seed}-${number}`
    this.#generate = fc.sample(fc.gen(), { seed: Math.imul(number + 1, 0x9e3779b1) ^ seed, numRuns: 1 })[0]
  }

  draw<T>(values: fc.Arbitrary<T>): T {
    if (!this.#generate) throw new Error('no request has begun')
    return this.#generate(() => values)
  }

  pick<T>(list: readonly T[]): T {
    return this.draw(fc.constantFrom(...list))
  }

  /** Returns true in this share of the calls. */
  chance(percent: number): boolean {
    return this.draw(fc.noBias(fc.nat(99))) < percent
  }

  /** Returns the resources of a kind that exist, or those that this client has deleted. */
  resources(kind: string, isDeleted = false): readonly Resource[] {
    return this.#resources.filter(one => one.kind === kind && (one.deletedPath !== undefined) === isDeleted)
  }

  /** Returns the last representation at a path; undefined if this client has changed anything since. */
  unchangedAt(path: string): FuzzResponse | undefined {
    const known = this.#representations.get(path)
    return known?.changes === this.#changes ? known.response : undefined
  }

  /** Records the effect of a valid request that succeeded. Returns the resource that it created, if any. */
  remember(request: FuzzRequest, response: FuzzResponse): Resource | undefined {
    const { operation, method, resource, headers, expects } = request
    if (expects.kind !== 'valid' || response.status >= 300) return undefined
    if (method !== 'GET') this.#changes++
    if (headers.has('Idempotency-Key')) this.repeatable.push({ request, response })
    this.repeatable.splice(0, this.repeatable.length - REPEATABLE_MAX)
    if (method === 'DELETE' && resource) resource.deletedPath = operation.path
    const location = response.headers.get('location')?.slice(this.run.description.base.length)
    const path = method === 'POST' ? location : operation.path.endsWith('}') ? pathOf(request) : undefined
    if (path !== undefined && response.headers.has('etag'))
      this.#representations.set(path, { response, changes: this.#changes })
    return method === 'POST' ? this.#rememberCreated(operation, response) : undefined
  }

  #rememberCreated(operation: Operation, { text }: FuzzResponse): Resource | undefined {
    const kind = this.kindOf(operation, 'id')
    const id = String(membersOf(text).id)
    if (kind === undefined || this.#resources.some(one => one.kind === kind && one.id === id))
      return undefined
    const resource = { kind, id }
    this.#resources.push(resource)
    this.#resources.splice(0, this.#resources.length - RESOURCES_MAX)
    return resource
  }

  /** Returns the kind of the resource that a parameter or member names by id; undefined if it is not an id. */
  kindOf({ path }: Operation, name: string): string | undefined {
    if (name !== 'id') return name.endsWith('Id') ? name : undefined
    const rests = this.run.description.operations.map(one => one.path.replace(path, ''))
    return rests.find(rest => /^\/\{\w+\}$/.test(rest))?.slice(2, -1)
  }
}

export function pathOf({ operation, path }: FuzzRequest): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => path.get(name) ?? '')
}

export function targetOf(request: FuzzRequest): string {
  const pairs = request.query.map(([name, value]) => `${name}=${value}`)
  return pathOf(request) + (pairs.length > 0 ? `?${pairs.join('&')}` : '')
}

/** Returns the body of a request; undefined if the operation has none. */
export function bodyOf({ operation, members, body }: FuzzRequest): string | undefined {
  const pairs = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return operation.body && (body ?? `{${pairs}}`)
}

/** Returns the members of a JSON object; none if the text is not an object. */
export function membersOf(text: string | undefined): Readonly<Record<string, JsonValue>> {
  const value = text ? parseJson(text) : null
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
