import { type ErrorCodeName, type FieldError, type StoreError, validationFailed } from '../contract/error.ts'
import { type Operation, requiredScope } from '../contract/operation.ts'
import * as http from '../contract/refusals.ts'
import * as shop from '../shop/refusals.ts'

/** Codes that no operation of a store returns: for requests without an operation, and for operations of a host. */
type OutsideOperations =
  | 'route_not_found'
  | 'method_not_allowed'
  | 'sandbox_not_found'
  | 'snapshot_not_found'
  | 'sandbox_limit_reached'
  | 'sandbox_damaged'
type ExampleCode = Exclude<ErrorCodeName, OutsideOperations>
type ErrorExample = (operation: Operation) => StoreError

/** The refusals that are the same for every kind of resource. */
const httpExamples = {
  malformed_json: () => shop.notJson('unexpected end of the text', 9),
  invalid_parameter: operation => commonParameterError(operation),
  missing_parameter: () => http.invalidParameters([http.missingParameter('since')]),
  unknown_parameter: () => http.invalidParameters([http.unknownParameter('colour')]),
  invalid_cursor: shop.invalidCursor,
  preview_required: () => http.previewRequired('getStoreSummary', 'store-summary'),
  idempotency_key_invalid: http.idempotencyKeyInvalid,
  idempotency_key_refused: http.idempotencyKeyRefused,
  authentication_required: operation =>
    operation.scope === 'public'
      ? http.malformedAuthorization()
      : http.authenticationRequired(requiredScope(operation)),
  invalid_token: shop.unknownKey,
  insufficient_scope: ({ scope }) => http.insufficientScope(scope),
  not_acceptable: ({ success }) =>
    http.notAcceptable('stream' in success ? 'text/event-stream' : 'application/json'),
  request_timeout: http.requestTimeout,
  operation_sunset: () => http.operationSunset('getPet', 'Fri, 31 Dec 2027 23:59:59 GMT'),
  precondition_failed: () => shop.preconditionFailed('"3NAJmmzeVeErhHJNz8lLvW"'),
  body_too_large: http.bodyTooLarge,
  url_too_long: http.urlTooLong,
  unsupported_media_type: ({ method }) => http.unsupportedMediaType(method),
  validation_failed: () =>
    validationFailed([
      {
        in: 'body',
        pointer: '/colour',
        code: 'unknown_field',
        message: 'colour is not a member of this object',
      },
    ]),
  idempotency_key_reused: shop.idempotencyKeyReused,
  rate_limited: () => http.rateLimited({ requests: 60_000, seconds: 60, retryAfterSeconds: 42 }),
  internal_error: () => http.serverFailed('till-2.00042'),
  overloaded: shop.tooManyRequests,
  storage_full: shop.storageFull,
  shutting_down: () => shop.shuttingDown(),
} satisfies Partial<Record<ExampleCode, ErrorExample>>

const examples: Readonly<Record<ExampleCode, ErrorExample>> = {
  ...httpExamples,
  pet_not_found: () => shop.petNotFound(404n),
  category_not_found: () => shop.categoryNotFound(404n),
  order_not_found: () => shop.orderNotFound(404n),
  inventory_item_not_found: () => shop.inventoryItemNotFound(404n),
  webhook_not_found: () => shop.webhookNotFound(404n),
  delivery_not_found: () => shop.deliveryNotFound(1n, 404n),
  key_not_found: () => shop.keyNotFound(404n),
  last_admin_key: () => shop.lastAdminKey(1n),
  error_not_found: () => shop.errorNotFound('no_such_code'),
  invalid_status_transition: () => shop.invalidStatusTransition(3n, 'sold', 'available', shop.RESTOCK),
  pet_not_available: () => shop.petNotAvailable(3n),
  insufficient_stock: () => shop.insufficientStock({ petId: 3n, free: 2n, quantity: 5n, requested: 3n }),
  order_already_complete: ({ method }) =>
    shop.orderAlreadyComplete(1n, method === 'DELETE' ? 'cancelled' : 'changed'),
  stock_below_reserved: () => shop.stockBelowReserved(3n, 1n, 2n),
  stock_out_of_bounds: () => shop.stockOutOfBounds(3n, 1_000_000_003n),
  pet_in_use: () => shop.petInUse(3n, 2n),
  category_in_use: () => shop.categoryInUse(1n),
  webhook_disabled: () => shop.webhookDisabled(1n),
  webhook_limit_reached: shop.webhookLimitReached,
  event_history_expired: () => shop.eventHistoryExpired(333n),
  unknown_reference: ({ path }) =>
    shop.unknownReference(path.startsWith('/store/orders') ? 'Pet' : 'Category', 404n),
}

/** An example of an Error body. */
export interface ExampleError {
  readonly code: ErrorCodeName
  readonly message: string
  readonly status: number
  readonly errors?: readonly FieldError[]
}

/** Returns an example of the body of an error of an operation. Throws for a code that no operation returns. */
export function errorExample(operation: Operation, code: ErrorCodeName): ExampleError {
  if (!isExampleCode(code)) throw new Error(`no operation returns ${code}`)
  const { message, status, details } = examples[code](operation)
  return { code, message, status, ...(details.errors && { errors: details.errors }) }
}

function isExampleCode(code: ErrorCodeName): code is ExampleCode {
  return Object.hasOwn(examples, code)
}

/** Returns the error for the parameter that clients of an operation most often get wrong. */
function commonParameterError({ pathParameters = {}, query = {}, method }: Operation): StoreError {
  const [id, parameter] = Object.entries(pathParameters).find(([name]) => name.endsWith('Id')) ?? []
  if (id !== undefined && parameter) return misread('path', id, parameter)
  for (const name of ['limit', 'after']) if (query[name]) return misread('query', name, query[name])
  return http.invalidEntityTags(method === 'GET' ? 'If-None-Match' : 'If-Match')
}

function misread(location: 'path' | 'query', name: string, { expects }: { expects: string }): StoreError {
  return http.invalidParameters([http.misreadParameter(location, name, { expects, text: 'abc' })])
}
