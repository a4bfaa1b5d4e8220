import type { Operation } from '../contract/operation.ts'
import { type ErrorCodeName, errorTable, type FieldError } from '../model/error.ts'

/** Codes that no operation returns: they reject requests that match no operation. */
type OutsideOperations = 'route_not_found' | 'method_not_allowed'

/** The message of each code, word for word as the server sends it. */
const messages = {
  malformed_json: 'The body is not JSON: unexpected end of the body, at character 9.',
  invalid_parameter: 'If-None-Match must be * or a list of entity tags, each in double quotes.',
  missing_parameter: 'since is required.',
  unknown_parameter: 'The operation has no query parameter "colour".',
  invalid_cursor:
    'The cursor does not belong to this list with these filters and this sort. Start again without it.',
  preview_required:
    'getStoreSummary is experimental and may change: to use it, send Petstore-Preview: store-summary.',
  idempotency_key_invalid:
    'Idempotency-Key must be 1 to 255 printable ASCII characters, in double quotes or unquoted.',
  idempotency_key_refused: 'The response contains a secret, which is never stored: send no Idempotency-Key.',
  authentication_required: 'Authorization must be "Bearer" followed by a key that starts with pst_.',
  invalid_token: 'The key is unknown or was revoked.',
  insufficient_scope: 'This operation requires the scope pets:write, which the key does not have.',
  pet_not_found: 'Pet 404 does not exist.',
  category_not_found: 'Category 404 does not exist.',
  order_not_found: 'Order 404 does not exist.',
  inventory_item_not_found: 'There is no inventory item for pet 404.',
  webhook_not_found: 'Webhook 404 does not exist.',
  delivery_not_found: 'Webhook 1 has no delivery 404.',
  key_not_found: 'Key 404 does not exist or was revoked.',
  error_not_found: 'There is no error code "no_such_code".',
  not_acceptable: 'The response is application/json, which the Accept header does not allow.',
  request_timeout: 'The body did not arrive within 10 seconds.',
  invalid_status_transition: 'Pet 3 is sold and cannot become available: no unit is in stock; restock it.',
  pet_not_available: 'Pet 3 is on hold and cannot be ordered.',
  insufficient_stock: 'Pet 3 has 2 of 5 units available; 3 are requested.',
  order_already_complete: 'Order 1 is complete and cannot be changed.',
  stock_below_reserved: 'Pet 3 would have 1 unit on hand, but open orders reserve 2.',
  stock_out_of_bounds: 'Pet 3 would have 1000000003 units; the maximum is 1000000000.',
  pet_in_use: 'Pet 3 has 2 units in open orders.',
  category_in_use: 'Category 1 still contains pets.',
  webhook_disabled: 'Webhook 1 is disabled: enable it first.',
  webhook_limit_reached: 'A store has at most 100 webhooks.',
  event_history_expired:
    'Events up to position 333 have been deleted. Continue with after=333 and re-read anything you cached.',
  operation_sunset: 'getPet was retired on Fri, 31 Dec 2027 23:59:59 GMT; Link names its replacement.',
  precondition_failed: 'The resource has changed: its ETag is now "3NAJmmzeVeErhHJNz8lLvW".',
  body_too_large: 'The body may have at most 1048576 bytes.',
  url_too_long: 'The URL may have at most 8192 characters.',
  unsupported_media_type: 'Content-Type must be application/json, in UTF-8 and not compressed.',
  validation_failed: 'colour is not a member of this object.',
  unknown_reference: 'Category 404 does not exist.',
  idempotency_key_reused: 'This Idempotency-Key was already used for a different request.',
  rate_limited: 'More than 60000 requests in 60 seconds; try again in 42 seconds.',
  internal_error: 'The server failed; the error is logged with the request id till-2.00042.',
  overloaded: 'Too many requests are in progress; try again shortly.',
  storage_full: 'The store has no space left to write.',
  shutting_down: 'The process is stopping.',
} as const satisfies Record<Exclude<ErrorCodeName, OutsideOperations>, string>

type ExampleCode = keyof typeof messages

/**
 * The members of the entry in `errors`, by code, without its message. The message follows from that of the
 * whole error.
 */
const places: Readonly<Partial<Record<ExampleCode, Omit<FieldError, 'message'>>>> = {
  missing_parameter: { in: 'query', name: 'since', code: 'required' },
  unknown_parameter: { in: 'query', name: 'colour', code: 'unknown_field' },
  validation_failed: { in: 'body', pointer: '/colour', code: 'unknown_field' },
  preview_required: { in: 'header', name: 'Petstore-Preview', code: 'required' },
}

/** An example of an Error body. */
export interface ExampleError {
  readonly code: ErrorCodeName
  readonly message: string
  readonly status: number
  readonly errors?: readonly FieldError[]
}

/** Returns an error of an operation, worded as the server words it. */
export function errorExample(operation: Operation, code: ErrorCodeName): ExampleError {
  if (!isExampleCode(code)) throw new Error(`no operation returns ${code}`)
  const { status } = errorTable[code]
  if (code === 'invalid_parameter') return { code, ...unreadable(operation), status }
  const message = messageFor(operation, code)
  const place = places[code]
  if (!place) return { code, message, status }
  return { code, message, status, errors: [{ ...place, message: locationMessage(code, message) }] }
}

function isExampleCode(code: ErrorCodeName): code is ExampleCode {
  return Object.hasOwn(messages, code)
}

/** Returns the message of a code. Some messages name the scope, the media types or the nouns of the operation. */
function messageFor({ method, path, scope, success }: Operation, code: ExampleCode): string {
  const isOrder = path.startsWith('/store/orders')
  switch (code) {
    case 'authentication_required':
      return scope === 'public' ? messages[code] : `This operation requires a key with the scope ${scope}.`
    case 'insufficient_scope':
      return messages[code].replace('pets:write', scope)
    case 'not_acceptable':
      return 'stream' in success
        ? messages[code].replace('application/json', 'text/event-stream')
        : messages[code]
    case 'unsupported_media_type':
      return method === 'PATCH'
        ? messages[code].replace('be ', 'be application/merge-patch+json or ')
        : messages[code]
    case 'unknown_reference':
      return messages[code].replace('Category', isOrder ? 'Pet' : 'Category')
    case 'order_already_complete':
      return messages[code].replace('changed', method === 'DELETE' ? 'cancelled' : 'changed')
    default:
      return messages[code]
  }
}

function locationMessage(code: ExampleCode, message: string): string {
  if (code === 'preview_required') return 'must name the feature store-summary'
  return code === 'validation_failed' ? message.slice(0, -1) : message
}

/** Returns the error for the parameter of the operation that callers are most likely to get wrong. */
function unreadable({
  pathParameters = {},
  query = {},
  method,
}: Operation): Pick<ExampleError, 'message' | 'errors'> {
  const [id] = Object.keys(pathParameters).filter(name => name.endsWith('Id'))
  if (id !== undefined) return misread('path', id, `${id} must be a 64-bit integer, not "abc".`)
  if ('limit' in query) return misread('query', 'limit', 'limit must be an integer from 1 to 100, not "abc".')
  if ('after' in query) {
    return misread('query', 'after', 'after must be a position: 1 to 19 digits, not "abc".')
  }
  const name = method === 'GET' ? 'If-None-Match' : 'If-Match'
  const message = messages.invalid_parameter.replace('If-None-Match', name)
  return { message, errors: [{ in: 'header', name, code: 'invalid_format', message }] }
}

function misread(
  place: 'path' | 'query',
  name: string,
  message: string,
): Pick<ExampleError, 'message' | 'errors'> {
  return { message, errors: [{ in: place, name, code: 'type_mismatch', message }] }
}
