import type { Description, Operation } from './document.ts'
import type { Condition, Expectation, FuzzRequest, NameValue } from './fuzz-request.ts'
import { readJsonText } from './json.ts'
import type { Keys } from './keys.ts'
import type { Memory } from './memory.ts'
import type { Random } from './random.ts'
import type { Resource } from './resource.ts'
import { isObject } from './validate.ts'

/** A media type that PATCH also accepts. Only the prose of the description says so. */
export const MERGE_PATCH = 'application/merge-patch+json'

/** One of the concurrent virtual clients, with its own resources and its own memory. */
export interface VirtualClient {
  readonly description: Description
  /** The random choices of one request. They depend only on the seed of the run and the number of the request. */
  readonly random: Random
  readonly memory: Memory
  readonly keys: Keys
  /** A part of every value that must be unique. It contains the seed and the number of the client. */
  readonly name: string
}

/** The order in which a service checks a request: the first fault decides the status. */
export const stages = [
  'target',
  'key',
  'preview',
  'accept',
  'type',
  'parameters',
  'idempotency',
  'syntax',
  'schema',
  'state',
] as const

export interface Mutation {
  readonly stage: (typeof stages)[number]
  readonly statuses: readonly number[]
  readonly why: string
}

/** A request under construction: valid at first, then invalidated by mutations. */
export interface RequestBuilder {
  readonly operation: Operation
  /** The path parameters, as sent. */
  readonly path: Map<string, string>
  /** The query parameters, as sent. */
  readonly query: [name: string, value: string][]
  /** The headers, by name as sent. */
  readonly headers: Map<string, string>
  /** The members of the body, each with its JSON text. */
  readonly members: [name: string, text: string][]
  /** The body, if it is not assembled from `members`. */
  body: Uint8Array | undefined
  readonly resource: Resource | undefined
  condition: Condition
  readonly mutations: Mutation[]
}

/** Mutates a request in one way and returns the expected refusal; undefined if it cannot be mutated in this way. */
export type Mutator = (client: VirtualClient, builder: RequestBuilder) => Mutation | undefined

/** Returns the finished request. */
export function buildRequest(client: VirtualClient, builder: RequestBuilder, number: number): FuzzRequest {
  const { operation, mutations, path } = builder
  const isValid = mutations.length === 0
  const text = operation.body && !builder.body ? bodyText(client.random, builder.members) : undefined
  const body = builder.body ?? (text === undefined ? undefined : Buffer.from(text))
  const sent = isValid && text !== undefined ? readJsonText(text) : undefined
  return {
    number,
    label: operation.id,
    operation,
    method: operation.method,
    target: targetOf(builder),
    headers: [...builder.headers],
    ...(body && { body }),
    ...(isObject(sent) && { sent }),
    path: isValid ? path : new Map(),
    query: isValid ? builder.query : [],
    expects: expectationOf(builder),
  }
}

/** Returns the described path with its parameters filled in, without the query. */
export function pathOf({ operation, path }: Pick<RequestBuilder, 'operation' | 'path'>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => path.get(name) ?? '')
}

function targetOf(builder: RequestBuilder): string {
  const pairs: readonly NameValue[] = builder.query
  return (
    pathOf(builder) +
    (pairs.length > 0 ? `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}` : '')
  )
}

function expectationOf({ mutations, resource, condition }: RequestBuilder): Expectation {
  if (mutations.length === 0) return { kind: 'valid', resource, condition }
  const first = stages.find(stage => mutations.some(mutation => mutation.stage === stage))
  const deciding = mutations.filter(({ stage }) => stage === first)
  return {
    kind: 'refusal',
    statuses: deciding.flatMap(({ statuses }) => statuses),
    check: first === 'key' ? 'auth-bypassed' : 'accepted-invalid',
    why: deciding.map(({ why }) => why).join(' and '),
  }
}

/** Returns a JSON object with random whitespace and member order. */
function bodyText(random: Random, members: readonly NameValue[]): string {
  const blank = random.chance(0.1) ? random.pick([' ', '\n', '\t ', '\r\n  ']) : ''
  const ordered = random.chance(0.2) ? random.shuffled(members) : members
  const pairs = ordered.map(
    ([name, text]) => `${blank}${JSON.stringify(name)}${blank}:${blank}${text}${blank}`,
  )
  return `${blank}{${pairs.join(',')}}${blank}`
}
