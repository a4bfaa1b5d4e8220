import type { TestStore } from '../support/store.ts'
import type { Described, DescribedOperation } from './document.ts'

/** The response of an operation to a request that consists of its examples. */
export interface ExampleResponse {
  readonly status: number
  readonly body: unknown
}

/** Values that are sent in place of the examples of an operation, or in addition to them. */
interface Given {
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** The key to send; the admin key by default. */
  readonly key?: string | undefined
  /** Whether the examples of optional parameters are sent as well. */
  readonly optional?: boolean
}

/**
 * Sends a request of an operation, and returns the response. The request has the examples of the path, the required
 * parameters and the body, except for the values in `given`.
 */
export async function sendExamples(
  store: TestStore,
  operation: DescribedOperation,
  given: Given = {},
): Promise<ExampleResponse> {
  const values = (place: string): [string, string][] =>
    operation.parameters
      .filter(parameter => parameter.in === place && (parameter.required || given.optional))
      .flatMap(({ name, example }) =>
        [given.parameters?.[name] ?? example ?? []]
          .flat()
          .map((value): [string, string] => [name, String(value)]),
      )
  const inPath = new Map(values('path'))
  const query = new URLSearchParams(values('query')).toString()
  const path =
    operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => inPath.get(name) ?? '') +
    (query && `?${query}`)
  const body = given.body ?? bodyExample(operation)
  const answer = await store.send(operation.method, path, {
    headers: {
      ...Object.fromEntries(values('header')),
      ...(given.key !== undefined && { Authorization: `Bearer ${given.key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    return { status: answer.status, body: await beginningOf(answer) }
  }
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** Returns the text that arrives first on a stream, because a stream has no end. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

/** Returns the first success that an operation describes. */
export function successOf({ operationId, responses }: DescribedOperation): {
  status: number
  example: unknown
} {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'))
  if (!found) throw new Error(`${operationId} is described without a success`)
  return { status: Number(found[0]), example: found[1].content['application/json']?.example }
}

/** Returns the operation with an id. Throws if it is not described. */
export function operationOf({ operations }: Described, id: string): DescribedOperation {
  const operation = operations.get(id)
  if (!operation) throw new Error(`${id} is not described`)
  return operation
}

/**
 * Returns a value of a link, with its runtime expressions (`$response.body#/id`) replaced by the values to which they
 * refer.
 */
export function evaluated(value: unknown, body: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('$response.body#/')) {
    const member = value.slice('$response.body#/'.length)
    return typeof body === 'object' && body !== null ? Reflect.get(body, member) : undefined
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, evaluated(member, body)]))
}

function bodyExample({ requestBody }: DescribedOperation): unknown {
  return Object.values(requestBody?.content ?? {})[0]?.example
}
