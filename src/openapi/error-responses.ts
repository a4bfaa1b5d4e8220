import { pascalCase } from '../contract/component-name.ts'
import { type ErrorCodeName, errorTable, type StoreError } from '../contract/error.ts'
import { ErrorBody } from '../contract/error-schema.ts'
import type { Operation } from '../contract/operation.ts'
import { refusalsOf } from '../contract/refusals-of.ts'
import { headerParts, presentHeaders } from './headers.ts'
import { type Part, schemaPart } from './schemas.ts'

/** The names of the error statuses (RFC 9110, section 15, and RFC 6585), from which components get their names. */
const statusNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  414: 'UriTooLong',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

/** The statuses whose codes depend on the resource. Each of these statuses has one component for each set of codes. */
const resourceStatuses: readonly number[] = [404, 409, 410]

/** An operation with its id. */
type OperationEntry = readonly [id: string, operation: Operation]

/** The components of error responses, and the references of each operation to them. */
interface ErrorResponses {
  readonly components: Part
  /** Returns the error responses of one operation, by status. */
  readonly responsesOf: (id: string) => Part
}

/** The component of an error response, while its codes are collected. */
interface ErrorComponent {
  readonly status: number
  readonly name: string
  /** An example of each refusal, by its code. */
  readonly refusals: Map<ErrorCodeName, StoreError>
  readonly operations: Operation[]
}

/**
 * Returns the error responses of operations. Responses with the same status share a component; those with a status in
 * resourceStatuses share one only if they have the same codes.
 */
export function errorResponsesOf(entries: readonly OperationEntry[]): ErrorResponses {
  const componentsByKey = new Map<string, ErrorComponent>()
  const keysOf = new Map<string, (readonly [status: number, key: string])[]>()
  for (const [id, operation] of entries) {
    const keys = byStatus(refusalsOf(id, operation)).map(([status, refusals]) => {
      const codes = refusals.map(({ code }) => code)
      const key = keyOf(status, codes)
      const name = nameOf(id, status, codes)
      const component: ErrorComponent = componentsByKey.get(key) ?? {
        status,
        name,
        refusals: new Map(),
        operations: [],
      }
      for (const refusal of refusals)
        if (!component.refusals.has(refusal.code)) component.refusals.set(refusal.code, refusal)
      component.operations.push(operation)
      componentsByKey.set(key, component)
      return [status, key] as const
    })
    keysOf.set(id, keys)
  }
  const components = Object.fromEntries(
    [...componentsByKey.values()].map(component => [component.name, componentPart(component)]),
  )
  return {
    components,
    // There is no default response: the generator progenitor counts it as a second type of success, and rejects
    // operations with two such types.
    responsesOf: id =>
      Object.fromEntries(
        (keysOf.get(id) ?? []).map(([status, key]) => [
          String(status),
          responseRef(componentsByKey.get(key)?.name ?? ''),
        ]),
      ),
  }
}

/** Returns the codes of the refusals of an operation by status: the extension `x-error-codes`. */
export function errorCodesPart(refusals: readonly StoreError[]): Part {
  return Object.fromEntries(
    byStatus(refusals).map(([status, ofStatus]) => [String(status), ofStatus.map(({ code }) => code)]),
  )
}

function byStatus(refusals: readonly StoreError[]): [number, StoreError[]][] {
  return [...Map.groupBy(refusals, ({ status }) => status)].sort(([a], [b]) => a - b)
}

function keyOf(status: number, codes: readonly ErrorCodeName[]): string {
  return resourceStatuses.includes(status) ? `${status} ${[...codes].sort().join()}` : String(status)
}

function nameOf(id: string, status: number, codes: readonly ErrorCodeName[]): string {
  const name = statusNames[status]
  if (name === undefined) throw new Error(`the status ${status} has no name for its component`)
  if (!resourceStatuses.includes(status)) return name
  return codes.length === 1 ? pascalCase(codes[0] ?? '') : `${pascalCase(id)}${name}`
}

function componentPart({ status, refusals, operations }: ErrorComponent): Part {
  const lines = [...refusals.keys()].map(code => `\`${code}\`: ${errorTable[code].meaning}`)
  const examples = [...refusals].map(([code, { body }]) => [
    code,
    { summary: errorTable[code].meaning, value: body },
  ])
  return {
    description: lines.length > 1 ? lines.map(line => `- ${line}`).join('\n') : lines.join(''),
    headers: headerParts(operations.map(operation => presentHeaders(operation, status))),
    content: {
      'application/json': { schema: schemaPart(ErrorBody), examples: Object.fromEntries(examples) },
    },
  }
}

function responseRef(name: string): Part {
  return { $ref: `#/components/responses/${name}` }
}
