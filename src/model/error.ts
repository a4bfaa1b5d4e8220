import { z } from 'zod'
import { int64Between } from './int64.ts'

/** Every error the service answers: its code, the HTTP status it goes out with, and what it means. */
export const errorTable = {
  malformed_json: { status: 400, meaning: 'The body is not one well-formed JSON text in UTF-8.' },
  invalid_parameter: { status: 400, meaning: 'A path, query or header parameter cannot be read.' },
  missing_parameter: { status: 400, meaning: 'A required parameter is absent.' },
  unknown_parameter: { status: 400, meaning: 'The operation has no query parameter of this name.' },
  invalid_cursor: {
    status: 400,
    meaning: 'The cursor was not made by this list with these filters and this sort.',
  },
  preview_required: {
    status: 400,
    meaning: 'The operation is experimental: name its feature in Petstore-Preview.',
  },
  idempotency_key_invalid: {
    status: 400,
    meaning: 'The Idempotency-Key is not 1 to 255 printable characters.',
  },
  idempotency_key_refused: {
    status: 400,
    meaning:
      'The reply of this operation holds a secret, which is never stored: it takes no Idempotency-Key.',
  },
  authentication_required: {
    status: 401,
    meaning: 'The operation needs a key: Authorization: Bearer pst_...',
  },
  invalid_token: { status: 401, meaning: 'The key is malformed, unknown, expired or revoked.' },
  insufficient_scope: { status: 403, meaning: 'The key does not hold the scope that the operation needs.' },
  route_not_found: { status: 404, meaning: 'No operation has this path.' },
  pet_not_found: { status: 404, meaning: 'There is no pet with this id.' },
  category_not_found: { status: 404, meaning: 'There is no category with this id.' },
  order_not_found: { status: 404, meaning: 'There is no order with this id; a cancelled order is gone.' },
  inventory_item_not_found: { status: 404, meaning: 'There is no inventory item for a pet with this id.' },
  webhook_not_found: { status: 404, meaning: 'There is no webhook with this id.' },
  delivery_not_found: { status: 404, meaning: 'The webhook has no delivery with this id.' },
  key_not_found: { status: 404, meaning: 'There is no key with this id, or it was revoked.' },
  error_not_found: { status: 404, meaning: 'The catalogue holds no error with this code.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not with this method: see Allow.' },
  not_acceptable: {
    status: 406,
    meaning: 'The Accept header does not allow the media type of the response.',
  },
  request_timeout: { status: 408, meaning: 'The body did not arrive in time.' },
  invalid_status_transition: { status: 409, meaning: 'The stock of the pet does not allow this status.' },
  pet_not_available: { status: 409, meaning: 'The pet is on hold and cannot be ordered.' },
  insufficient_stock: { status: 409, meaning: 'Fewer units are free than the order asks for.' },
  order_already_complete: { status: 409, meaning: 'A complete order is frozen.' },
  stock_below_reserved: {
    status: 409,
    meaning: 'The stock would fall below what open orders have reserved.',
  },
  stock_out_of_bounds: { status: 409, meaning: 'The stock would leave the range 0 to 1,000,000,000.' },
  pet_in_use: { status: 409, meaning: 'Open orders hold the pet; complete or cancel them first.' },
  category_in_use: { status: 409, meaning: 'Pets are in the category; move or delete them first.' },
  webhook_disabled: { status: 409, meaning: 'The webhook is disabled: enable it first.' },
  webhook_limit_reached: { status: 409, meaning: 'The store has as many webhooks as it keeps.' },
  operation_sunset: { status: 410, meaning: 'The operation was retired; its successor is named in Link.' },
  event_history_expired: { status: 410, meaning: 'Events after this position are kept no more.' },
  precondition_failed: { status: 412, meaning: 'The resource has changed: its current ETag does not match.' },
  body_too_large: { status: 413, meaning: 'The body is larger than 1 MiB.' },
  url_too_long: { status: 414, meaning: 'The URL is longer than 8 KiB.' },
  unsupported_media_type: { status: 415, meaning: 'The Content-Type is not one that the operation reads.' },
  validation_failed: {
    status: 422,
    meaning: 'The body was read but breaks its schema; errors lists every place.',
  },
  unknown_reference: { status: 422, meaning: 'The body refers to something that does not exist.' },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The Idempotency-Key was used before with another request.',
  },
  rate_limited: {
    status: 429,
    meaning: 'Too many requests in this window; Retry-After says when to come back.',
  },
  internal_error: { status: 500, meaning: 'A fault of the service; it is logged under the request id.' },
  overloaded: { status: 503, meaning: 'Too many requests are in progress; try again shortly.' },
  storage_full: { status: 503, meaning: 'The store has no space left to write; reads still work.' },
  shutting_down: { status: 503, meaning: 'The process is stopping.' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ErrorCodeName = keyof typeof errorTable

export function isErrorCode(text: string): text is ErrorCodeName {
  return Object.hasOwn(errorTable, text)
}

/** The closed set of what can be wrong at one place of a request. */
export const fieldErrorCodes = [
  'required',
  'unknown_field',
  'type_mismatch',
  'out_of_range',
  'too_short',
  'too_long',
  'too_many',
  'not_in_enum',
  'invalid_format',
  'read_only',
  'duplicate',
] as const

/** What is echoed of a request stood in its head, which the runtime bounds. */
const HEAD_CHARS_MAX = 16_384
const codeForm = { pattern: '^[a-z_]+$', maxLength: 64 }

/** One broken place: `pointer` (RFC 6901) in a body, `name` of a parameter elsewhere. */
const FieldErrorPlace = z
  .enum(['body', 'path', 'query', 'header'])
  .meta({ id: 'FieldErrorPlace', description: 'The part of a request.', example: 'body' })

const FieldErrorCode = z
  .enum(fieldErrorCodes)
  .meta({ id: 'FieldErrorCode', description: 'What is wrong at a place of a request.', example: 'required' })

export const FieldError = z
  .object({
    in: FieldErrorPlace,
    pointer: z
      .string()
      .optional()
      .meta({ description: 'RFC 6901 pointer into the body.', maxLength: HEAD_CHARS_MAX, example: '/name' }),
    name: z
      .string()
      .optional()
      .meta({ description: 'Name of the parameter.', maxLength: HEAD_CHARS_MAX, example: 'limit' }),
    code: FieldErrorCode,
    message: z.string().meta({
      description: 'The same for a person.',
      maxLength: HEAD_CHARS_MAX,
      example: 'name is required',
    }),
  })
  .meta({
    id: 'FieldError',
    description: 'One broken place of a request.',
    example: { in: 'body', pointer: '/name', code: 'required', message: 'name is required' },
  })
export type FieldError = z.output<typeof FieldError>

/** At most this many broken places are listed in one answer. */
export const FIELD_ERRORS_MAX = 100

const httpStatus = int64Between(400n, 599n).meta({ format: 'int32' })

export const ErrorBody = z
  .object({
    code: z.string().meta({
      description: 'One of the codes of the error catalogue.',
      ...codeForm,
      example: 'pet_not_found',
    }),
    message: z.string().meta({
      description: 'What went wrong, in one or two sentences for a person.',
      maxLength: HEAD_CHARS_MAX,
      example: 'Pet 404 does not exist.',
    }),
    status: httpStatus.meta({ description: 'The HTTP status of the answer.', example: 404 }),
    errors: z
      .array(FieldError)
      .max(FIELD_ERRORS_MAX)
      .optional()
      .meta({ description: 'On validation failures only: every broken place.' }),
  })
  .meta({
    id: 'Error',
    description: 'What every refusal looks like.',
    // No example: Prism would prefer it to the example of the status that a request asks for.
  })
export type ErrorBody = z.output<typeof ErrorBody>

export const ErrorInfo = z
  .object({
    code: z
      .string()
      .meta({ description: 'The code, as it stands in an Error.', ...codeForm, example: 'pet_not_found' }),
    status: httpStatus.meta({ description: 'The HTTP status it goes out with.', example: 404 }),
    meaning: z
      .string()
      .meta({ description: 'What it says.', maxLength: 256, example: 'There is no pet with this id.' }),
  })
  .meta({
    id: 'ErrorInfo',
    description: 'An entry of the error catalogue.',
    example: { code: 'pet_not_found', status: 404, meaning: 'There is no pet with this id.' },
  })
export type ErrorInfo = z.output<typeof ErrorInfo>

/** What an answer needs beside code and message; each is set where the fact is known. */
export interface ErrorDetails {
  readonly errors?: readonly FieldError[]
  readonly etag?: string
  readonly scope?: string
  readonly allow?: string
  readonly acceptPatch?: string
  readonly retryAfterSeconds?: number
}

/** A refusal that the caller can understand: it becomes an Error body with the status of its code. */
export class StoreError extends Error {
  readonly code: ErrorCodeName
  readonly details: ErrorDetails

  constructor(code: ErrorCodeName, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = 'StoreError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorTable[this.code].status
  }
}

/** The broken place of a member that may only be sent with the value it has. */
export function readOnlyMember(member: string, value: bigint): FieldError {
  const message = `${member} is ${value} and cannot be changed.`
  return { in: 'body', pointer: `/${member}`, code: 'read_only', message }
}

/** The refusal of a body that was read but breaks its schema (422), with every broken place. */
export function validationFailed(errors: readonly FieldError[]): StoreError {
  return new StoreError('validation_failed', summaryOf(errors), { errors: errors.slice(0, FIELD_ERRORS_MAX) })
}

/** Broken places that the message of a refusal names; `errors` lists the others. */
const PLACES_NAMED_MAX = 3

/** One sentence for several broken places: it names the first ones and counts the others. */
export function summaryOf(errors: readonly FieldError[]): string {
  const named = errors.slice(0, PLACES_NAMED_MAX).map(({ message }) => message.replace(/\.$/, ''))
  const others = errors.length - named.length
  return `${named.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`
}
