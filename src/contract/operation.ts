import type { z } from 'zod'
import type { Scope } from '../shop/keys/schema.ts'
import type { ErrorCodeName } from './error.ts'
import type { Parameter, PathValues, QueryValues } from './parameter.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Stability = 'stable' | 'deprecated' | 'beta' | 'experimental'
export type Tag = 'Pets' | 'Store' | 'Events' | 'Webhooks' | 'Keys' | 'Service'

/** The deprecation of an operation. Instants are in milliseconds since 1970. */
export interface Deprecation {
  readonly deprecatedAtMs: number
  /** The last second in which the operation is available. */
  readonly sunsetAtMs: number
  /** Returns the path and query, under the base URL, of the request that replaces a deprecated request. */
  readonly successor: (path: Readonly<Record<string, string>>) => string
  /** The path of the docs page, with the fragment that explains the deprecation. */
  readonly docs: string
}

export type Success =
  | { readonly status: 200 | 201 | 202; readonly resource: z.ZodType; readonly description: string }
  | { readonly status: 200; readonly list: z.ZodType; readonly description: string }
  | { readonly status: 204; readonly description: string }
  /** An endless stream of server-sent events. The data of each event is a value of this type. */
  | { readonly status: 200; readonly stream: z.ZodType; readonly description: string }

/** One operation of the HTTP API, as data: routes, checks, description and types are derived from it. */
export interface Operation {
  readonly method: Method
  /** Parameters are in braces: `/pets/{petId}`. */
  readonly path: `/${string}`
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /**
   * The scope that a key must have; `any-key` if every valid key may use the operation; `public` if no key is required.
   */
  readonly scope: Scope | 'any-key' | 'public'
  readonly stability: Stability
  readonly deprecation?: Deprecation
  /** The feature that Petstore-Preview must name. */
  readonly preview?: string
  readonly pathParameters?: Readonly<Record<string, Parameter>>
  readonly query?: Readonly<Record<string, Parameter>>
  readonly body?: z.ZodType
  readonly success: Success
  /** What a query reads: `row` for at most a few rows, in the thread that received the request; `scan` for a list. */
  readonly reads?: 'row' | 'scan'
  /** Returns the path of the created resource, for the header Location. */
  readonly location?: (resource: never) => string
  /** The operation is about one resource with an ETag, so a change of it can be conditional. */
  readonly resourceHasEtag?: true
  /** The response contains a secret of this kind, so it is neither cached nor stored for replay. */
  readonly secret?: 'key' | 'webhook'
  /** The list is endless: its `next` link is always present and sets this parameter; `wait` delays an empty page. */
  readonly endless?: 'after'
  /** The member of the body whose URL is checked, with a DNS look-up, before the command runs. */
  readonly checksTarget?: 'url'
  /** The operation is only for imports by the command line and the console: it is served, but not described. */
  readonly hidden?: true
  /** The error codes of the operation, in addition to those that `errorsOf` adds. */
  readonly errors: readonly ErrorCodeName[]
}

/** Returns the scope that the key of a request must have; undefined if any key is sufficient, or no key is required. */
export function requiredScope({ scope }: Operation): Scope | undefined {
  return scope === 'public' || scope === 'any-key' ? undefined : scope
}

type Empty = Record<never, never>

/** The input of a verb: path and query values by name, and the body. */
export type Input<O extends Operation> = (O extends {
  pathParameters: infer P extends Record<string, Parameter>
}
  ? PathValues<P>
  : Empty) &
  (O extends { query: infer Q extends Record<string, Parameter> } ? QueryValues<Q> : Empty) &
  (O extends { body: infer B extends z.ZodType } ? { readonly body: z.output<B> } : Empty)

/** One page of a list, and the cursor of the next page if there is one. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next?: string | undefined
  /** Endless lists only: whether there is no event after `next`. */
  readonly isAtHead?: boolean
  /** Set if the list is filtered to one resource by its id. The page then has the ETag of the resource. */
  readonly isSingle?: true
}

/** The result of a verb. */
export type Output<O extends Operation> = O['success'] extends { list: infer L extends z.ZodType }
  ? Page<z.output<L>>
  : O['success'] extends { resource: infer R extends z.ZodType }
    ? z.output<R>
    : undefined
