import { z } from 'zod'
import type { CallOptions } from '../../src/client/call.ts'
import { createClient, makeCall } from '../../src/client/client.ts'
import type { FollowOptions } from '../../src/client/follow-events.ts'
import type { OperationInput, OperationShape } from '../../src/client/request.ts'
import type { ApiResponse } from '../../src/client/response.ts'
import type { Input, Operation, Output, Page } from '../../src/contract/operation.ts'
import { Event } from '../../src/shop/events/schema.ts'
import {
  type Contract,
  contract,
  type OperationId,
  type StreamId,
} from '../../src/shop/registry/operations.ts'

export interface TestClientOptions {
  readonly base: string
  readonly key?: string | undefined
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** A client with every operation that has a finite response, each under its id, including the hidden operations. */
export type Client = {
  readonly [Id in Exclude<OperationId, StreamId>]: (
    input: Input<Contract[Id]>,
    options?: CallOptions,
  ) => Promise<ApiResponse<Output<Contract[Id]>>>
}

/** Returns a client for tests: it never retries, and it checks every response against the contract. */
export function makeClient({ base, key, fetch }: TestClientOptions): Client {
  const options = { baseUrl: base, key, fetch, retriesMax: 0 }
  const client: Readonly<Record<string, unknown>> = { ...createClient(options) }
  const call = makeCall(options)
  const entries: [string, Operation][] = Object.entries(contract)
  const methods = entries.map(([id, operation]) => [
    id,
    async (given: OperationInput, callOptions: CallOptions = {}) => {
      const input = inputOf(operation, given)
      const method = client[id]
      const response =
        typeof method === 'function'
          ? await method(input, callOptions)
          : await call(id, shapeOf(operation), input, callOptions)
      return { ...response, data: checked(operation, response) }
    },
  ])
  // Safe: each function sends the operation of its id, and checks the response with its schema.
  return Object.fromEntries(methods) as Client
}

/** Yields every item of a list, page by page. */
export async function* everyItem<T, I extends object>(
  list: (input: I & { cursor?: string }) => Promise<ApiResponse<Page<T>>>,
  input: I,
): AsyncGenerator<T> {
  let next: string | undefined
  do {
    const { data } = await list({ ...input, ...(next !== undefined && { cursor: next }) })
    yield* data.items
    next = data.next
  } while (next !== undefined)
}

/** Yields the events of a store, and checks each event against the contract. */
export async function* followEvents(
  { base, key, fetch }: TestClientOptions,
  options: FollowOptions = {},
): AsyncGenerator<Event> {
  for await (const event of createClient({ baseUrl: base, key, fetch }).followEvents(options)) {
    yield Event.parse(event)
  }
}

/** Returns only the input members that the operation defines: a test may pass an object with additional members. */
function inputOf({ pathParameters, query, body }: Operation, given: OperationInput): OperationInput {
  const names = [...Object.keys(pathParameters ?? {}), ...Object.keys(query ?? {}), ...(body ? ['body'] : [])]
  return Object.fromEntries(names.flatMap(name => (name in given ? [[name, given[name]]] : [])))
}

function shapeOf({ method, path, query = {}, success }: Operation): OperationShape {
  const shape = { method, path, query: Object.keys(query) }
  if ('list' in success) return { ...shape, list: true }
  return { ...shape, ...(!('resource' in success) && { empty: true as const }) }
}

function checked({ success }: Operation, { status, data }: ApiResponse<unknown>): unknown {
  if (status === 304) return undefined
  // The list of a hidden operation has no pages.
  const page = Array.isArray(data) ? { items: data } : data
  if ('list' in success)
    return z.object({ items: z.array(success.list), next: z.string().optional() }).parse(page)
  return 'resource' in success ? success.resource.parse(data) : undefined
}
