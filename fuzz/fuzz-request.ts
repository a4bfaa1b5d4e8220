import type { Operation } from './document.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import type { JsonObject } from './json.ts'
import type { Resource } from './resource.ts'

export type NameValue = readonly [name: string, value: string]

/** The result of a precondition in a request. `unclear` means that a client cannot determine the result. */
export type Condition = 'none' | 'holds' | 'fails' | 'unmodified' | 'unclear'

/** What a response must satisfy, in addition to the description. */
export type Expectation =
  /** The request is invalid on purpose, and must be refused with one of these statuses. */
  | {
      readonly kind: 'refusal'
      readonly statuses: readonly number[]
      readonly check: 'accepted-invalid' | 'auth-bypassed'
      readonly why: string
    }
  /** The request is valid, so only the state of the store, or a rule in prose, can be a reason for a refusal. */
  | { readonly kind: 'valid'; readonly resource: Resource | undefined; readonly condition: Condition }
  /** The request is repeated under its idempotency key, and must get the same response again. */
  | { readonly kind: 'replay'; readonly of: FuzzResponse }
  /** HEAD is sent immediately after the GET whose response was `of`. */
  | { readonly kind: 'head'; readonly of: FuzzResponse }
  /** The path does not have the method, or the method is OPTIONS. `Allow` must name the methods of the path. */
  | { readonly kind: 'allow'; readonly status: number; readonly methods: readonly string[] }
  | { readonly kind: 'unknown path' }

/** One request to send, with the expectation for its response. */
export interface FuzzRequest {
  readonly number: number
  /** The name of the request in tables: an operationId, or a method and a described path. */
  readonly label: string
  readonly operation?: Operation
  readonly method: string
  /** The path and query, as sent. */
  readonly target: string
  readonly headers: readonly NameValue[]
  readonly body?: Uint8Array
  /** The body as a value, if it is valid. */
  readonly sent?: JsonObject
  /** The path parameters by name, if they are valid. */
  readonly path: ReadonlyMap<string, string>
  /** The query parameters, if they are valid; empty if the target was copied from a Link. */
  readonly query: readonly NameValue[]
  readonly expects: Expectation
}

export function headerOf({ headers }: FuzzRequest, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1]
}

/** Returns the request as bytes. Header values may contain any character of Latin-1. `base` is the URL of the store. */
export function bytesOf({ method, target, headers, body }: FuzzRequest, base: URL): Buffer {
  const lines = [
    `${method} ${base.pathname.replace(/\/$/, '')}${target} HTTP/1.1`,
    `Host: ${base.host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  if (body) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return body ? Buffer.concat([head, body]) : head
}
