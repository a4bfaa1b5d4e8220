import { type JsonValue, parseJson } from '../model/json.ts'
import type { ErrorCode, FieldError } from './api-types.ts'
import { ApiError, ConnectionError } from './errors.ts'

/** A successful response. */
export interface ApiResponse<T> {
  readonly status: number
  /** The body. Every integer in it is a `bigint`. */
  readonly data: T
  /** The version of the resource, for `ifMatch` and `ifNoneMatch`. */
  readonly etag: string | undefined
  /** The URI of the created resource. */
  readonly location: string | undefined
  /** Whether this is the stored response to an earlier request with the same idempotency key. */
  readonly replayed: boolean
  readonly headers: Headers
}

/** The response to a read with `ifNoneMatch`, if the resource has not changed. */
export interface NotModified extends ApiResponse<undefined> {
  readonly status: 304
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the success in a response. Throws ApiError for a refusal, ConnectionError for a body that is not JSON. */
export function readResponse(response: Response, body: ArrayBuffer): ApiResponse<unknown> {
  const { status, headers } = response
  if (status >= 400) throw apiErrorFrom(response, body)
  // A redirect that `fetch` did not follow: the base address is not that of a store.
  if (status >= 300 && status !== 304)
    throw new ConnectionError(`The server responded with HTTP status ${status}.`)
  return {
    status,
    data: status === 304 || body.byteLength === 0 ? undefined : dataIn(body),
    etag: headers.get('etag') ?? undefined,
    location: headers.get('location') ?? undefined,
    replayed: headers.get('idempotent-replayed') === 'true',
    headers,
  }
}

/** Returns the refusal in a response, whatever its body is. */
export function apiErrorFrom({ status, headers }: Response, body: ArrayBuffer): ApiError {
  const { code, message, errors } = membersOf(body)
  return new ApiError({
    status,
    // Safe: a code that this version does not know is passed on, as the documentation of `code` says.
    code: typeof code === 'string' ? (code as ErrorCode) : 'unknown',
    message: typeof message === 'string' ? message : `The server responded with HTTP status ${status}.`,
    // Safe: the store sends these members for each error of a field.
    errors: Array.isArray(errors) ? (errors as unknown as FieldError[]) : [],
    headers,
  })
}

function dataIn(body: ArrayBuffer): JsonValue {
  try {
    return parseJson(UTF8.decode(body), Object.prototype)
  } catch (error) {
    throw new ConnectionError('The body of the response is not JSON.', error)
  }
}

function membersOf(body: ArrayBuffer): Record<string, JsonValue | undefined> {
  try {
    const value = parseJson(UTF8.decode(body), Object.prototype)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
