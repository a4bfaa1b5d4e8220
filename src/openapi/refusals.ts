import { ErrorBody, type ErrorCodeName, errorTable } from '../contract/error.ts'
import { errorsOf } from '../contract/errors-of.ts'
import type { Operation } from '../contract/operation.ts'
import { pascalCase } from './components.ts'
import { type ExampleError, errorExample } from './error-examples.ts'
import { headerParts, type PresentHeaders, presentHeaders } from './headers.ts'
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
export type OperationEntry = readonly [id: string, operation: Operation]

/** The source of the error responses of one operation. */
export interface RefusingOperation {
  readonly id: string
  readonly codes: readonly ErrorCodeName[]
  /** Returns the body that the operation sends with a code. */
  readonly example: (code: ErrorCodeName) => ExampleError
  /** Returns the header fields of the responses with a status. */
  readonly headers: (status: number) => PresentHeaders
}

/** The components of error responses, and the references of each operation to them. */
export interface ErrorResponses {
  readonly components: Part
  /** Returns the error responses of one operation, by status. */
  readonly responsesOf: (id: string) => Part
}

/** The component of an error response, while its codes are collected. */
interface ErrorComponent {
  readonly status: number
  readonly name: string
  readonly codes: Set<ErrorCodeName>
  readonly operations: RefusingOperation[]
}

/** Returns the error responses of operations of the store. */
export function errorResponsesOf(entries: readonly OperationEntry[]): ErrorResponses {
  return sharedErrorResponses(
    entries.map(([id, operation]) => ({
      id,
      codes: errorsOf(operation),
      example: code => errorExample(operation, code),
      headers: status => presentHeaders(operation, status),
    })),
  )
}

/**
 * Returns the error responses of operations. Responses with the same status share a component; those with a status in
 * resourceStatuses share one only if they have the same codes.
 */
export function sharedErrorResponses(operations: readonly RefusingOperation[]): ErrorResponses {
  const componentsByKey = new Map<string, ErrorComponent>()
  const byId = new Map(operations.map(operation => [operation.id, operation]))
  for (const operation of operations) {
    for (const [status, codes] of codesByStatus(operation.codes)) {
      const key = keyOf(status, codes)
      const name = nameOf(operation.id, status, codes)
      const component = componentsByKey.get(key) ?? { status, name, codes: new Set(), operations: [] }
      for (const code of codes) component.codes.add(code)
      component.operations.push(operation)
      componentsByKey.set(key, component)
    }
  }
  const components = Object.fromEntries(
    [...componentsByKey.values()].map(component => [component.name, componentPart(component)]),
  )
  return {
    components,
    responsesOf: id => {
      const responses = codesByStatus(byId.get(id)?.codes ?? []).map(([status, codes]): [string, Part] => [
        String(status),
        responseRef(componentsByKey.get(keyOf(status, codes))?.name ?? ''),
      ])
      // There is no default response: the generator progenitor counts it as a second type of success, and rejects
      // operations with two such types.
      return Object.fromEntries(responses)
    },
  }
}

/** Returns the error codes of an operation by status: the extension `x-error-codes`. */
export function errorCodesPart(codes: readonly ErrorCodeName[]): Part {
  return Object.fromEntries(codesByStatus(codes).map(([status, ofStatus]) => [String(status), ofStatus]))
}

function codesByStatus(codes: readonly ErrorCodeName[]): [number, ErrorCodeName[]][] {
  const byStatus = Map.groupBy(codes, code => errorTable[code].status)
  return [...byStatus].sort(([a], [b]) => a - b)
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

function componentPart({ status, codes, operations }: ErrorComponent): Part {
  const lines = [...codes].map(code => `\`${code}\`: ${errorTable[code].meaning}`)
  const examples = [...codes].map(code => {
    const operation = operations.find(one => one.codes.includes(code))
    if (!operation) throw new Error(`no operation responds with ${code}`)
    return [code, { summary: errorTable[code].meaning, value: operation.example(code) }]
  })
  return {
    description: lines.length > 1 ? lines.map(line => `- ${line}`).join('\n') : lines.join(''),
    headers: headerParts(operations.map(operation => operation.headers(status))),
    content: {
      'application/json': { schema: schemaPart(ErrorBody), examples: Object.fromEntries(examples) },
    },
  }
}

function responseRef(name: string): Part {
  return { $ref: `#/components/responses/${name}` }
}
