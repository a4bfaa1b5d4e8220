import type { OperationId } from '../../shop/registry/operations.ts'
import { type JsonValue, parseJson, writeJson } from '../../values/json.ts'

/** What a planted fault is about. A hunt can be limited to one class. */
export const faultClasses = [
  'schema',
  'status',
  'headers',
  'conditions',
  'paging',
  'idempotency',
  'security',
  'state',
  'streams',
  'webhooks',
] as const
export type FaultClass = (typeof faultClasses)[number]

/** A response of the store, before or after a fault. The text of a response without a body is empty. */
export interface BenchReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** One request to a sandbox with a planted fault. */
export interface PlantedCall {
  readonly operationId: OperationId
  readonly method: string
  /** The path below the base address, and the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  /** The text of the request body; empty if it has none. */
  readonly body: string
  readonly nowMs: number
  /** The resource of the path before the request changed it, for faults that need it. */
  readonly before: JsonValue | undefined
  /** Returns the true response to the same request with these changes. */
  readonly again: (changes: CallChanges) => Promise<BenchReply>
}

interface CallChanges {
  /** The header field that is left out. */
  readonly without?: string
  readonly query?: URLSearchParams
  /** Whether the request has every scope, whatever its key. */
  readonly isAdmin?: true
}

/** Returns the wrong response; undefined if this response shows nothing of the fault. */
export type ReplyChange = (
  reply: BenchReply,
  call: PlantedCall,
) => BenchReply | undefined | Promise<BenchReply | undefined>

/** Returns the events to send in place of the next one of a stream. */
export type StreamChange = (event: string) => readonly string[]

/** The entries that a fault remembers of earlier requests. */
const REMEMBERED_MAX = 1000

/** What a fault remembers of earlier requests: the newest entries, because a sandbox can get any number of them. */
export class Remembered<Value> extends Map<string, Value> {
  override set(key: string, value: Value): this {
    this.delete(key)
    super.set(key, value)
    for (const [oldest] of this) {
      if (this.size <= REMEMBERED_MAX) break
      this.delete(oldest)
    }
    return this
  }
}

interface FaultText {
  readonly id: string
  /** What is wrong, as a sentence. */
  readonly summary: string
  /** What a correct tool sees, as a sentence. */
  readonly sign: string
  /** What the fault breaks. */
  readonly clause: string
  /** The operations whose responses it can make wrong. */
  readonly operations: readonly OperationId[]
}

/** What a fault changes. It remembers nothing of before it was planted, or of another stream. */
type FaultWork =
  | {
      readonly change: () => ReplyChange
      /** Other operations that the change must see. It returns their responses unchanged. */
      readonly sees?: readonly OperationId[]
      /** Whether `before` of a call must be read. */
      readonly needsBefore?: true
    }
  | { readonly stream: () => StreamChange }
  | { readonly delivery: 'webhook_twice' | 'webhook_lost' | 'webhook_out_of_order' }
  | { readonly sent: (headers: Readonly<Record<string, string>>) => Record<string, string> }

export type FaultOfClass = FaultText & FaultWork
export type PlantedFault = FaultOfClass & { readonly class: FaultClass }

/** Changes the body of JSON responses. `edit` returns undefined if the body shows nothing of the fault. */
export function onBody(
  edit: (body: JsonValue, reply: BenchReply, call: PlantedCall) => JsonValue | undefined,
): () => ReplyChange {
  return () => (reply, call) => {
    const body = bodyOf(reply)
    const edited = body === undefined ? undefined : edit(body, reply, call)
    return edited === undefined ? undefined : { ...reply, text: writeJson(edited) }
  }
}

/** Changes the body of successful JSON responses. */
export function onSuccess(
  edit: (body: JsonValue, reply: BenchReply, call: PlantedCall) => JsonValue | undefined,
): () => ReplyChange {
  return onBody((body, reply, call) => (reply.status < 300 ? edit(body, reply, call) : undefined))
}

/** Changes one member of the last object that has it, in a resource or in a list. */
export function onMember(
  name: string,
  edit: (value: JsonValue) => JsonValue | undefined,
  isRemoved = false,
): () => ReplyChange {
  return onSuccess(body => {
    const items = Array.isArray(body) ? body : [body]
    const index = items.findLastIndex(
      item => isObject(item) && name in item && (isRemoved || edit(item[name] ?? null) !== undefined),
    )
    const item = items[index]
    if (!isObject(item)) return undefined
    const { [name]: value = null, ...others } = item
    const changed = isRemoved ? others : { ...item, [name]: edit(value) ?? null }
    return Array.isArray(body) ? body.with(index, changed) : changed
  })
}

/** Changes responses with this status. */
export function onStatus(
  status: number,
  change: (reply: BenchReply, call: PlantedCall) => BenchReply | undefined,
): () => ReplyChange {
  return () => (reply, call) => (reply.status === status ? change(reply, call) : undefined)
}

/** Replaces a response with this status by that to the same request with the changes. */
export function repeated(
  isWrong: (reply: BenchReply, call: PlantedCall) => boolean,
  changes: (call: PlantedCall) => CallChanges | undefined,
): () => ReplyChange {
  return () => async (reply, call) => {
    const wanted = isWrong(reply, call) ? changes(call) : undefined
    if (!wanted) return undefined
    const other = await call.again(wanted)
    return other.status === reply.status && other.text === reply.text ? undefined : other
  }
}

/** Returns the reply with these header fields; undefined removes one. */
export function withHeaders(
  reply: BenchReply,
  fields: Readonly<Record<string, string | undefined>>,
): BenchReply {
  const headers = new Headers(reply.headers)
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) headers.delete(name)
    else headers.set(name, value)
  }
  return { ...reply, headers }
}

/** Returns the parsed body of a JSON response; undefined for any other response. */
export function bodyOf({ headers, text }: BenchReply): JsonValue | undefined {
  const isJson = headers.get('content-type')?.includes('json') ?? false
  return isJson && text !== '' ? parseJson(text) : undefined
}

export function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
