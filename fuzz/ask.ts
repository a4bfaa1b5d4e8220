import type { JsonObject } from '../src/model/json.ts'
import type { Answer } from './answer.ts'
import type { Operation } from './document.ts'
import type { Thing } from './memory.ts'

export type Header = readonly [name: string, value: string]

/** What a precondition in a request will come to. `unclear`: nobody can say from outside. */
export type Condition = 'none' | 'holds' | 'fails' | 'unmodified' | 'unclear'

/** What an answer is judged by, beside the description. */
export type Expectation =
  /** The request is broken on purpose: one of these statuses, and nothing else. */
  | {
      readonly kind: 'refusal'
      readonly statuses: readonly number[]
      readonly check: 'accepted-invalid' | 'auth-bypassed'
      readonly why: string
    }
  /** Nothing is wrong with the request: only the state of the store may refuse it. */
  | { readonly kind: 'valid'; readonly thing: Thing | undefined; readonly condition: Condition }
  /** The same request again, under its idempotency key: the same answer again. */
  | { readonly kind: 'replay'; readonly of: Answer }
  /** HEAD, right after the GET that got `of`. */
  | { readonly kind: 'head'; readonly of: Answer }
  /** A method that the description does not have, or OPTIONS: `Allow` names those it has. */
  | { readonly kind: 'allow'; readonly status: number; readonly methods: readonly string[] }
  | { readonly kind: 'unknown path' }

/** One request to be sent, with what its answer must be. */
export interface Ask {
  readonly number: number
  /** What is asked, for tables: an operationId, or a method and a described path. */
  readonly label: string
  readonly operation?: Operation
  readonly method: string
  /** Path and query, as they are sent. */
  readonly target: string
  readonly headers: readonly Header[]
  readonly body?: Uint8Array
  /** The body as a value, where it is valid. */
  readonly sent?: JsonObject
  /** Path parameters by name, where they are valid. */
  readonly path: ReadonlyMap<string, string>
  /** Query parameters, where they are valid. */
  readonly query: readonly Header[]
  readonly expects: Expectation
}

export function headerOf({ headers }: Ask, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1]
}

/** The request as bytes. Header values may hold any character of Latin-1. */
export function bytesOf({ method, target, headers, body }: Ask, host: string): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  if (body) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return body ? Buffer.concat([head, body]) : head
}
