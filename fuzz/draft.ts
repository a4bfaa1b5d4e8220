import { readJsonText } from '../src/model/json.ts'
import type { Ask, Condition, Expectation, Header } from './ask.ts'
import type { Description, Operation } from './document.ts'
import type { Keys } from './keys.ts'
import type { Memory, Thing } from './memory.ts'
import type { Random } from './random.ts'
import { isObject } from './validate.ts'

/** One of the concurrent virtual clients: it has its own resources and its own memory. */
export interface Lane {
  readonly description: Description
  /** The random choices of one request; responses to other clients do not influence them. */
  readonly random: Random
  readonly memory: Memory
  readonly keys: Keys
  /** Part of every value that must be unique: seed and client. */
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

export interface Flaw {
  readonly stage: (typeof stages)[number]
  readonly statuses: readonly number[]
  readonly why: string
}

/** A request under construction: valid at first, then invalidated by mutations. */
export interface Draft {
  readonly operation: Operation
  /** Path parameters, as sent. */
  readonly path: Map<string, string>
  /** Query parameters, as sent. */
  readonly query: [name: string, value: string][]
  /** By name as sent. */
  readonly headers: Map<string, string>
  /** Members of the body, each with its JSON text. */
  readonly members: [name: string, text: string][]
  /** The body, if it is not written from its members. */
  body: Uint8Array | undefined
  readonly thing: Thing | undefined
  condition: Condition
  readonly flaws: Flaw[]
}

/** Returns the finished request. */
export function askOf(lane: Lane, draft: Draft, number: number): Ask {
  const { operation, flaws, path } = draft
  const isValid = flaws.length === 0
  const text = operation.body && !draft.body ? bodyText(lane.random, draft.members) : undefined
  const body = draft.body ?? (text === undefined ? undefined : Buffer.from(text))
  const sent = isValid && text !== undefined ? readJsonText(text) : undefined
  return {
    number,
    label: operation.id,
    operation,
    method: operation.method,
    target: targetOf(draft),
    headers: [...draft.headers],
    ...(body && { body }),
    ...(isObject(sent) && { sent }),
    path: isValid ? path : new Map(),
    query: isValid ? draft.query : [],
    expects: expectationOf(draft),
  }
}

/** Returns the described path with its parameters filled in, without the query. */
export function pathOf({ operation, path }: Pick<Draft, 'operation' | 'path'>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => path.get(name) ?? '')
}

function targetOf(draft: Draft): string {
  const pairs: readonly Header[] = draft.query
  return (
    pathOf(draft) + (pairs.length > 0 ? `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}` : '')
  )
}

function expectationOf({ flaws, thing, condition }: Draft): Expectation {
  if (flaws.length === 0) return { kind: 'valid', thing, condition }
  const first = stages.find(stage => flaws.some(flaw => flaw.stage === stage))
  const deciding = flaws.filter(({ stage }) => stage === first)
  return {
    kind: 'refusal',
    statuses: deciding.flatMap(({ statuses }) => statuses),
    check: first === 'key' ? 'auth-bypassed' : 'accepted-invalid',
    why: deciding.map(({ why }) => why).join(' and '),
  }
}

/** Returns a JSON object in one of its possible notations. */
function bodyText(random: Random, members: readonly Header[]): string {
  const blank = random.chance(0.1) ? random.pick([' ', '\n', '\t ', '\r\n  ']) : ''
  const ordered = random.chance(0.2) ? random.shuffled(members) : members
  const pairs = ordered.map(
    ([name, text]) => `${blank}${JSON.stringify(name)}${blank}:${blank}${text}${blank}`,
  )
  return `${blank}{${pairs.join(',')}}${blank}`
}
