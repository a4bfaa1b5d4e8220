// Generated from the contract by `npm run client`. Do not edit.

/** A 64-bit integer of a request. A `number` must be a safe integer: above 2^53 - 1, use a `bigint`. */
export type Int64Input = bigint | number

/** The codes of the error catalogue. */
export type ErrorCode =
  | 'malformed_json'
  | 'invalid_parameter'
  | 'missing_parameter'
  | 'unknown_parameter'
  | 'invalid_cursor'
  | 'preview_required'
  | 'idempotency_key_invalid'
  | 'idempotency_key_refused'
  | 'authentication_required'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'route_not_found'
  | 'pet_not_found'
  | 'category_not_found'
  | 'order_not_found'
  | 'sale_not_found'
  | 'inventory_item_not_found'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'key_not_found'
  | 'error_not_found'
  | 'sandbox_not_found'
  | 'class_not_found'
  | 'snapshot_not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'request_timeout'
  | 'invalid_status_transition'
  | 'pet_not_available'
  | 'insufficient_stock'
  | 'order_already_complete'
  | 'order_not_complete'
  | 'return_exceeds_order'
  | 'stock_below_reserved'
  | 'stock_out_of_bounds'
  | 'name_taken'
  | 'barcode_taken'
  | 'pet_in_use'
  | 'category_in_use'
  | 'webhook_disabled'
  | 'webhook_limit_reached'
  | 'last_admin_key'
  | 'hunt_in_progress'
  | 'sandbox_limit_reached'
  | 'operation_sunset'
  | 'event_history_expired'
  | 'precondition_failed'
  | 'body_too_large'
  | 'url_too_long'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'unknown_reference'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'internal_error'
  | 'overloaded'
  | 'outcome_unknown'
  | 'storage_full'
  | 'shutting_down'
  | 'sandbox_damaged'

/** Failed deliveries that are accepted for redelivery. */
export interface AcceptedRedeliveries {
  /** The number of deliveries that are due again. */
  count: bigint
  /** Whether more failed deliveries may remain; repeat the request to redeliver the next ones. */
  more: boolean
}

/** A test event that is accepted for delivery. */
export interface AcceptedTest {
  /** The id of the test event, which is also the `webhook-id` of its delivery. */
  eventId: string
}

/** A key, without its secret. */
export interface ApiKey {
  /** Assigned by the store. */
  id: bigint
  /** What the key is for. */
  name: string
  /** The permissions of the key. `admin` includes all others, and `keys:manage` includes `audit:read`. */
  scopes: Scope[]
  /** The last four characters of the key. */
  hint: string
  /** When the key was created. */
  createdAt: string
  /** When the key expires; it must be in the future. If the key that creates this one expires, this one expires no later, and by default at the same time. Otherwise, a key without this member does not expire. */
  expiresAt?: string
  /** When the key was revoked. Present only in a list that was requested with `include=revoked`. */
  revokedAt?: string
}

/** An entry of the audit log: what changed, when, and which key changed it. Its `type` determines its schema. Later versions may add types: ignore those you do not know. */
export type AuditEntry =
  | PetCreatedAuditEntry
  | PetUpdatedAuditEntry
  | PetDeletedAuditEntry
  | CategoryCreatedAuditEntry
  | CategoryUpdatedAuditEntry
  | CategoryDeletedAuditEntry
  | OrderPlacedAuditEntry
  | OrderUpdatedAuditEntry
  | OrderCompletedAuditEntry
  | OrderReturnedAuditEntry
  | OrderCancelledAuditEntry
  | InventoryChangedAuditEntry
  | WebhookDisabledAuditEntry
  | WebhookTestAuditEntry
  | WebhookCreatedAuditEntry
  | WebhookUpdatedAuditEntry
  | WebhookDeletedAuditEntry
  | WebhookSecretRotatedAuditEntry
  | WebhookRedeliveredAuditEntry
  | KeyCreatedAuditEntry
  | KeyRevokedAuditEntry

/** A category in the catalogue. */
export interface Category {
  /** The name of the category. */
  name: string
  /** What belongs in the category. */
  description?: string
  /** Assigned by the store. */
  id: bigint
}

/** A change to a category, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface CategoryCreatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.category.created'
  data: Category
}

/** An event about a category. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface CategoryCreatedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.category.created'
  data: Category
}

/** A change to a category, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface CategoryDeletedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.category.deleted'
  data: Category
}

/** An event about a category. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface CategoryDeletedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.category.deleted'
  data: Category
}

/** A JSON Merge Patch (RFC 7396) for a category. `description: null` removes the description. */
export interface CategoryPatch {
  /** The name of the category. */
  name?: string | undefined
  /** What belongs in the category. */
  description?: string | null | undefined
  /** Assigned by the store. */
  id?: Int64Input | undefined
}

/** The sort order of a list; a leading minus reverses it. */
export type CategorySort = 'id' | '-id' | 'name' | '-name'

/** A change to a category, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface CategoryUpdatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.category.updated'
  data: Category
}

/** An event about a category. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface CategoryUpdatedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.category.updated'
  data: Category
}

/** A key with its secret. */
export interface CreatedApiKey {
  /** Assigned by the store. */
  id: bigint
  /** What the key is for. */
  name: string
  /** The permissions of the key. `admin` includes all others, and `keys:manage` includes `audit:read`. */
  scopes: Scope[]
  /** The last four characters of the key. */
  hint: string
  /** When the key was created. */
  createdAt: string
  /** When the key expires; it must be in the future. If the key that creates this one expires, this one expires no later, and by default at the same time. Otherwise, a key without this member does not expire. */
  expiresAt?: string
  /** The secret. Only this response contains it. */
  key: string
}

/** The type of a delivered event: a type of the feed, or a test event. */
export type DeliveredEventType =
  | 'petstore.pet.created'
  | 'petstore.pet.updated'
  | 'petstore.pet.deleted'
  | 'petstore.category.created'
  | 'petstore.category.updated'
  | 'petstore.category.deleted'
  | 'petstore.order.placed'
  | 'petstore.order.updated'
  | 'petstore.order.completed'
  | 'petstore.order.returned'
  | 'petstore.order.cancelled'
  | 'petstore.inventory.changed'
  | 'petstore.webhook.disabled'
  | 'petstore.webhook.test'

/** The delivery of an event to a webhook, with its attempts. */
export interface Delivery {
  /** Assigned by the store. */
  id: bigint
  /** The id of the event, which is also the `webhook-id` of each attempt. */
  eventId: string
  type: DeliveredEventType
  state: DeliveryState
  /** The last 20 attempts, oldest first. */
  attempts: DeliveryAttempt[]
  /** When the next attempt is due; present while the delivery is pending. */
  nextAttemptAt?: string
  /** When the first attempt began. */
  createdAt: string
}

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
  /** When the attempt began. */
  at: string
  /** The duration of the attempt in milliseconds. */
  durationMs: bigint
  /** The HTTP status from the receiver; absent if no response arrived. */
  status?: bigint
  /** Why no response arrived. */
  error?: string
  /** The first KiB of the response body. */
  reply?: string
}

/** The sort order of a list; a leading minus reverses it. */
export type DeliverySort = 'id' | '-id'

/** `delivered` once the receiver has responded with 2xx; `failed` once the last attempt has failed; `pending` until then, and again after a redelivery was requested. */
export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** Why a webhook is disabled: `asked` by a request, `gone` because the receiver responded with 410, or `failing` because attempts failed for five days, without the time in which nothing was attempted. */
export type DisabledReason = 'asked' | 'gone' | 'failing'

/** An entry in the error catalogue. */
export interface ErrorInfo {
  /** The code, as it appears in an Error. */
  code: string
  /** The HTTP status of the response. */
  status: bigint
  /** What the error means. */
  meaning: string
}

/** An event in the JSON format of CloudEvents 1.0, with the extension `sequence`. Its `type` determines its schema. Later versions may add types: request those you know with `type=`, and ignore others. */
export type Event =
  | PetCreatedEvent
  | PetUpdatedEvent
  | PetDeletedEvent
  | CategoryCreatedEvent
  | CategoryUpdatedEvent
  | CategoryDeletedEvent
  | OrderPlacedEvent
  | OrderUpdatedEvent
  | OrderCompletedEvent
  | OrderReturnedEvent
  | OrderCancelledEvent
  | InventoryChangedEvent
  | WebhookDisabledEvent
  | WebhookTestEvent

/** An event type. Later versions may add others. */
export type FeedEventType =
  | 'petstore.pet.created'
  | 'petstore.pet.updated'
  | 'petstore.pet.deleted'
  | 'petstore.category.created'
  | 'petstore.category.updated'
  | 'petstore.category.deleted'
  | 'petstore.order.placed'
  | 'petstore.order.updated'
  | 'petstore.order.completed'
  | 'petstore.order.returned'
  | 'petstore.order.cancelled'
  | 'petstore.inventory.changed'
  | 'petstore.webhook.disabled'

/** One invalid field or parameter of a request. */
export interface FieldError {
  in: FieldErrorPlace
  /** JSON Pointer (RFC 6901) into the body. */
  pointer?: string
  /** The name of the parameter. */
  name?: string
  code: FieldErrorCode
  /** What is wrong, in words for people. */
  message: string
}

/** What is wrong with a field or a parameter of the request. */
export type FieldErrorCode =
  | 'required'
  | 'unknown_field'
  | 'type_mismatch'
  | 'out_of_range'
  | 'too_short'
  | 'too_long'
  | 'too_many'
  | 'not_in_enum'
  | 'conflicting'
  | 'invalid_format'
  | 'read_only'
  | 'duplicate'

/** The part of the request that is invalid. */
export type FieldErrorPlace = 'body' | 'path' | 'query' | 'header'

/** A change to the stock of a pet, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface InventoryChangedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.inventory.changed'
  data: InventoryItem
}

/** An event about the stock of a pet. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface InventoryChangedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.inventory.changed'
  data: InventoryItem
}

/** The stock of one pet. */
export interface InventoryItem {
  /** The pet whose stock this is. */
  petId: bigint
  /** Units on hand, as counted on the shelf. */
  quantity: bigint
  status: PetStatus
  /** Units reserved for open orders. */
  reserved?: bigint
  /** The level at which the pet should be reordered: at this quantity or fewer. */
  reorderAt?: bigint
}

/** The sort order of a list; a leading minus reverses it. */
export type InventorySort = 'id' | '-id' | 'quantity' | '-quantity'

/** The result of a stock count: the new quantity itself. The `quantityChange` of the resulting movement is its difference from the old quantity. To add or remove units without a count, use StockAdjustment. Without `reorderAt`, the level stays; `null` removes it. */
export interface InventoryUpdate {
  /** Units on hand, as counted on the shelf. */
  quantity: Int64Input
  /** The level at which the pet should be reordered: at this quantity or fewer. */
  reorderAt?: Int64Input | null | undefined
}

/** A change to a key, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface KeyCreatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.key.created'
  data: ApiKey
}

/** What a list of keys includes: the revoked ones, with `revokedAt`. */
export type KeyInclude = 'revoked'

/** A change to a key, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface KeyRevokedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.key.revoked'
  data: ApiKey
}

/** What changed the stock. */
export type MovementReason =
  | 'opening'
  | 'order'
  | 'completion'
  | 'return'
  | 'cancellation'
  | 'count'
  | 'adjustment'
  | 'status'
  | 'closing'

/** The sort order of a list; a leading minus reverses it. */
export type MovementSort = 'id' | '-id'

/** The key to create. It can only have scopes that the key of the request has, and it expires no later than that key. */
export interface NewApiKey {
  /** What the key is for. */
  name: string
  /** The permissions of the key. `admin` includes all others, and `keys:manage` includes `audit:read`. */
  scopes: readonly Scope[]
  /** When the key expires; it must be in the future. If the key that creates this one expires, this one expires no later, and by default at the same time. Otherwise, a key without this member does not expire. */
  expiresAt?: string | null | undefined
}

/** The category to create. */
export interface NewCategory {
  /** The name of the category. */
  name: string
  /** What belongs in the category. */
  description?: string | null | undefined
}

/** The order to place. With `complete: true` it is a sale over the counter. */
export interface NewOrder {
  /** The id of the ordered pet. */
  petId: Int64Input
  /** Units ordered. */
  quantity?: Int64Input | undefined
  /** When the order ships; stored in UTC, to the millisecond. Completing the order sets it if it is absent. */
  shipDate?: string | null | undefined
  /** Whether the units have left the store. */
  complete?: boolean | undefined
  /** The name that the client gives to the order, such as the number of a receipt; stored as sent. Several orders may have the same reference. */
  reference?: string | null | undefined
  /** The price of one unit, in minor units of the currency of the store: the price of the pet when the order was placed, or another that the request names. */
  unitPrice?: Int64Input | null | undefined
}

/** The pet to create. It starts with one unit in stock, or with none if its status is `sold`. The unit of a `pending` pet is on hold. The default status is `available`. */
export interface NewPet {
  /** The name of the pet. */
  name: string
  /** The category of the pet; it must exist. */
  categoryId: Int64Input
  status?: PetStatus | undefined
  /** The price of one unit, in minor units of the currency of the store, such as cents. */
  price?: Int64Input | undefined
  /** What a scanner reads from the pet or its label, such as an EAN, a GTIN or a UPC. Only one pet has it; a number of GS1 is the same with zeros before it. 1 to 64 printable ASCII characters, without blanks at the ends. */
  barcode?: string | undefined
}

/** Units of one order to return. */
export interface NewReturn {
  /** Units to return; all that are left of the order by default. */
  quantity?: Int64Input | undefined
  /** Whether the units go back into the stock; for example, not if they are damaged. */
  restock?: boolean | undefined
  /** The reason for the return. */
  note?: string | undefined
}

/** A sale over the counter: each line becomes a complete order, and all have one receipt. */
export interface NewSale {
  /** What the customer takes along. */
  lines: readonly NewSaleLine[]
  /** The name that the client gives to the order, such as the number of a receipt; stored as sent. Several orders may have the same reference. */
  reference?: string | null | undefined
}

/** Units of one pet. */
export interface NewSaleLine {
  /** The id of the ordered pet. */
  petId: Int64Input
  /** Units ordered. */
  quantity?: Int64Input | undefined
  /** The price of one unit, in minor units of the currency of the store: the price of the pet when the order was placed, or another that the request names. */
  unitPrice?: Int64Input | null | undefined
}

/** The return of all that is left of a sale. */
export interface NewSaleReturn {
  /** Whether the units go back into the stock; for example, not if they are damaged. */
  restock?: boolean | undefined
  /** The reason for the return. */
  note?: string | undefined
}

/** The webhook to create. */
export interface NewWebhook {
  /** The URL that events are sent to: http or https, without user information or fragment. Every address of the host must be public, unless the operator allows private ones. */
  url: string
  /** The event types to send. If absent: all types, including those of later versions. */
  types?: readonly FeedEventType[] | null | undefined
  /** What the webhook is for. */
  description?: string | null | undefined
}

/** An order for one pet. The server always sends id, petId, quantity, complete and createdAt, and the others if the order has them. Events of an older store have no createdAt. */
export interface Order {
  /** Assigned by the store. */
  id: bigint
  /** The id of the ordered pet. */
  petId: bigint
  /** Units ordered. */
  quantity: bigint
  /** When the order ships; stored in UTC, to the millisecond. Completing the order sets it if it is absent. */
  shipDate?: string
  /** Whether the units have left the store. */
  complete: boolean
  /** The name that the client gives to the order, such as the number of a receipt; stored as sent. Several orders may have the same reference. */
  reference?: string
  /** When the order was placed. */
  createdAt?: string
  /** The name of the pet when the order was placed; a later name or a deletion does not change it. */
  petName?: string
  /** The price of one unit, in minor units of the currency of the store: the price of the pet when the order was placed, or another that the request names. */
  unitPrice?: bigint
  /** When the order was completed: the time of the sale. Absent if it is open. */
  completedAt?: string
  /** The receipt of the sale: the id of its first order. Receipts are unique, but not without gaps: processes take ids in blocks, and a restored store skips many. */
  receipt?: bigint
  /** Units that came back. Absent if none did. */
  returned?: bigint
}

/** A change to an order, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderCancelledAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.order.cancelled'
  data: Order
}

/** An event about an order. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderCancelledEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.order.cancelled'
  data: Order
}

/** A change to an order, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderCompletedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.order.completed'
  data: Order
}

/** An event about an order. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderCompletedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.order.completed'
  data: Order
}

/** A JSON Merge Patch (RFC 7396) for an order. `id`, `petId`, `createdAt`, `petName`, `completedAt`, `receipt` and `returned` may be sent only with their current values. Of a complete order, only the reference can be changed. If one patch changes the quantity and completes the order, the new quantity is shipped. `null` removes the shipDate, the reference or the unitPrice. */
export interface OrderPatch {
  /** Assigned by the store. */
  id?: Int64Input | undefined
  /** The id of the ordered pet. */
  petId?: Int64Input | undefined
  /** Units ordered. */
  quantity?: Int64Input | undefined
  /** When the order ships; stored in UTC, to the millisecond. Completing the order sets it if it is absent. */
  shipDate?: string | null | undefined
  /** Whether the units have left the store. */
  complete?: boolean | undefined
  /** The name that the client gives to the order, such as the number of a receipt; stored as sent. Several orders may have the same reference. */
  reference?: string | null | undefined
  /** When the order was placed. */
  createdAt?: string | undefined
  /** The name of the pet when the order was placed; a later name or a deletion does not change it. */
  petName?: string | undefined
  /** The price of one unit, in minor units of the currency of the store: the price of the pet when the order was placed, or another that the request names. */
  unitPrice?: Int64Input | null | undefined
  /** When the order was completed: the time of the sale. Absent if it is open. */
  completedAt?: string | undefined
  /** The receipt of the sale: the id of its first order. Receipts are unique, but not without gaps: processes take ids in blocks, and a restored store skips many. */
  receipt?: Int64Input | undefined
  /** Units that came back. Absent if none did. */
  returned?: Int64Input | undefined
}

/** A change to an order, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderPlacedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.order.placed'
  data: Order
}

/** An event about an order. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderPlacedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.order.placed'
  data: Order
}

/** A change to an order, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderReturnedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.order.returned'
  data: Order
}

/** An event about an order. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderReturnedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.order.returned'
  data: Order
}

/** The sort order of a list; a leading minus reverses it. */
export type OrderSort = 'id' | '-id' | 'shipDate' | '-shipDate' | 'createdAt' | '-createdAt'

/** A change to an order, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderUpdatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.order.updated'
  data: Order
}

/** An event about an order. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface OrderUpdatedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.order.updated'
  data: Order
}

/** The number of orders on one day. */
export interface OrdersOnDay {
  /** A day in the time zone of the shop. */
  day: string
  /** Orders placed on this day, without cancelled ones. */
  orders: bigint
  /** The amount of the sales of this day, in minor units of `currency`. */
  amount?: bigint
  /** The amount of the returns of this day. */
  returnedAmount?: bigint
}

/** A pet in the catalogue. The server always sends its status. */
export interface Pet {
  /** The name of the pet. */
  name: string
  /** The category of the pet; it must exist. */
  categoryId: bigint
  status: PetStatus
  /** Assigned by the store. */
  id: bigint
  /** The price of one unit, in minor units of the currency of the store, such as cents. */
  price?: bigint
  /** What a scanner reads from the pet or its label, such as an EAN, a GTIN or a UPC. Only one pet has it; a number of GS1 is the same with zeros before it. 1 to 64 printable ASCII characters, without blanks at the ends. */
  barcode?: string
  /** Units on hand, as in InventoryItem. Present only in a list that was requested with `include=stock`. */
  quantity?: bigint
  /** Units reserved for open orders, as in InventoryItem. Present only in a list that was requested with `include=stock`. */
  reserved?: bigint
}

/** The number of pets in each status. */
export interface PetCounts {
  available: bigint
  pending: bigint
  sold: bigint
}

/** A change to a pet, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface PetCreatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.pet.created'
  data: Pet
}

/** An event about a pet. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface PetCreatedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.pet.created'
  data: Pet
}

/** A change to a pet, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface PetDeletedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.pet.deleted'
  data: Pet
}

/** An event about a pet. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface PetDeletedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.pet.deleted'
  data: Pet
}

/** What a list of pets includes in each pet: its stock, as `quantity` and `reserved`. */
export type PetInclude = 'stock'

/** A JSON Merge Patch (RFC 7396) for a pet. `id` may be sent only with its current value. `null` removes the price or the barcode. */
export interface PetPatch {
  /** The name of the pet. */
  name?: string | undefined
  /** The category of the pet; it must exist. */
  categoryId?: Int64Input | undefined
  status?: PetStatus | undefined
  /** The price of one unit, in minor units of the currency of the store, such as cents. */
  price?: Int64Input | null | undefined
  /** What a scanner reads from the pet or its label, such as an EAN, a GTIN or a UPC. Only one pet has it; a number of GS1 is the same with zeros before it. 1 to 64 printable ASCII characters, without blanks at the ends. */
  barcode?: string | null | undefined
  /** Assigned by the store. */
  id?: Int64Input | undefined
}

/** The sort order of a list; a leading minus reverses it. */
export type PetSort = 'id' | '-id' | 'name' | '-name'

/** Derived from the stock: `sold` if no unit is on hand, otherwise `pending` if the pet is on hold or every unit is reserved, otherwise `available`. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** A change to a pet, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface PetUpdatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.pet.updated'
  data: Pet
}

/** An event about a pet. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface PetUpdatedEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.pet.updated'
  data: Pet
}

/** Lines of one receipt, which were written together. */
export interface Sale {
  /** The receipt of the sale: the id of its first order. Receipts are unique, but not without gaps: processes take ids in blocks, and a restored store skips many. */
  receipt: bigint
  /** The lines that were written. */
  lines: SaleLine[]
}

/** A line of the books: a completed order, or a return with a negative quantity. A line is never changed or deleted; only its `reference` follows the order. */
export interface SaleLine {
  /** Assigned by the store. */
  id: bigint
  /** When the units were sold or returned. */
  at: string
  /** The receipt of the sale: the id of its first order. Receipts are unique, but not without gaps: processes take ids in blocks, and a restored store skips many. */
  receipt: bigint
  /** The order that was completed or returned. */
  orderId: bigint
  /** The pet that was sold. */
  petId: bigint
  /** The name of the pet when the order was placed. */
  petName?: string
  /** Units sold; negative for a return. */
  quantity: bigint
  /** The price of one unit, in minor units of the currency of the store. */
  unitPrice?: bigint
  /** `unitPrice` times `quantity`; negative for a return. */
  amount?: bigint
  /** The reference of the order, as it is now. */
  reference?: string
  /** The reason for the return. */
  note?: string
  /** Only in a return: whether the units went back into the stock. */
  restocked?: boolean
}

/** The sums of the lines of one day, or of the days of one month. */
export interface SalesPeriod {
  /** The first day. */
  from: string
  /** The last day. */
  to: string
  /** Lines of sales and returns. */
  lines: bigint
  /** Units sold. */
  units: bigint
  /** The amount of the sales. */
  amount: bigint
  /** Units returned, whenever they were sold. */
  returnedUnits: bigint
  /** The amount of the returns. The takings are `amount` minus this. */
  returnedAmount: bigint
}

/** What one sum is of. */
export type SalesPeriodLength = 'day' | 'month'

/** The sort order of a list; a leading minus reverses it. */
export type SalesSort = 'at' | '-at'

/** The sales of a range of days. */
export interface SalesTotals {
  /** The currency of all amounts (ISO 4217). */
  currency: string
  /** The time zone of the days (IANA). */
  timeZone: string
  /** Every day or month of the range, oldest first. */
  periods: SalesPeriod[]
}

/** A permission of a key. `admin` includes all others, and `keys:manage` includes `audit:read`. */
export type Scope =
  | 'pets:write'
  | 'orders:read'
  | 'orders:write'
  | 'orders:return'
  | 'inventory:read'
  | 'inventory:write'
  | 'events:read'
  | 'webhooks:manage'
  | 'keys:manage'
  | 'audit:read'
  | 'admin'

/** A relative change of the stock. To set the quantity itself to the result of a count, use InventoryUpdate. */
export interface StockAdjustment {
  /** Units to add to the quantity (positive) or remove from it (negative); not 0. The movement has the same `quantityChange`. */
  quantityChange: Int64Input
  /** The reason for the adjustment. */
  note?: string | undefined
}

/** An entry in the stock ledger: one change, and the stock after it. */
export interface StockMovement {
  /** Assigned by the store. */
  id: bigint
  /** The pet whose stock this is. */
  petId: bigint
  /** Units added to `quantity` (positive) or removed from it (negative). For an adjustment, its `quantityChange`; for a count, the counted quantity minus the quantity before. */
  quantityChange: bigint
  /** Units added to `reserved` (positive) or released from it (negative). */
  reservedChange: bigint
  /** Units on hand after the movement. */
  quantity: bigint
  /** Units reserved after the movement. */
  reserved: bigint
  reason: MovementReason
  /** The note of the adjustment. */
  note?: string
  /** The order that changed the stock. */
  orderId?: bigint
  /** When the stock changed. */
  at: string
}

/** The totals of the store. */
export interface StoreSummary {
  pets: PetCounts
  /** Orders that are not complete. */
  openOrders: bigint
  /** Units on hand of all pets. */
  unitsOnHand: bigint
  /** Units on hand that are reserved for open orders. */
  unitsReserved: bigint
  /** Orders placed on each of the last 30 days, without cancelled ones, oldest first. The days are those of `timeZone`. */
  ordersByDay: OrdersOnDay[]
  /** The currency of all amounts of the store (ISO 4217), from PETSTORE_CURRENCY. */
  currency?: string
  /** The time zone of the shop (IANA), from PETSTORE_TIME_ZONE. */
  timeZone?: string
}

/** A receiver of events, without its secret. */
export interface Webhook {
  /** Assigned by the store. */
  id: bigint
  /** The URL that events are sent to: http or https, without user information or fragment. Every address of the host must be public, unless the operator allows private ones. */
  url: string
  /** The event types to send. If absent: all types, including those of later versions. */
  types?: FeedEventType[]
  /** What the webhook is for. */
  description?: string
  /** Whether events are sent. A webhook that is enabled again continues where it stopped: events from the meantime are sent unless they have been deleted. */
  enabled: boolean
  disabledReason?: DisabledReason
  /** When the current series of failed attempts began; absent after a success, a change of the URL, or enabling. */
  failingSince?: string
  /** When the webhook was created. */
  createdAt: string
}

/** A change to a webhook, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookCreatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.webhook.created'
  data: Webhook
}

/** A change to a webhook, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookDeletedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.webhook.deleted'
  data: Webhook
}

/** A change to a webhook, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookDisabledAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.webhook.disabled'
  data: Webhook
}

/** An event about a webhook. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookDisabledEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.webhook.disabled'
  data: Webhook
}

/** A JSON Merge Patch (RFC 7396) for a webhook. `types: null` means all types. `id` may be sent only with its current value. */
export interface WebhookPatch {
  /** The URL that events are sent to: http or https, without user information or fragment. Every address of the host must be public, unless the operator allows private ones. */
  url?: string | undefined
  /** The event types to send. If absent: all types, including those of later versions. */
  types?: readonly FeedEventType[] | null | undefined
  /** What the webhook is for. */
  description?: string | null | undefined
  /** Whether events are sent. A webhook that is enabled again continues where it stopped: events from the meantime are sent unless they have been deleted. */
  enabled?: boolean | undefined
  /** Assigned by the store. */
  id?: Int64Input | undefined
}

/** A change to a webhook, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookRedeliveredAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.webhook.redelivered'
  data: Webhook
}

/** A change to a webhook, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookSecretRotatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.webhook.secret-rotated'
  data: Webhook
}

/** A change to a webhook, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookTestAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.webhook.test'
  data: Webhook
}

/** An event about a webhook. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookTestEvent {
  /** The version of CloudEvents. */
  specversion: string
  /** The id of the event: the same in the feed, in the stream and in every delivery. */
  id: string
  /** The base URL of the store. */
  source: string
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  time: string
  /** The media type of `data`. */
  datacontenttype: string
  /** The position of the event: a decimal number with leading zeros, so that string order is numeric order. */
  sequence: string
  /** The trace of the request that made the change (W3C Trace Context), if the request named one. */
  traceparent?: string
  /** The type. */
  type: 'petstore.webhook.test'
  data: Webhook
}

/** A change to a webhook, and the key that made it. `data` is the resource after the change; for `deleted` and `cancelled`, its last state. */
export interface WebhookUpdatedAuditEntry {
  /** The position of the entry in the audit log. */
  position: bigint
  /** The resource that the event is about: its kind and id. */
  subject: string
  /** When the event happened. */
  at: string
  /** The key that made the change; absent if the store itself made it. */
  keyId?: bigint
  /** The id of the request that made the change; the log of the store contains it too. */
  requestId: string
  /** SHA-256 over this entry and the hash of the previous entry, in base64url. */
  hash: string
  /** The type. */
  type: 'petstore.webhook.updated'
  data: Webhook
}

/** A webhook with its secret. */
export interface WebhookWithSecret {
  /** Assigned by the store. */
  id: bigint
  /** The URL that events are sent to: http or https, without user information or fragment. Every address of the host must be public, unless the operator allows private ones. */
  url: string
  /** The event types to send. If absent: all types, including those of later versions. */
  types?: FeedEventType[]
  /** What the webhook is for. */
  description?: string
  /** Whether events are sent. A webhook that is enabled again continues where it stopped: events from the meantime are sent unless they have been deleted. */
  enabled: boolean
  disabledReason?: DisabledReason
  /** When the current series of failed attempts began; absent after a success, a change of the URL, or enabling. */
  failingSince?: string
  /** When the webhook was created. */
  createdAt: string
  /** The secret that signs deliveries (Standard Webhooks). Only this response contains it. */
  secret: string
  /** Until then, or until the next rotation, each delivery is also signed with the previous secret. */
  previousSecretUntil?: string
}
