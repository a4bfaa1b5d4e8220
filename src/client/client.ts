import type { Event } from './api-types.ts'
import { baseAddress } from './base-address.ts'
import type { CallOptions } from './call.ts'
import { type DeprecationNotice, deprecationIn, linkIn } from './deprecation.ts'
import { ApiError, ConnectionError } from './errors.ts'
import { openStream, parseItem } from './event-stream.ts'
import { type FollowOptions, follow } from './follow-events.ts'
import { type Operations, operations } from './operations.ts'
import { type ListPage, makePagedList } from './paged-list.ts'
import {
  type Connection,
  type Fetch,
  type OperationInput,
  type OperationShape,
  prepareRequest,
  targetOf,
} from './request.ts'
import type { ApiResponse } from './response.ts'
import { type HostOperations, hostOperations } from './sandbox-api.ts'
import { type Retry, type SendOptions, send } from './send.ts'

export interface ClientOptions {
  /** The base address of the store, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string | URL
  /** A key, for operations that need one. */
  readonly key?: string | undefined
  /**
   * The time limit of one attempt, including the body of its response, in milliseconds; 30,000 by default, `Infinity`
   * for no limit.
   */
  readonly timeoutMs?: number | undefined
  /** The maximum number of retries of a request, if a retry is safe; 2 by default, 0 for none. */
  readonly retriesMax?: number | undefined
  /** Called for each response of a deprecated operation. */
  readonly onDeprecation?: ((notice: DeprecationNotice) => void) | undefined
  /** Called before each retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** Replaces the `fetch` of the runtime. */
  readonly fetch?: Fetch | undefined
}

/** A client of one store: a method for each operation, by its operationId. */
export interface Client extends Operations {
  /**
   * Yields events until `signal` is aborted. After a lost connection, it continues after the last event that it
   * yielded, so no event is missed or repeated. Requires a key with the scope `events:read`.
   *
   * Throws ApiError if the store refuses, for example an invalid key or a position after which events have been
   * deleted. Throws ConnectionError if the server responds with something other than a stream of events, and TypeError
   * or RangeError for invalid options.
   */
  followEvents(options?: FollowOptions): AsyncGenerator<Event, void>
}

const TIMEOUT_MS = 30_000
const RETRIES_MAX = 2

/**
 * Returns a client of a store. Throws TypeError or RangeError for invalid options.
 *
 * Every integer of a response is a `bigint`. A call throws ApiError for a refusal, and ConnectionError or TimeoutError
 * if no valid response arrived. It throws TypeError or RangeError for input that cannot be sent, and the reason of an
 * aborted signal.
 */
export function createClient(options: ClientOptions): Client {
  const followEvents: Client['followEvents'] = followOptions => follow(connectionOf(options), followOptions)
  // Safe: the table and the types of the operations are generated together, from the same contract.
  return { ...methodsOf(operations, options), followEvents } as Client
}

/**
 * Returns a client of a host of sandboxes (`petstore sandboxes`): a method for each operation that creates or controls
 * them. `key` is the key of the sandbox that is controlled. Throws and calls as `createClient` does.
 */
export function createHostClient(options: ClientOptions): HostOperations {
  // Safe: see createClient.
  return methodsOf(hostOperations, options) as unknown as HostOperations
}

type ClientMethod = (input?: OperationInput, options?: CallOptions) => unknown

function methodsOf(
  shapes: Readonly<Record<string, OperationShape>>,
  options: ClientOptions,
): Record<string, ClientMethod> {
  const call = makeCall(options)
  const methodOf = (id: string, operation: OperationShape): ClientMethod => {
    const { pages, stream, numbers = [] } = operation
    if (stream) return (input = {}, callOptions = {}) => readStream(options, operation, input, callOptions)
    if (pages === undefined)
      return async (input = {}, callOptions = {}) =>
        withNumbers(await call(id, operation, input, callOptions), numbers)
    return (input = {}, callOptions = {}) =>
      makePagedList(async position => {
        const paged = position === undefined ? input : { ...input, [pages]: position }
        return asPage(await call(id, operation, paged, callOptions), pages)
      })
  }
  return Object.fromEntries(Object.entries(shapes).map(([id, shape]) => [id, methodOf(id, shape)]))
}

/** Yields the items of a stream until its connection ends. Throws ApiError and ConnectionError. */
async function* readStream(
  options: ClientOptions,
  operation: OperationShape,
  input: OperationInput,
  { signal, headers, timeoutMs }: CallOptions,
): AsyncGenerator<unknown, void> {
  const { numbers = [] } = operation
  const target = targetOf(operation, input)
  const silenceMs = timeoutMs === undefined ? undefined : requirePositive('timeoutMs', timeoutMs)
  const stream = openStream(connectionOf(options), { target, signal, headers, silenceMs })
  for await (const part of stream)
    if (part.kind === 'event') yield itemWithNumbers(parseItem(part.data), numbers)
}

/** Returns a response whose items have numbers in some members, although integers are parsed as bigint. */
function withNumbers(response: ApiResponse<unknown>, members: readonly string[]): ApiResponse<unknown> {
  const { data } = response
  if (members.length === 0 || !Array.isArray(data)) return response
  return { ...response, data: data.map(item => itemWithNumbers(item, members)) }
}

function itemWithNumbers(item: object, members: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, members.includes(name) ? Number(value) : value]),
  )
}

/** Sends a request for one operation, and returns the response. */
export type Call = (
  operationId: string,
  operation: OperationShape,
  input: OperationInput,
  options?: CallOptions,
) => Promise<ApiResponse<unknown>>

/**
 * Returns the function that sends the requests for all operations of a client. Throws TypeError for an invalid base
 * address, and RangeError for an invalid `timeoutMs` or `retriesMax`.
 */
export function makeCall(options: ClientOptions): Call {
  const { timeoutMs = TIMEOUT_MS, retriesMax = RETRIES_MAX, onRetry, onDeprecation } = options
  const connection = connectionOf(options)
  requirePositive('timeoutMs', timeoutMs)
  requireWholeNumber('retriesMax', retriesMax)
  const notify = (operationId: string, headers: Headers): void => {
    const notice = onDeprecation && deprecationIn(operationId, headers)
    if (!notice) return
    try {
      onDeprecation(notice)
    } catch (error) {
      // A command that ran must not look as if it had failed.
      console.error('onDeprecation threw an error:', error)
    }
  }
  return async (id, operation, input, callOptions = {}) => {
    const request = prepareRequest(connection, operation, input, callOptions)
    const attemptMs = requirePositive('timeoutMs', callOptions.timeoutMs ?? timeoutMs)
    const sendOptions: SendOptions = {
      fetch: connection.fetch,
      // `wait` is the number of seconds that the store may wait for events before it responds.
      timeoutMs: attemptMs + (Number(input.wait ?? 0) || 0) * 1000,
      retriesMax: requireWholeNumber('retriesMax', callOptions.retriesMax ?? retriesMax),
      signal: callOptions.signal,
      onRetry,
    }
    try {
      const response = await send(request, sendOptions)
      notify(id, response.headers)
      return response
    } catch (error) {
      if (error instanceof ApiError) notify(id, error.headers)
      if (error instanceof ApiError || error instanceof ConnectionError)
        error.idempotencyKey = request.idempotencyKey
      throw error
    }
  }
}

function connectionOf({ baseUrl, key, fetch }: ClientOptions): Connection {
  // Browsers require that `fetch` is called as a function of the global object.
  return { base: baseOf(baseUrl), key, fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)) }
}

/**
 * Returns the response of a list operation with a page as its data. A page has the items, and the position of the next
 * page, which is in the Link header. The data is undefined if the response has no items because nothing has changed
 * (304). Throws ConnectionError if the link to the first page is missing, or if the link to the next page is malformed.
 */
export function asPage(
  response: ApiResponse<unknown>,
  parameter: 'cursor' | 'after',
): ApiResponse<ListPage<unknown> | undefined> {
  const { data, headers, status } = response
  if (status === 304 || !Array.isArray(data)) return { ...response, data: undefined }
  // Every page has a link to the first one. Without it, a proxy removed the links, and the list would seem to end.
  if (linkIn(headers, 'first') === undefined) throw new ConnectionError('The response has no Link header.')
  const link = linkIn(headers, 'next')
  if (link === undefined) return { ...response, data: { items: data } }
  // The base is needed for a relative link, because a proxy may shorten an absolute link to a relative one.
  const next = URL.canParse(link, 'http://localhost')
    ? new URL(link, 'http://localhost').searchParams.get(parameter)
    : null
  if (next === null) throw new ConnectionError('The link to the next page is not valid.')
  return { ...response, data: { items: data, next } }
}

/**
 * Returns `value`. Throws RangeError if it is not a number greater than 0: NaN, for example, would be no time limit.
 */
function requirePositive(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new RangeError(`${name} must be greater than 0.`)
}

/** Returns `value`. Throws RangeError if it is not 0, 1, 2, ...: with NaN, for example, the retries would never end. */
function requireWholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new RangeError(`${name} must be 0, 1, 2, ...`)
}

/** Returns the base address without a trailing slash. Throws TypeError if it is not valid. */
function baseOf(given: string | URL): string {
  const text = String(given).trim()
  const base = baseAddress(text)
  if (base !== undefined) return base
  const rule =
    'It must be an http or https URL without user, query and fragment, such as http://127.0.0.1:8080.'
  throw new TypeError(`baseUrl is ${text === '' ? 'empty' : text}. ${rule}`)
}
