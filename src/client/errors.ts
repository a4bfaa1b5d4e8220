import type { ErrorCode, FieldError } from './api-types.ts'

/** An error response: its status and headers, and the members of its body. */
export interface Refusal {
  readonly status: number
  readonly code: ErrorCode | 'unknown'
  readonly message: string
  /** The invalid fields and parameters, for `validation_failed` and `invalid_parameter`. */
  readonly errors: readonly FieldError[]
  /** The resource that the error is about, such as `pets/3`; undefined if it is about none. */
  readonly subject?: string | undefined
  readonly headers: Headers
}

/**
 * The store refused a request: it responded with a status of 400 or more.
 *
 * `code` is a code of the error catalogue. It is `unknown` if the response came from something else, such as a proxy.
 * A later version of the store may send codes that the type does not list.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'unknown'
  readonly errors: readonly FieldError[]
  readonly subject: string | undefined
  readonly headers: Headers
  /** The id of the request, which the log of the store contains too. */
  readonly requestId: string | undefined
  /** The key that the change was sent with, if it had one: sent again with this key, the change takes effect once. */
  idempotencyKey: string | undefined

  constructor({ status, code, message, errors, subject, headers }: Refusal) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.errors = errors
    this.subject = subject
    this.headers = headers
    this.requestId = headers.get('x-request-id') ?? undefined
  }
}

/**
 * No complete and valid response arrived, so the store may or may not have run the request. `cause` is the original
 * error, if there was one.
 */
export class ConnectionError extends Error {
  /** As that of ApiError. */
  idempotencyKey?: string | undefined

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ConnectionError'
  }
}

/** No complete response arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  constructor(timeoutMs: number) {
    super(`The store did not respond within ${timeoutMs} ms.`)
    this.name = 'TimeoutError'
  }
}
