import type { z } from 'zod'
import type { StoreError } from './error.ts'
import type { Parameter, PathValues, QueryValues } from './parameter.ts'
import type { ScopeName } from './scopes.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Stability = 'stable' | 'deprecated' | 'beta' | 'experimental'

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

/** The rows that a response represents: one row by its id, or any rows of a table. */
export interface RepresentedRows {
  readonly table: string
  /** The path parameter with the id of the row; absent for a list. */
  readonly rowId?: string
}

/** A link from a response to another operation, whose parameters take their values from the response. */
interface OperationLink {
  readonly operationId: string
  readonly description: string
  /** OpenAPI runtime expressions, by parameter name. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** What a successful response contains. `example` replaces the example of the schema. */
export type Success =
  | {
      readonly status: 200 | 201 | 202
      readonly resource: z.ZodType
      readonly description: string
      readonly example?: unknown
    }
  | {
      readonly status: 200
      readonly list: z.ZodType
      readonly description: string
      readonly example?: unknown
      /** The maximum number of items; 100 by default. */
      readonly itemsMax?: number
    }
  | { readonly status: 204; readonly description: string }
  /** An endless stream of server-sent events. The data of each event is a value of this type. */
  | {
      readonly status: 200
      readonly stream: z.ZodType
      readonly description: string
      readonly example: string
    }
  /** The bytes of a file of this media type. */
  | { readonly status: 200; readonly file: 'application/gzip'; readonly description: string }

/** The tool with which agents run an operation (Model Context Protocol). */
export interface AgentTool {
  /** What a person wants, in snake case: `place_order`. */
  readonly name: string
  /** What the tool does, for the model that chooses among all tools. All tools together have little room. */
  readonly about: string
  /** The parameters and members of the body that it takes: `true`, or a description in place of the usual one. */
  readonly takes: Readonly<Record<string, string | true>>
  /** The query that it always sends. */
  readonly sends?: Readonly<Record<string, string>>
  /** The members of an item of the result that an agent has no use for. */
  readonly omits?: readonly string[]
}

/** What the tool of a list takes to read page after page. */
export const pagingOfAgents = {
  limit: 'The maximum number of items; 20 by default.',
  cursor: '`next` of the result before.',
} as const

/** One operation of the HTTP API, as data: routes, checks, description and types are derived from it. */
export interface Operation {
  readonly method: Method
  /** Parameters are in braces: `/pets/{petId}`. */
  readonly path: `/${string}`
  /** The group in the description. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /**
   * The scope that a key must have; `any-key` if every valid key may use the operation; `public` if no key is required.
   */
  readonly scope: ScopeName | 'any-key' | 'public'
  /** `stable` if absent. */
  readonly stability?: Stability
  readonly deprecation?: Deprecation
  /** The feature that Petstore-Preview must name. */
  readonly preview?: string
  readonly pathParameters?: Readonly<Record<string, Parameter>>
  readonly query?: Readonly<Record<string, Parameter>>
  readonly body?: z.ZodType
  readonly isBodyOptional?: true
  readonly success: Success
  /** For a list: whether a page is one bounded scan of an index, with no merge and no row-by-row filter. */
  readonly isShort?: (input: never) => boolean
  /** The rows that the response represents, if it may be cached. It depends only on them and on the request. */
  readonly represents?: RepresentedRows
  /** The links of a successful response, by name. */
  readonly links?: Readonly<Record<string, OperationLink>>
  /** The path of the created resource, for the header Location, with its members in braces: `/pets/{id}`. */
  readonly location?: `/${string}`
  /** The operation is about one resource with an ETag, so a change of it can be conditional. */
  readonly resourceHasEtag?: true
  /**
   * The response contains a secret of this kind, so it is neither cached nor stored for replay. The store makes it for
   * the response, unless it is `claimed`.
   */
  readonly secret?: 'key' | 'handover' | 'webhook' | 'claimed'
  /** The refusals of the operation count as wrong keys of the address. */
  readonly isAuthentication?: true
  /** The list is endless: its `next` link is always present and sets this parameter; `wait` delays an empty page. */
  readonly endless?: 'after'
  /** The member of the body whose URL is checked, with a DNS look-up, before the command runs. */
  readonly checksAddress?: 'url'
  /** The operation makes the store send events to the member `url` of its body: the callback of the description. */
  readonly sendsEvents?: true
  /**
   * For an operation of the host API: it acts on the host, or on the sandbox or class that its path names, whose key it
   * then requires; on the host, it requires the host key unless it is public. An invitation is the class whose link has
   * the code of the request. The operation runs no transaction of a store, so it takes neither preconditions nor an
   * Idempotency-Key.
   */
  readonly actsOn?: 'host' | 'sandbox' | 'class' | 'invitation'
  /** In the sandbox of a class, the operation requires the key of the teacher. */
  readonly isForTeacher?: true
  /** The operation may be silent for longer than the timeout of the runtime, as reads of events also may. */
  readonly isSlow?: true
  /** The operation is only for the console and imports by the command line: it is served, but not described. */
  readonly hidden?: true
  /** The refusals of the operation, as examples, in addition to those that `refusalsOf` adds. */
  readonly errors?: readonly StoreError[]
  /** Absent if agents have no tool for the operation. */
  readonly agent?: AgentTool
}

/** Returns the scope that the key of a request must have; undefined if any key is sufficient, or no key is required. */
export function requiredScope({ scope }: Operation): ScopeName | undefined {
  return scope === 'public' || scope === 'any-key' ? undefined : scope
}

/** Returns the path of a resource. */
export function locationOf(template: string, resource: object): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, member) => String(Reflect.get(resource, member)))
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

/**
 * Returns links, by name, each to an operation with one parameter. `expression` is an OpenAPI runtime expression. List
 * items have no links, because they have no JSON Pointer of their own. Links pass parameters only: several generators
 * reject documents whose links contain a body.
 */
export function linksBy(
  parameter: string,
  expression: string,
  targets: Readonly<Record<string, readonly [operationId: string, description: string]>>,
): Readonly<Record<string, OperationLink>> {
  const parameters = { [parameter]: expression }
  return Object.fromEntries(
    Object.entries(targets).map(([name, [operationId, description]]) => [
      name,
      { operationId, description, parameters },
    ]),
  )
}
