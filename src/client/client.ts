import { z } from 'zod'
import { type Contract, contract, type OperationId, type StreamId } from '../contract/contract.ts'
import type { Input, Operation, Output, Page } from '../contract/operation.ts'
import { ErrorBody } from '../model/error.ts'
import { type JsonValue, readJson, writeJson } from '../model/json.ts'

export interface ClientOptions {
  /** The base address of the store, without a trailing slash. */
  readonly base: string
  /** A key, for operations that need one. */
  readonly key?: string | undefined
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** Options for one call, in addition to its input. */
export interface CallOptions {
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
  readonly idempotencyKey?: string
  /** Features for Petstore-Preview. */
  readonly preview?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A success: the result, with the most important headers. */
export interface ApiResponse<T> {
  readonly status: number
  readonly data: T
  readonly etag: string | undefined
  readonly location: string | undefined
  readonly headers: Headers
}

/** A refusal (4xx, 5xx) with its Error body. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly errors: NonNullable<ErrorBody['errors']>
  readonly headers: Headers

  constructor({ status, code, message, errors }: ErrorBody, headers: Headers) {
    super(message)
    this.name = 'Refused'
    this.status = Number(status)
    this.code = code
    this.errors = errors ?? []
    this.headers = headers
  }
}

/**
 * Every operation with a finite response, by its id (`followEvents` reads the endless one). Ids are bigints;
 * responses are checked against the contract.
 */
export type Client = {
  readonly [Id in Exclude<OperationId, StreamId>]: (
    input: Input<Contract[Id]>,
    options?: CallOptions,
  ) => Promise<ApiResponse<Output<Contract[Id]>>>
}

/** Creates a client of a store. A call throws Refused for a refusal, and the error of `fetch` for a lost connection. */
export function makeClient(options: ClientOptions): Client {
  const operations: [string, Operation][] = Object.entries(contract)
  const calls = operations.map(([id, operation]) => [
    id,
    (input: Record<string, unknown>, call: CallOptions = {}) => send(options, operation, input, call),
  ])
  // Safe: each function sends according to the operation of its id, and checks the response with its schema.
  return Object.fromEntries(calls) as Client
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

async function send(
  { base, key, fetch = globalThis.fetch }: ClientOptions,
  operation: Operation,
  input: Record<string, unknown>,
  call: CallOptions,
): Promise<ApiResponse<unknown>> {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(call.ifMatch !== undefined && { 'If-Match': call.ifMatch }),
    ...(call.ifNoneMatch !== undefined && { 'If-None-Match': call.ifNoneMatch }),
    ...(call.idempotencyKey !== undefined && { 'Idempotency-Key': JSON.stringify(call.idempotencyKey) }),
    ...(call.preview !== undefined && { 'Petstore-Preview': call.preview }),
    ...(operation.body && { 'Content-Type': 'application/json' }),
    ...call.headers,
  }
  const response = await fetch(base + target(operation, input), {
    method: operation.method,
    headers,
    redirect: 'error',
    ...(operation.body && { body: writeJson(input.body) }),
    ...(call.signal && { signal: call.signal }),
  })
  const bytes = await response.bytes()
  if (response.status >= 400) throw refusalFrom(response, bytes)
  return {
    status: response.status,
    data:
      response.status === 304 || bytes.length === 0 ? undefined : read(operation, response, readJson(bytes)),
    etag: response.headers.get('etag') ?? undefined,
    location: response.headers.get('location') ?? undefined,
    headers: response.headers,
  }
}

function target({ path, query }: Operation, input: Record<string, unknown>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const pairs = Object.keys(query ?? {}).flatMap(name => {
    const value = input[name]
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
    return values.map(one => `${name}=${encodeURIComponent(String(one))}`)
  })
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled
}

function read({ success, endless }: Operation, response: Response, value: JsonValue): unknown {
  if ('list' in success)
    return { items: z.array(success.list).parse(value), next: nextOf(response, endless ?? 'cursor') }
  return 'resource' in success ? success.resource.parse(value) : undefined
}

function nextOf({ headers }: Response, parameter: 'cursor' | 'after'): string | undefined {
  const url = /<([^<>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return url === undefined ? undefined : (new URL(url).searchParams.get(parameter) ?? undefined)
}

/** Returns the refusal in a response, whatever its body is. */
export function refusalFrom(response: Response, bytes: Uint8Array): Refused {
  const { status, headers } = response
  const body = z.looseObject(ErrorBody.shape).safeParse(parsed(bytes))
  if (!body.success)
    return new Refused({ status: BigInt(status), code: 'unknown', message: `HTTP status ${status}` }, headers)
  return new Refused(body.data, headers)
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return readJson(bytes)
  } catch {
    return undefined
  }
}
