const meanings = {
  400: {
    malformed_json: 'The body is not one well-formed JSON text in UTF-8.',
    invalid_parameter: 'A path, query or header parameter is not valid.',
    missing_parameter: 'A required parameter is absent.',
    unknown_parameter: 'The operation has no query parameter of this name.',
    invalid_cursor: 'The cursor does not belong to this list with these filters and this sort.',
    preview_required: 'The operation is experimental: name its feature in Petstore-Preview.',
    idempotency_key_invalid: 'The Idempotency-Key is not 1 to 255 printable characters.',
    idempotency_key_refused:
      'The response contains a secret, which is never stored: the operation takes no Idempotency-Key.',
  },
  401: {
    authentication_required: 'The operation requires a key: Authorization: Bearer pst_...',
    invalid_token: 'The key is malformed, unknown, expired or revoked.',
  },
  403: {
    insufficient_scope: 'The key does not have the scope that the operation requires.',
  },
  404: {
    route_not_found: 'No operation has this path.',
    pet_not_found: 'There is no pet with this id.',
    category_not_found: 'There is no category with this id.',
    order_not_found: 'There is no order with this id; cancelled orders are deleted.',
    sale_not_found: 'There is no sale with this receipt.',
    inventory_item_not_found: 'There is no inventory item for a pet with this id.',
    webhook_not_found: 'There is no webhook with this id.',
    delivery_not_found: 'The webhook has no delivery with this id.',
    key_not_found: 'There is no key with this id, or it was revoked.',
    error_not_found: 'The catalogue has no error with this code.',
    sandbox_not_found: 'There is no sandbox at this address: it expired, was deleted, or never existed.',
    class_not_found: 'There is no class with this id: it was deleted, or never existed.',
    snapshot_not_found: 'The sandbox has no snapshot with this name.',
  },
  405: {
    method_not_allowed: 'The path does not support this method: see Allow.',
  },
  406: {
    not_acceptable: 'The Accept header does not allow the media type of the response.',
  },
  408: {
    request_timeout: 'The body did not arrive in time.',
  },
  409: {
    invalid_status_transition: 'The stock of the pet does not allow this status.',
    pet_not_available: 'The pet is on hold and cannot be ordered.',
    insufficient_stock: 'Fewer units are available than the order requires.',
    order_already_complete:
      'Only the reference of a complete order can be changed; its units can be returned.',
    order_not_complete: 'Only the units of a complete order can be returned.',
    return_exceeds_order: 'More units would be returned than were sold.',
    stock_below_reserved: 'The stock would fall below the units reserved for open orders.',
    stock_out_of_bounds: 'The stock would be outside the range 0 to 1,000,000,000.',
    name_taken: 'Somebody else has taken this name in the class.',
    barcode_taken: 'Another pet has this barcode; the message names it.',
    pet_in_use: 'The pet has open orders; complete or cancel them first.',
    category_in_use: 'The category contains pets; move or delete them first.',
    webhook_disabled: 'The webhook is disabled: enable it first.',
    webhook_limit_reached: 'The store has the maximum number of webhooks.',
    last_admin_key: 'No other key with the scope admin is valid without an expiry.',
    hunt_in_progress: 'The planted faults of the sandbox are secret until its findings are scored.',
    sandbox_limit_reached: 'The sandbox or the class has reached a limit; the message names the limit.',
  },
  410: {
    operation_sunset: 'The operation has been retired; Link names its replacement.',
    event_history_expired: 'Some events after this position have been deleted.',
  },
  412: {
    precondition_failed: 'The resource has changed: its current ETag does not match.',
  },
  413: {
    body_too_large: 'The body is larger than 1 MiB.',
  },
  414: {
    url_too_long: 'The URL is longer than 8 KiB.',
  },
  415: {
    unsupported_media_type: 'The operation does not accept this Content-Type.',
  },
  422: {
    validation_failed: 'The body was read but does not match its schema; errors lists the invalid fields.',
    unknown_reference: 'The body refers to something that does not exist.',
    idempotency_key_reused: 'The Idempotency-Key was already used for a different request.',
  },
  429: {
    rate_limited: 'Too many requests in this window; Retry-After says when to retry.',
  },
  500: {
    internal_error: 'An error of the server; it is logged with the request id.',
  },
  503: {
    overloaded: 'The store cannot handle the request now; try again shortly.',
    outcome_unknown: 'The change may have taken effect: repeat it with the same Idempotency-Key, or look.',
    storage_full: 'The storage is full: the store cannot write, but reads still work.',
    shutting_down: 'The process is stopping.',
    sandbox_damaged: 'The files of the sandbox were damaged, probably by a power failure: reset it.',
  },
} as const
type Meanings = typeof meanings

export type ErrorCodeName = { [Status in keyof Meanings]: keyof Meanings[Status] }[keyof Meanings]

const entries = Object.entries(meanings).flatMap(([status, codes]) =>
  Object.entries(codes).map(([code, meaning]) => [code, { status: Number(status), meaning }] as const),
)

/** Every error that the service returns: its code, its HTTP status and its meaning. */
// Safe: the entries are those of `meanings`.
export const errorTable = Object.fromEntries(entries) as Readonly<
  Record<ErrorCodeName, { readonly status: number; readonly meaning: string }>
>

export function isErrorCode(text: string): text is ErrorCodeName {
  return Object.hasOwn(errorTable, text)
}

/** Every code of a FieldError. */
export const fieldErrorCodes = [
  'required',
  'unknown_field',
  'type_mismatch',
  'out_of_range',
  'too_short',
  'too_long',
  'too_many',
  'not_in_enum',
  'conflicting',
  'invalid_format',
  'read_only',
  'duplicate',
] as const

/** One invalid field, or one invalid path, query or header parameter. */
export interface FieldError {
  readonly in: 'body' | 'path' | 'query' | 'header'
  /** A JSON Pointer (RFC 6901) into the body. */
  readonly pointer?: string | undefined
  /** The name of the parameter. */
  readonly name?: string | undefined
  readonly code: (typeof fieldErrorCodes)[number]
  readonly message: string
}

/** The maximum number of field errors in one response. */
export const FIELD_ERRORS_MAX = 100

/** The data that the response to some errors needs in addition to code and message. */
export interface ErrorDetails {
  /** The resource that the error is about. A refusal about the stock of a pet is about the pet. */
  readonly subject?: `${'pets' | 'categories' | 'orders' | 'sales' | 'webhooks' | 'keys'}/${bigint}`
  readonly errors?: readonly FieldError[]
  readonly etag?: string
  readonly scope?: string
  readonly allow?: string
  readonly acceptPatch?: string
  readonly retryAfterSeconds?: number
  /** The disk or the file is full. For the engine alone: a bound of a command has the same code. */
  readonly isOutOfSpace?: true
}

/**
 * A refusal: an error that the caller can act on. The response has an Error body and the status of the code. A cause,
 * if it has one, is for the log.
 */
export class StoreError extends Error {
  readonly code: ErrorCodeName
  readonly details: ErrorDetails

  constructor(code: ErrorCodeName, message = errorTable[code].meaning, details: ErrorDetails = {}) {
    super(message)
    this.name = 'StoreError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorTable[this.code].status
  }

  /** The members of the body of the response. */
  get body() {
    const { code, message, status } = this
    const { subject, errors } = this.details
    return { code, message, status, ...(subject && { subject }), ...(errors && { errors: [...errors] }) }
  }
}

/** Throws `validation_failed` if a body has an id, which cannot be changed, with another value than the current one. */
export function refuseOtherIds<Member extends string>(
  body: { readonly [Name in NoInfer<Member>]?: bigint | undefined },
  ids: Readonly<Record<Member, bigint>>,
): void {
  const errors: FieldError[] = []
  for (const member in ids) {
    const sent = body[member]
    if (sent === undefined || sent === ids[member]) continue
    const message = `${member} is ${ids[member]} and cannot be changed.`
    errors.push({ in: 'body', pointer: `/${member}`, code: 'read_only', message })
  }
  if (errors.length > 0) throw validationFailed(errors)
}

/** Returns the error (422) for a body that was read but does not match its schema. */
export function validationFailed(errors: readonly FieldError[]): StoreError {
  return new StoreError('validation_failed', summaryOf(errors), { errors: errors.slice(0, FIELD_ERRORS_MAX) })
}

/** The maximum number of field errors that the message of an error quotes; `errors` lists up to FIELD_ERRORS_MAX. */
const ERRORS_QUOTED_MAX = 3

/** Returns one sentence for several field errors: it quotes the first ones and counts the others. */
export function summaryOf(errors: readonly FieldError[]): string {
  const quoted = errors.slice(0, ERRORS_QUOTED_MAX).map(({ message }) => message.replace(/\.$/, ''))
  const others = errors.length - quoted.length
  return `${quoted.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`
}
