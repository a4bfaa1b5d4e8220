import type { z } from 'zod'
import type { ErrorCodeName } from '../model/error.ts'
import type { Scope } from '../model/key.ts'
import type { Parameter, PathValues, QueryValues } from './parameter.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Stability = 'stable' | 'deprecated' | 'beta' | 'experimental'
export type Tag = 'Pets' | 'Store' | 'Events' | 'Webhooks' | 'Keys' | 'Service'

/** How an operation ends: announced with an instant, gone after another. Instants in milliseconds since 1970. */
export interface Deprecation {
  readonly deprecatedAtMs: number
  /** The last second in which it answers. */
  readonly sunsetAtMs: number
  /** The path and query under the base address that succeed a call of it. */
  readonly successor: (path: Readonly<Record<string, string>>) => string
  /** A fragment of the docs page that explains it. */
  readonly docs: string
}

export type Success =
  | { readonly status: 200 | 201 | 202; readonly resource: z.ZodType; readonly description: string }
  | { readonly status: 200; readonly list: z.ZodType; readonly description: string }
  | { readonly status: 204; readonly description: string }
  /** Server-sent events without an end, each with one of these in its data. */
  | { readonly status: 200; readonly stream: z.ZodType; readonly description: string }

/** One thing that may be asked over HTTP, as data: routes, checks, description and types are made from it. */
export interface Operation {
  readonly method: Method
  /** Parameters stand in braces: `/pets/{petId}`. */
  readonly path: `/${string}`
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly scope: Scope | 'public'
  readonly stability: Stability
  readonly deprecation?: Deprecation
  /** The feature that Petstore-Preview must name. */
  readonly preview?: string
  readonly pathParameters?: Readonly<Record<string, Parameter>>
  readonly query?: Readonly<Record<string, Parameter>>
  readonly body?: z.ZodType
  readonly success: Success
  /** `row`: one row by its key, answered where the request came in. `scan`: everything longer. */
  readonly reads?: 'row' | 'scan'
  /** Header fields of the success beside those that every answer has. */
  readonly location?: (resource: never) => string
  /** The operation names one resource that exists: it has an ETag, and writing it may be conditional. */
  readonly etag?: true
  /** The reply holds a secret of this kind: it is neither cached nor kept for replay. */
  readonly secret?: 'key' | 'webhook'
  /** The list has no end: its `next` link is always there and gives this parameter; `wait` holds an empty page. */
  readonly endless?: 'after'
  /** What the body's `url` or the like names is looked up before the command runs. */
  readonly vets?: 'url'
  /** For the command line alone: routed, but not described. */
  readonly hidden?: true
  /** What it refuses beyond what every operation may refuse. */
  readonly errors: readonly ErrorCodeName[]
}

type Empty = Record<never, never>

/** What a verb is given: path and query values by name, and the body. */
export type Input<O extends Operation> = (O extends {
  pathParameters: infer P extends Record<string, Parameter>
}
  ? PathValues<P>
  : Empty) &
  (O extends { query: infer Q extends Record<string, Parameter> } ? QueryValues<Q> : Empty) &
  (O extends { body: infer B extends z.ZodType } ? { readonly body: z.output<B> } : Empty)

/** One page of a list, and the cursor of the next if there is one. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next?: string | undefined
  /** Of an endless list: whether nothing has happened beyond `next`. */
  readonly atHead?: boolean
  /** Set when the list was narrowed to one resource by its id: its representation is that resource's too. */
  readonly single?: true
}

/** What a verb answers. */
export type Output<O extends Operation> = O['success'] extends { list: infer L extends z.ZodType }
  ? Page<z.output<L>>
  : O['success'] extends { resource: infer R extends z.ZodType }
    ? z.output<R>
    : undefined
