import { type JsonValue, parseJson } from '../values/json.ts'
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

/** The content of the body of a successful response. */
export type SuccessBody = 'resource' | 'list' | 'nothing'

/**
 * Returns a successful response in parsed form. Throws ApiError for a refusal. Throws ConnectionError for a response
 * that a store does not send: a proxy may respond in its place.
 */
export function readResponse(
  response: Response,
  body: Uint8Array,
  success: SuccessBody,
): ApiResponse<unknown> {
  const { status, headers } = response
  if (status >= 400) throw apiErrorFrom(response, body)
  // A browser shows a redirect that it did not follow as status 0. Without a body, only the status shows a store.
  const isStatusOfStore =
    success === 'nothing' ? status === 204 : status === 304 || (status >= 200 && status < 300)
  if (!isStatusOfStore) {
    throw new ConnectionError(`The server responded with HTTP status ${status}.`)
  }
  return {
    status,
    data: status === 304 || success === 'nothing' ? undefined : dataIn(body, success),
    etag: headers.get('etag') ?? undefined,
    location: headers.get('location') ?? undefined,
    replayed: headers.get('idempotent-replayed') === 'true',
    headers,
  }
}

/** Returns the error of a response with a status of 400 or more, whatever its body is. */
export function apiErrorFrom({ status, headers }: Response, body: Uint8Array): ApiError {
  const { code, message, errors, subject } = membersOf(body)
  return new ApiError({
    status,
    // Safe: a code that this version does not know is passed on, as the documentation of `code` says.
    code: typeof code === 'string' ? (code as ErrorCode) : 'unknown',
    message: typeof message === 'string' ? message : `The server responded with HTTP status ${status}.`,
    // Safe: the store sends each of these errors with the members of a FieldError.
    errors: Array.isArray(errors) ? (errors as unknown as FieldError[]) : [],
    subject: typeof subject === 'string' ? subject : undefined,
    headers,
  })
}

function dataIn(body: Uint8Array, success: 'resource' | 'list'): JsonValue {
  let data: JsonValue
  try {
    data = parseJson(UTF8.decode(body), Object.prototype)
  } catch (error) {
    throw new ConnectionError('The body of the response is not JSON.', error)
  }
  const isExpected =
    success === 'list'
      ? Array.isArray(data)
      : typeof data === 'object' && data !== null && !Array.isArray(data)
  if (isExpected) return data
  throw new ConnectionError(
    `The body of the response is not ${success === 'list' ? 'an array' : 'an object'}.`,
  )
}

function membersOf(body: Uint8Array): Record<string, JsonValue | undefined> {
  try {
    const value = parseJson(UTF8.decode(body), Object.prototype)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
