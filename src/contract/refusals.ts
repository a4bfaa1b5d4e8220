import { type ErrorCodeName, FIELD_ERRORS_MAX, type FieldError, StoreError, summaryOf } from './error.ts'
import { BODY_BYTES_MAX, BODY_TIMEOUT_MS, PATCH_TYPES, URL_CHARS_MAX } from './limits.ts'

// One function for each refusal of the HTTP layer. The examples of the description call them too.

/**
 * The refusal of a request without a key. `scope` is the required scope; undefined if every key may use the operation.
 */
export function authenticationRequired(scope: string | undefined): StoreError {
  const key = scope === undefined ? 'a key' : `a key with the scope ${scope}`
  const message = `This operation requires ${key}, as Authorization: Bearer pst_...`
  return new StoreError('authentication_required', message)
}

/** The refusal of an Authorization header with a scheme other than Bearer, or without a key. */
export function malformedAuthorization(): StoreError {
  const message = 'Authorization must be "Bearer" followed by a key that starts with pst_.'
  return new StoreError('authentication_required', message)
}

export function malformedKey(): StoreError {
  return new StoreError('invalid_token', 'The key is malformed: it is truncated or mistyped.')
}

export function insufficientScope(scope: string): StoreError {
  const message = `This operation requires the scope ${scope}, which the key does not have.`
  return new StoreError('insufficient_scope', message, { scope })
}

export function metricsNeedKey(): StoreError {
  const message = 'From another machine, or through a proxy, the metrics need an admin key.'
  return new StoreError('authentication_required', message)
}

export function metricsNeedAdmin(): StoreError {
  return new StoreError('insufficient_scope', 'The metrics need the scope admin.', { scope: 'admin' })
}

/** The refusal of an unknown path. `hint` is a sentence that starts with a space, or an empty text. */
export function routeNotFound(path: string, hint: string): StoreError {
  return new StoreError('route_not_found', `No operation has the path ${path}.${hint}`)
}

/** The refusal of a method that a path does not have. `allow` is the value of the Allow header. */
export function methodNotAllowed(path: string, method: string, allow: string): StoreError {
  const message = `${path} does not support ${method}; it supports ${allow}.`
  return new StoreError('method_not_allowed', message, { allow })
}

export function notAcceptable(type: string): StoreError {
  return new StoreError('not_acceptable', `The response is ${type}, which the Accept header does not allow.`)
}

export function unsupportedMediaType(method: string): StoreError {
  const types = method === 'PATCH' ? PATCH_TYPES.replace(', ', ' or ') : 'application/json'
  return new StoreError(
    'unsupported_media_type',
    `Content-Type must be ${types}, in UTF-8 and not compressed.`,
    method === 'PATCH' ? { acceptPatch: PATCH_TYPES } : {},
  )
}

export function bodyTooLarge(): StoreError {
  return new StoreError('body_too_large', `The body may have at most ${BODY_BYTES_MAX} bytes.`)
}

export function requestTimeout(): StoreError {
  const message = `The body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds.`
  return new StoreError('request_timeout', message)
}

/** The refusal of a body or a request that ended early. */
export function incompleteRequest(subject: 'The body' | 'The request'): StoreError {
  return new StoreError('malformed_json', `${subject} is incomplete.`)
}

export function urlTooLong(): StoreError {
  return new StoreError('url_too_long', `The URL may have at most ${URL_CHARS_MAX} characters.`)
}

/** The refusal of a header with an invalid value. */
export function invalidHeader(name: string, message: string): StoreError {
  return invalidParameter({ in: 'header', name, code: 'invalid_format', message })
}

/** The refusal of If-Match or If-None-Match that is neither `*` nor a list of entity tags. */
export function invalidEntityTags(name: string): StoreError {
  return invalidHeader(name, `${name} must be * or a list of entity tags, each in double quotes.`)
}

/**
 * An invalid parameter of an operation. `refusal` is the code of the error if this parameter is the first invalid one.
 */
export type ParameterError = FieldError & { readonly refusal: ErrorCodeName }

export function misreadParameter(
  location: 'path' | 'query',
  name: string,
  given: {
    readonly expects: string
    readonly text: string
    readonly code?: FieldError['code']
  },
): ParameterError {
  const { expects, text, code = 'type_mismatch' } = given
  const message = `${name} must be ${expects}, not ${JSON.stringify(text.slice(0, 100))}.`
  return { in: location, name, code, message, refusal: 'invalid_parameter' }
}

/** The error of a part of the URL that is not percent-encoded UTF-8. `subject` begins its message. */
export function undecodable(location: 'path' | 'query', name: string, subject: string): ParameterError {
  const message = `${subject} is not percent-encoded UTF-8.`
  return { in: location, name, code: 'invalid_format', message, refusal: 'invalid_parameter' }
}

export function missingParameter(name: string): ParameterError {
  const message = `${name} is required.`
  return { in: 'query', name, code: 'required', message, refusal: 'missing_parameter' }
}

/** Returns the error of an unknown query parameter. `meant` is the parameter that the client probably meant. */
export function unknownParameter(name: string, meant?: string): ParameterError {
  const hint = meant === undefined ? '.' : ` (did you mean ${meant}?).`
  const message = `The operation has no query parameter ${JSON.stringify(name.slice(0, 100))}${hint}`
  return { in: 'query', name, code: 'unknown_field', message, refusal: 'unknown_parameter' }
}

/** The refusal of a request with these invalid parameters. The first parameter decides the code. */
export function invalidParameters(errors: readonly [ParameterError, ...ParameterError[]]): StoreError {
  const details = errors.slice(0, FIELD_ERRORS_MAX).map(({ refusal: _, ...error }) => error)
  return new StoreError(errors[0].refusal, summaryOf(errors), { errors: details })
}

export function idempotencyKeyInvalid(): StoreError {
  return new StoreError(
    'idempotency_key_invalid',
    'Idempotency-Key must be 1 to 255 printable ASCII characters, in double quotes, or unquoted without spaces.',
  )
}

export function idempotencyKeyRefused(): StoreError {
  return new StoreError(
    'idempotency_key_refused',
    'The response contains a secret, which is never stored: send no Idempotency-Key.',
  )
}

/** The refusal of an operation after its sunset. `sunset` is the value of the Sunset header. */
export function operationSunset(operationId: string, sunset: string): StoreError {
  const message = `${operationId} was retired on ${sunset}; Link names its replacement.`
  return new StoreError('operation_sunset', message)
}

/** The refusal of an experimental operation. `preview` is the feature that Petstore-Preview must name. */
export function previewRequired(operationId: string, preview: string): StoreError {
  const message = `Petstore-Preview must name the feature ${preview}.`
  return new StoreError(
    'preview_required',
    `${operationId} is experimental and may change: to use it, send Petstore-Preview: ${preview}.`,
    { errors: [{ in: 'header', name: 'Petstore-Preview', code: 'required', message }] },
  )
}

export function rateLimited(rate: {
  readonly requests: number
  readonly seconds: number
  readonly retryAfterSeconds: number
}): StoreError {
  const { requests, seconds, retryAfterSeconds } = rate
  const message = `More than ${requests} requests in ${seconds} seconds; try again in ${retryAfterSeconds} seconds.`
  return new StoreError('rate_limited', message, { retryAfterSeconds })
}

/** The limit of requests with wrong keys, which slows down guessing. It is not the rate limit of the settings. */
export function tooManyWrongKeys(retryAfterSeconds: number): StoreError {
  const problem = 'Too many requests from this address had a wrong key'
  const message = `${problem}; check the key, and try again in ${retryAfterSeconds} seconds.`
  return new StoreError('rate_limited', message, { retryAfterSeconds })
}

export function serverFailed(requestId: string): StoreError {
  return new StoreError(
    'internal_error',
    `The server failed; the error is logged with the request id ${requestId}.`,
  )
}

/** The refusal of a body with the id of a pet or a category that does not exist. */
export function unknownReference(noun: 'Pet' | 'Category', id: bigint): StoreError {
  const subject = `${noun === 'Pet' ? 'pets' : 'categories'}/${id}` as const
  return new StoreError('unknown_reference', `${noun} ${id} does not exist.`, { subject })
}

export function invalidCursor(): StoreError {
  return new StoreError(
    'invalid_cursor',
    'The cursor does not belong to this list with these filters and this sort. Start again without it.',
  )
}

/** The refusal of a sort that the filter excludes. `sort` is the member by which the list is filtered. */
export function sortExcludedByFilter(sort: string): StoreError {
  const message = `A list that is filtered by ${sort} can only be sorted by ${sort} or -${sort}.`
  return invalidParameter({ in: 'query', name: 'sort', code: 'not_in_enum', message })
}

/** The refusal of a filter or a sort that no index serves together with another filter. */
export function excludedByFilter(name: string, filter: string): StoreError {
  const message = `${name} cannot be combined with ${filter}.`
  return invalidParameter({ in: 'query', name, code: 'conflicting', message })
}

/**
 * The refusal of one invalid parameter in path, query or header. Its message is also the message of the whole error.
 */
export function invalidParameter(error: FieldError): StoreError {
  return new StoreError('invalid_parameter', error.message, { errors: [error] })
}

/** The refusal of a request whose precondition is false. `etag` is the current ETag of the resource. */
export function preconditionFailed(etag: string): StoreError {
  const message = `The resource has changed: its ETag is now ${etag}.`
  return new StoreError('precondition_failed', message, { etag })
}

export function idempotencyKeyReused(): StoreError {
  const message = 'This Idempotency-Key was already used for a different request.'
  return new StoreError('idempotency_key_reused', message)
}

/** The refusal of a body that is not JSON. `found` is the reason why parsing failed at this character. */
export function notJson(found: string, character: number): StoreError {
  return new StoreError('malformed_json', `The body is not JSON: ${found}, at character ${character}.`)
}

export function notUtf8(): StoreError {
  return new StoreError('malformed_json', 'The body is not valid UTF-8.')
}

export function nestedTooDeep(levelsMax: number): StoreError {
  return new StoreError('malformed_json', `The body is nested deeper than ${levelsMax} levels.`)
}

export function storageFull(): StoreError {
  return new StoreError('storage_full', 'The store has no space left to write.', { isOutOfSpace: true })
}

/** The refusal of a change that needs an id or a position beyond 2^63 - 1. */
export function noNumberLeft(what: string): StoreError {
  return new StoreError('storage_full', `The store has no ${what} left; its operator must look into it.`)
}

export function shuttingDown(retryAfterSeconds = 5): StoreError {
  return new StoreError('shutting_down', 'The process is stopping.', { retryAfterSeconds })
}

/** The refusal of a request that the store cannot handle now. `message` says why, and what the caller can do. */
export function overloaded(message: string, retryAfterSeconds = 1): StoreError {
  return new StoreError('overloaded', message, { retryAfterSeconds })
}

/** The refusal of a change whose commit was not confirmed, so it may have taken effect. */
export function outcomeUnknown(): StoreError {
  const message =
    'The database did not confirm the change in time, so it may have taken effect. ' +
    'If the request had an Idempotency-Key, repeat it with the same key; otherwise read the store before you repeat it.'
  return new StoreError('outcome_unknown', message, { retryAfterSeconds: 2 })
}

export function tooManyInProgress(): StoreError {
  return overloaded('Too many requests are in progress; try again shortly.')
}

export function unknownKey(): StoreError {
  return new StoreError('invalid_token', 'The key is unknown or was revoked.')
}

export function expiredKey(): StoreError {
  return new StoreError('invalid_token', 'The key has expired.')
}

export function sandboxNotFound(): StoreError {
  return new StoreError('sandbox_not_found')
}

export function wrongSandboxKey(): StoreError {
  return new StoreError('invalid_token', 'The key does not belong to this sandbox.')
}

export function sandboxKeyRequired(): StoreError {
  const message = 'This operation requires the key of the sandbox, as Authorization: Bearer pst_...'
  return new StoreError('authentication_required', message)
}
