import type { JsonValue } from '../src/model/json.ts'
import type { Answer } from './answer.ts'
import type { Ask } from './ask.ts'
import type { Description, Operation } from './document.ts'
import type { Random } from './random.ts'
import { isObject } from './validate.ts'

const THINGS_MAX = 60
const REPEATABLE_MAX = 8

/** A resource that a virtual client has created. No other client changes it, so its client knows whether it exists. */
export interface Thing {
  /** The name of the path parameter that takes its id. */
  readonly kind: string
  readonly id: string
  /** The described path at which it was deleted. */
  goneFrom?: string
}

/** A representation as it was read, and the number of changes at that time. */
interface Seen {
  readonly answer: Answer
  readonly changes: number
}

/** What one virtual client has learned from the responses to its own requests. */
export interface Memory {
  readonly things: Map<string, Thing[]>
  readonly gone: Map<string, Thing[]>
  readonly seen: Map<string, Seen>
  /** The target of the next page by operationId, from the Link of a page. */
  readonly nextPages: Map<string, string>
  /** Requests with an idempotency key, and their responses. */
  readonly repeatable: { readonly ask: Ask; readonly answer: Answer }[]
  /** Successful changes; representations that were read before may have changed with them. */
  changes: number
}

export function emptyMemory(): Memory {
  return {
    things: new Map(),
    gone: new Map(),
    seen: new Map(),
    nextPages: new Map(),
    repeatable: [],
    changes: 0,
  }
}

/** Returns an existing resource of a kind. */
export function aliveThing({ things }: Memory, random: Random, kind: string): Thing | undefined {
  const list = things.get(kind) ?? []
  return list.length > 0 ? random.pick(list) : undefined
}

export function aliveCount({ things }: Memory, kind: string): number {
  return things.get(kind)?.length ?? 0
}

/** Returns a deleted resource of a kind. */
export function goneThing({ gone }: Memory, random: Random, kind: string): Thing | undefined {
  const list = gone.get(kind) ?? []
  return list.length > 0 ? random.pick(list) : undefined
}

/** Returns the representation at a path, if this client has changed nothing since it was read. */
export function freshAt({ seen, changes }: Memory, path: string): Answer | undefined {
  const known = seen.get(path)
  return known?.changes === changes ? known.answer : undefined
}

/** Returns an entity tag that the resource at a path has, or had. */
export function tagAt({ seen }: Memory, path: string): string | undefined {
  return seen.get(path)?.answer.headers.get('etag')
}

/** Records the effect of a valid request. Returns the resource that it created, if any. */
export function learn(
  memory: Memory,
  description: Description,
  ask: Ask,
  answer: Answer,
  body: JsonValue | undefined,
): Thing | undefined {
  const { operation, expects } = ask
  if (!operation || expects.kind !== 'valid' || answer.status >= 300 || answer.status < 200) return undefined
  if (ask.method === 'GET') {
    noteNextPage(memory, description, operation, answer)
  } else {
    memory.changes++
    if (ask.headers.some(([name]) => name === 'Idempotency-Key'))
      keepLast(memory.repeatable, { ask, answer }, REPEATABLE_MAX)
  }
  if (ask.method === 'DELETE') {
    if (expects.thing) forget(memory, expects.thing, operation.path)
    return undefined
  }
  const location = answer.headers.get('location')
  const path = ask.method === 'POST' ? location?.slice(description.base.length) : itemPath(ask, operation)
  if (path !== undefined && answer.headers.has('etag')) see(memory, path, answer)
  return ask.method === 'POST' ? noteMade(memory, operation, answer, body) : undefined
}

/** The path of one resource; other clients also change lists. */
function itemPath({ target }: Ask, { path }: Operation): string | undefined {
  return path.endsWith('}') ? target.split('?')[0] : undefined
}

function see({ seen, changes }: Memory, path: string, answer: Answer): void {
  if (seen.size > 4 * THINGS_MAX) seen.clear()
  seen.set(path, { answer, changes })
}

function noteNextPage({ nextPages }: Memory, { base }: Description, { id }: Operation, answer: Answer): void {
  // The store creates deliveries by itself, so their second page does not depend on the client.
  if (id === 'listDeliveries') return
  const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  if (next?.startsWith(base)) nextPages.set(id, next.slice(base.length))
}

/** The links of the description say which member of a response is the id of which resource. */
function noteMade(
  memory: Memory,
  { answers }: Operation,
  { status }: Answer,
  body: JsonValue | undefined,
): Thing | undefined {
  if (!isObject(body)) return undefined
  for (const link of answers.get(status)?.links ?? []) {
    for (const [kind, expression] of link) {
      const id = /^\$response\.body#\/id$/.test(expression) ? body.id : undefined
      const things = memory.things.get(kind) ?? []
      if (typeof id !== 'bigint' || things.some(thing => thing.id === String(id))) continue
      const thing = { kind, id: String(id) }
      keepLast(things, thing, THINGS_MAX)
      memory.things.set(kind, things)
      return thing
    }
  }
  return undefined
}

function forget({ things, gone }: Memory, thing: Thing, path: string): void {
  thing.goneFrom = path
  things.set(
    thing.kind,
    (things.get(thing.kind) ?? []).filter(other => other !== thing),
  )
  const list = gone.get(thing.kind) ?? []
  keepLast(list, thing, THINGS_MAX)
  gone.set(thing.kind, list)
}

function keepLast<T>(list: T[], entry: T, most: number): void {
  list.push(entry)
  if (list.length > most) list.shift()
}
