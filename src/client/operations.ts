// Generated from the contract by `npm run client`. Do not edit.

import type {
  AcceptedRedeliveries,
  AcceptedTest,
  ApiKey,
  AuditEntry,
  Category,
  CategoryPatch,
  CategorySort,
  CreatedApiKey,
  Delivery,
  DeliverySort,
  DeliveryState,
  ErrorInfo,
  Event,
  FeedEventType,
  Int64Input,
  InventoryItem,
  InventorySort,
  InventoryUpdate,
  KeyInclude,
  MovementSort,
  NewApiKey,
  NewCategory,
  NewOrder,
  NewPet,
  NewReturn,
  NewSale,
  NewSaleReturn,
  NewWebhook,
  Order,
  OrderPatch,
  OrderSort,
  Pet,
  PetInclude,
  PetPatch,
  PetSort,
  PetStatus,
  Sale,
  SaleLine,
  SalesPeriodLength,
  SalesSort,
  SalesTotals,
  StockAdjustment,
  StockMovement,
  StoreSummary,
  Webhook,
  WebhookPatch,
  WebhookWithSecret,
} from './api-types.ts'
import type { CallOptions, NoOptions, Read } from './call.ts'
import type { PagedList } from './paged-list.ts'
import type { OperationShape } from './request.ts'
import type { ApiResponse } from './response.ts'

/** The operations of a store, by operationId. */
export interface Operations {
  /**
   * List pets. Filters are combined with AND, the values of one repeated filter with OR. `id` selects up to 100 pets by id; ids that do not exist are left out. With a single `id`, the response carries the ETag of that pet, for `If-Match` on `/pets/{petId}`. With `name`, the list can only be sorted by `name` (the default) or `-name`.
   *
   * `search` finds the pet with exactly this barcode first, then pets by the words of their names, without case and accents: those that have words that start with each word of the text, so `kathe ret` finds "Käthe (Golden Retriever)", then those that have them inside their words: `fisch` finds "Goldfisch", 犬 finds 小型犬. Letters such as ä are also found as they are spelled without marks: `baer` finds "Bär". An apostrophe can be left out: `obrien` finds "O’Brien"; hiragana finds katakana, and the reverse. A text without a letter, digit or symbol finds nothing. The pets are in the order of the words that they were found by. It cannot be combined with `id`, `name` or `sort`. **A page can be short, or even empty, although a next page follows**: a page reads a bounded number of words, so continue until there is no `next` link.
   *
   * With `include=stock`, each pet also has its `quantity` and `reserved`; the units that can be ordered are `quantity` minus `reserved`. The ETag then changes with the stock, so it is weak even with a single `id`: it is not the ETag of the pet. A cursor can be used with and without `include`.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listPets<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Pets with one of these ids. With this filter, the default limit is 100. */
      id?: readonly Int64Input[] | undefined
      /** Pets with one of these statuses. */
      status?: readonly PetStatus[] | undefined
      /** Pets in one of these categories. */
      categoryId?: readonly Int64Input[] | undefined
      /** Pets whose name starts with this text; case is ignored. */
      name?: string | undefined
      /** The pet with this barcode, and pets whose names have each word of this text, also inside their words. An empty text is no filter. */
      search?: string | undefined
      /** The sort order; a leading minus reverses it. */
      sort?: PetSort | undefined
      /** Adds the stock to each pet, as `quantity` and `reserved`. */
      include?: PetInclude | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<Pet, O>

  /**
   * Create a pet. The status sets the initial stock: one unit for `available` (the default), one unit on hold for `pending`, none for `sold`.
   *
   * Requires a key with the scope `pets:write`.
   *
   * Specific errors:
   *
   * - 422 `unknown_reference`: The body refers to something that does not exist.
   * - 409 `barcode_taken`: Another pet has this barcode; the message names it.
   */
  createPet(
    input: {
      body: NewPet
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Pet>>

  /**
   * Read a pet. Deprecated: use `GET /pets?id=`, which reads up to 100 pets in one request.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 404 `pet_not_found`: There is no pet with this id.
   *
   * @deprecated See the description of the operation.
   */
  getPet<const O extends CallOptions = NoOptions>(
    input: {
      /** The id of the pet. */
      petId: Int64Input
    },
    options?: O,
  ): Promise<Read<Pet, O>>

  /**
   * Change a pet. A JSON Merge Patch. A status changes the stock: `pending` puts the pet on hold, `available` lifts the hold, `sold` sets the stock to 0.
   *
   * Requires a key with the scope `pets:write`.
   *
   * Specific errors:
   *
   * - 404 `pet_not_found`: There is no pet with this id.
   * - 422 `unknown_reference`: The body refers to something that does not exist.
   * - 409 `invalid_status_transition`: The stock of the pet does not allow this status.
   * - 409 `barcode_taken`: Another pet has this barcode; the message names it.
   */
  updatePet(
    input: {
      /** The id of the pet. */
      petId: Int64Input
      body: PetPatch
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Pet>>

  /**
   * Delete a pet. Complete orders for the pet are kept, with their petId.
   *
   * Requires a key with the scope `pets:write`.
   *
   * Specific errors:
   *
   * - 404 `pet_not_found`: There is no pet with this id.
   * - 409 `pet_in_use`: The pet has open orders; complete or cancel them first.
   */
  deletePet(
    input: {
      /** The id of the pet. */
      petId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * List categories. With `name`, the list can only be sorted by `name` (the default) or `-name`.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listCategories<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Categories whose name starts with this text; case is ignored. */
      name?: string | undefined
      /** The sort order; a leading minus reverses it. */
      sort?: CategorySort | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<Category, O>

  /**
   * Create a category. Category names do not have to be unique.
   *
   * Requires a key with the scope `pets:write`.
   */
  createCategory(
    input: {
      body: NewCategory
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Category>>

  /**
   * Read a category. Send the ETag of the response in If-Match to change or delete the category conditionally.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 404 `category_not_found`: There is no category with this id.
   */
  getCategory<const O extends CallOptions = NoOptions>(
    input: {
      /** The id of the category. */
      categoryId: Int64Input
    },
    options?: O,
  ): Promise<Read<Category, O>>

  /**
   * Change a category. A JSON Merge Patch. `description: null` removes the description.
   *
   * Requires a key with the scope `pets:write`.
   *
   * Specific errors:
   *
   * - 404 `category_not_found`: There is no category with this id.
   */
  updateCategory(
    input: {
      /** The id of the category. */
      categoryId: Int64Input
      body: CategoryPatch
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Category>>

  /**
   * Delete a category. The category must be empty: move or delete its pets first.
   *
   * Requires a key with the scope `pets:write`.
   *
   * Specific errors:
   *
   * - 404 `category_not_found`: There is no category with this id.
   * - 409 `category_in_use`: The category contains pets; move or delete them first.
   */
  deleteCategory(
    input: {
      /** The id of the category. */
      categoryId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * List orders. `shipDateAfter` and `shipDateBefore` are exclusive bounds. With either of them, the list contains only orders that have a shipDate, and can only be sorted by `shipDate` (the default) or `-shipDate`. In the same way, `createdAfter` and `createdBefore` sort by `createdAt`; of the other filters, they and the sort go only with `complete`. `referencePrefix` goes with no other filter: the list is in the order of the references. `search` goes only with `complete`: the newest orders come first, and each page looks at the references of the next 2,000 orders. **Such a page can be short, or even empty, although a next page follows.** Only with `reference`, which few orders share, all filters go together.
   *
   * Requires a key with the scope `orders:read`.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listOrders<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Orders for one of these pets. */
      petId?: readonly Int64Input[] | undefined
      /** Complete orders (true) or open orders (false). */
      complete?: boolean | undefined
      /** Orders that ship after this instant. */
      shipDateAfter?: string | undefined
      /** Orders that ship before this instant. */
      shipDateBefore?: string | undefined
      /** Orders with exactly this reference; upper and lower case differ. */
      reference?: string | undefined
      /** Orders whose reference starts with this text; upper and lower case differ. */
      referencePrefix?: string | undefined
      /** Orders whose reference has words that start with each word of this text, without case and accents. An empty text is no filter. */
      search?: string | undefined
      /** Orders that were placed after this instant. */
      createdAfter?: string | undefined
      /** Orders that were placed before this instant. */
      createdBefore?: string | undefined
      /** The sort order; a leading minus reverses it. Sorting by shipDate lists only orders that have one. */
      sort?: OrderSort | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<Order, O>

  /**
   * Place an order. Reserves the units. With `complete: true` it is a sale over the counter: the units leave the stock at once. Such a sale has no `petstore.order.completed` event: the data of its `petstore.order.placed` event has `complete: true`.
   *
   * Requires a key with the scope `orders:write`.
   *
   * Specific errors:
   *
   * - 422 `unknown_reference`: The body refers to something that does not exist.
   * - 409 `pet_not_available`: The pet is on hold and cannot be ordered.
   * - 409 `insufficient_stock`: Fewer units are available than the order requires.
   */
  placeOrder(
    input: {
      body: NewOrder
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Order>>

  /**
   * Read an order. Cancelled orders are deleted; complete orders are kept.
   *
   * Requires a key with the scope `orders:read`.
   *
   * Specific errors:
   *
   * - 404 `order_not_found`: There is no order with this id; cancelled orders are deleted.
   */
  getOrder<const O extends CallOptions = NoOptions>(
    input: {
      /** The id of the order. */
      orderId: Int64Input
    },
    options?: O,
  ): Promise<Read<Order, O>>

  /**
   * Change or complete an order. A JSON Merge Patch. `complete: true` ships the units: the sale gets its line in the books. Of a complete order, only the reference can be changed. To take units back, return them.
   *
   * Requires a key with the scope `orders:write`.
   *
   * Specific errors:
   *
   * - 404 `order_not_found`: There is no order with this id; cancelled orders are deleted.
   * - 409 `order_already_complete`: Only the reference of a complete order can be changed; its units can be returned.
   * - 409 `pet_not_available`: The pet is on hold and cannot be ordered.
   * - 409 `insufficient_stock`: Fewer units are available than the order requires.
   */
  updateOrder(
    input: {
      /** The id of the order. */
      orderId: Int64Input
      body: OrderPatch
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Order>>

  /**
   * Cancel an order. Releases the reserved units and deletes the order.
   *
   * Requires a key with the scope `orders:write`.
   *
   * Specific errors:
   *
   * - 404 `order_not_found`: There is no order with this id; cancelled orders are deleted.
   * - 409 `order_already_complete`: Only the reference of a complete order can be changed; its units can be returned.
   */
  cancelOrder(
    input: {
      /** The id of the order. */
      orderId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * Sell several pets to one customer. A sale over the counter, all or nothing: each line becomes a complete order, and all have one receipt, the id of the first. Each order has a `petstore.order.placed` event.
   *
   * Requires a key with the scope `orders:write`.
   *
   * Specific errors:
   *
   * - 422 `unknown_reference`: The body refers to something that does not exist.
   * - 409 `pet_not_available`: The pet is on hold and cannot be ordered.
   * - 409 `insufficient_stock`: Fewer units are available than the order requires.
   */
  recordSale(
    input: {
      body: NewSale
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Sale>>

  /**
   * Return units of a complete order. Writes a line of the books with a negative quantity, at the time of the return: no day that is over changes. Requires the scope `orders:return` too, unless the same key sold the units within the last 15 minutes.
   *
   * Requires a key with the scope `orders:write`.
   *
   * Specific errors:
   *
   * - 404 `order_not_found`: There is no order with this id; cancelled orders are deleted.
   * - 409 `order_not_complete`: Only the units of a complete order can be returned.
   * - 409 `return_exceeds_order`: More units would be returned than were sold.
   * - 422 `unknown_reference`: The body refers to something that does not exist.
   * - 409 `stock_out_of_bounds`: The stock would be outside the range 0 to 1,000,000,000.
   */
  returnOrder(
    input: {
      /** The id of the order. */
      orderId: Int64Input
      body: NewReturn
    },
    options?: CallOptions,
  ): Promise<ApiResponse<SaleLine>>

  /**
   * Return all that is left of a sale. Returns the rest of each order of a receipt in one transaction. Requires the scope `orders:return` too, unless the same key sold the units within the last 15 minutes.
   *
   * Requires a key with the scope `orders:write`.
   *
   * Specific errors:
   *
   * - 404 `sale_not_found`: There is no sale with this receipt.
   * - 409 `return_exceeds_order`: More units would be returned than were sold.
   * - 422 `unknown_reference`: The body refers to something that does not exist.
   * - 409 `stock_out_of_bounds`: The stock would be outside the range 0 to 1,000,000,000.
   */
  returnSale(
    input: {
      /** The receipt of the sale. */
      receipt: Int64Input
      body: NewSaleReturn
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Sale>>

  /**
   * List the sales and returns. The books of the store: one line for each completed order and each return, oldest first. `createdAfter` and `createdBefore` are exclusive bounds of `at`.
   *
   * Requires a key with the scope `orders:read`.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listSales<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Lines that were written after this instant. */
      createdAfter?: string | undefined
      /** Lines that were written before this instant. */
      createdBefore?: string | undefined
      /** Lines of this receipt: a sale and its returns. */
      receipt?: Int64Input | undefined
      /** Lines of this pet. */
      petId?: Int64Input | undefined
      /** Oldest first, or newest first. */
      sort?: SalesSort | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<SaleLine, O>

  /**
   * Read the takings of days or months. The sums of the lines of every day or month from `from` to `to`, both included, at most 400. The days are those of the time zone of the store. A month at an end of the range has only the days of the range. A return counts on the day on which it was made, and never changes a day before.
   *
   * Requires a key with the scope `orders:read`.
   */
  listSalesTotals<const O extends CallOptions = NoOptions>(
    input?: {
      /** The first day. */
      from: string
      /** The last day. */
      to: string
      /** Whether each sum is of a day (the default) or of a month. */
      by?: SalesPeriodLength | undefined
    },
    options?: O,
  ): Promise<Read<SalesTotals, O>>

  /**
   * List the stock. With `quantityAtMost` or `toReorder=true`, the list can only be sorted by `quantity` (the default: what to restock first) or `-quantity`. `toReorder=true` goes with `status` only if the list is of given pets (`petId`). `search` finds pets as in `GET /pets`; it goes with `status`, `quantityAtMost` and `toReorder`, and its pages can be short or empty although a next page follows.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listInventory<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Items of these pets. With this filter, the default limit is 100. */
      petId?: readonly Int64Input[] | undefined
      /** Items with one of these statuses. */
      status?: readonly PetStatus[] | undefined
      /** Items with at most this number of units on hand. */
      quantityAtMost?: Int64Input | undefined
      /** true: only items whose quantity is at or below their reorderAt, sold out or not; false: no filter. */
      toReorder?: boolean | undefined
      /** Items of pets whose names have each word of this text, also inside their words. An empty text is no filter. */
      search?: string | undefined
      /** The sort order; a leading minus reverses it. */
      sort?: InventorySort | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<InventoryItem, O>

  /**
   * Read the stock of a pet. Returns the units on hand, the reserved units and the status of the pet.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 404 `inventory_item_not_found`: There is no inventory item for a pet with this id.
   */
  getInventoryItem<const O extends CallOptions = NoOptions>(
    input: {
      /** The id of the pet. */
      petId: Int64Input
    },
    options?: O,
  ): Promise<Read<InventoryItem, O>>

  /**
   * Set the stock of a pet. Stores the result of a stock count, which must not be less than the units reserved for open orders, and the level at which the pet should be reordered. To change only the level, send the current quantity with If-Match: if a sale changes it meanwhile, the answer is 412.
   *
   * Requires a key with the scope `inventory:write`.
   *
   * Specific errors:
   *
   * - 404 `inventory_item_not_found`: There is no inventory item for a pet with this id.
   * - 409 `stock_below_reserved`: The stock would fall below the units reserved for open orders.
   */
  setInventory(
    input: {
      /** The id of the pet. */
      petId: Int64Input
      body: InventoryUpdate
    },
    options?: CallOptions,
  ): Promise<ApiResponse<InventoryItem>>

  /**
   * Adjust the stock of a pet. Adds or removes units without an order. The stock ledger records the change with its note.
   *
   * Requires a key with the scope `inventory:write`.
   *
   * Specific errors:
   *
   * - 404 `inventory_item_not_found`: There is no inventory item for a pet with this id.
   * - 409 `stock_below_reserved`: The stock would fall below the units reserved for open orders.
   * - 409 `stock_out_of_bounds`: The stock would be outside the range 0 to 1,000,000,000.
   */
  adjustInventory(
    input: {
      /** The id of the pet. */
      petId: Int64Input
      body: StockAdjustment
    },
    options?: CallOptions,
  ): Promise<ApiResponse<StockMovement>>

  /**
   * List the stock movements of a pet. The stock ledger of one pet, oldest first by default.
   *
   * Requires a key with the scope `inventory:read`.
   *
   * Specific errors:
   *
   * - 404 `inventory_item_not_found`: There is no inventory item for a pet with this id.
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listMovements<const O extends CallOptions = NoOptions>(
    input: {
      /** The id of the pet. */
      petId: Int64Input
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Oldest first, or newest first. */
      sort?: MovementSort | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<StockMovement, O>

  /**
   * Read the store summary. Returns the current totals of the whole store.
   *
   * Requires a key with the scope `orders:read`.
   */
  getStoreSummary<const O extends CallOptions = NoOptions>(
    input?: Record<string, never>,
    options?: O,
  ): Promise<Read<StoreSummary, O>>

  /**
   * List events. Returns events in the order in which they happened. The `next` link is always present: a client that keeps following it misses nothing. A page of rare types can contain fewer than `limit` events, or none, although more exist: one request searches a bounded part of the history, and `next` continues from there. If the page is empty and its `next` has the same position as `after`, nothing else has happened yet; with `wait`, the response waits for the next event.
   *
   * Requires a key with the scope `events:read`.
   *
   * Specific errors:
   *
   * - 410 `event_history_expired`: Some events after this position have been deleted.
   */
  listEvents<const O extends CallOptions = NoOptions>(
    input?: {
      /** Events after this position: the `sequence` of the last event you read. Without it, the list starts at the oldest stored event. A position beyond the last event is rejected. */
      after?: string | undefined
      /** Events with one of these types. */
      type?: readonly FeedEventType[] | undefined
      /** Events about this pet: the pet itself, its stock and its orders. */
      petId?: Int64Input | undefined
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Seconds to wait while there is nothing to return (long polling). */
      wait?: Int64Input | undefined
    },
    options?: O,
  ): PagedList<Event, O>

  /**
   * List audit log entries. The audit log, newest first: every change, with the key and the request that made it. Each entry contains a hash over itself and the previous entry. A page can contain fewer than `limit` entries, or none, although `next` leads to more.
   *
   * Requires a key with the scope `audit:read`.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listAudit<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Changes to this pet: to the pet itself, to its stock and to its orders. */
      petId?: Int64Input | undefined
      /** Changes that this key made. */
      keyId?: Int64Input | undefined
      /** Changes to this resource: its kind and id. The kinds are `pets`, `categories`, `orders`, `inventory`, `webhooks`, `keys`. */
      subject?: string | undefined
      /** Changes at this instant or later. A date, such as `2026-11-21`, means the start of that day in UTC. */
      since?: string | undefined
      /** Changes before this instant, which is excluded. A date, such as `2026-11-21`, includes the whole of that day in UTC. The period must not be empty, so `until` must be later than `since`, or the same date. */
      until?: string | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<AuditEntry, O>

  /**
   * List webhooks. Returns all webhooks, in order of id, without their secrets.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listWebhooks<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<Webhook, O>

  /**
   * Create a webhook. Events that happen from now on are sent to the URL, signed per Standard Webhooks with the secret in this response. No later response contains it. A host that cannot be resolved now is accepted, with `Petstore-Warning`. The callback describes what a receiver must do.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 409 `webhook_limit_reached`: The store has the maximum number of webhooks.
   */
  createWebhook(
    input: {
      body: NewWebhook
    },
    options?: CallOptions,
  ): Promise<ApiResponse<WebhookWithSecret>>

  /**
   * Rotate the secret of a webhook. For 24 hours, each delivery carries two signatures: one with the new secret, one with the previous secret. If the secret is rotated again in that time, the oldest secret is invalid at once.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   */
  rotateWebhookSecret(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<WebhookWithSecret>>

  /**
   * Send a test event. Sends an event of the type `petstore.webhook.test` to this webhook, whatever its types. The deliveries of the webhook show the outcome.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   * - 409 `webhook_disabled`: The webhook is disabled: enable it first.
   */
  sendTestEvent(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<AcceptedTest>>

  /**
   * List the deliveries of a webhook. Deliveries with at least one attempt, and their attempts. Deliveries that are delivered or failed are kept for 30 days after their last attempt, or as long as events if that is shorter.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listDeliveries<const O extends CallOptions = NoOptions>(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Deliveries in this state. */
      state?: DeliveryState | undefined
      /** Oldest first, or newest first. */
      sort?: DeliverySort | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<Delivery, O>

  /**
   * Redeliver an event. The delivery is due at once, with all its retries, whatever its previous outcome.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   * - 404 `delivery_not_found`: The webhook has no delivery with this id.
   * - 409 `webhook_disabled`: The webhook is disabled: enable it first.
   */
  redeliver(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
      /** The id of the delivery. */
      deliveryId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Delivery>>

  /**
   * Redeliver failed deliveries. Redelivers every failed delivery whose first attempt was at `since` or later, at most 10,000 per request.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   * - 409 `webhook_disabled`: The webhook is disabled: enable it first.
   * - 400 `missing_parameter`: A required parameter is absent.
   */
  redeliverFailed(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
      /** The earliest first attempt. */
      since: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<AcceptedRedeliveries>>

  /**
   * Read a webhook. The response also shows whether deliveries are failing, and since when.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   */
  getWebhook<const O extends CallOptions = NoOptions>(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
    },
    options?: O,
  ): Promise<Read<Webhook, O>>

  /**
   * Change, disable or enable a webhook. A JSON Merge Patch. The change applies to every attempt that begins afterwards.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   */
  updateWebhook(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
      body: WebhookPatch
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Webhook>>

  /**
   * Delete a webhook. No more events are sent to it, and its deliveries are deleted.
   *
   * Requires a key with the scope `webhooks:manage`.
   *
   * Specific errors:
   *
   * - 404 `webhook_not_found`: There is no webhook with this id.
   */
  deleteWebhook(
    input: {
      /** The id of the webhook. */
      webhookId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * List keys. Keys that are not revoked, in order of id, without their secrets. `include=revoked` adds the revoked ones.
   *
   * Requires a key with the scope `keys:manage`.
   *
   * Specific errors:
   *
   * - 400 `invalid_cursor`: The cursor does not belong to this list with these filters and this sort.
   */
  listKeys<const O extends CallOptions = NoOptions>(
    input?: {
      /** The maximum number of items on the page; 20 by default. */
      limit?: Int64Input | undefined
      /** Adds the revoked keys. */
      include?: KeyInclude | undefined
      /** The page to read: `next` of the previous page. */
      cursor?: string | undefined
    },
    options?: O,
  ): PagedList<ApiKey, O>

  /**
   * Create a key. Only this response contains the secret: the store keeps only its hash.
   *
   * Requires a key with the scope `keys:manage`.
   */
  createKey(
    input: {
      body: NewApiKey
    },
    options?: CallOptions,
  ): Promise<ApiResponse<CreatedApiKey>>

  /**
   * Read the key of the request. The key that the request was sent with: its id, its scopes and its expiry, but not the key itself. With this operation, a client can check which operations it may use, and when it needs another key.
   *
   * Requires any valid key.
   */
  getCurrentKey<const O extends CallOptions = NoOptions>(
    input?: Record<string, never>,
    options?: O,
  ): Promise<Read<ApiKey, O>>

  /**
   * Revoke a key. The key is rejected from the next request on. A key can only revoke keys whose scopes it has. The last admin key without an expiry is not revoked: create another one first. `If-Match: *` matches every key that exists. If another value does not match, the 412 response has the current ETag of the key.
   *
   * Requires a key with the scope `keys:manage`.
   *
   * Specific errors:
   *
   * - 404 `key_not_found`: There is no key with this id, or it was revoked.
   * - 409 `last_admin_key`: No other key with the scope admin is valid without an expiry.
   */
  revokeKey(
    input: {
      /** The id of the key. */
      keyId: Int64Input
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * List the error codes. Returns the whole catalogue: every code, its status and its meaning.
   *
   * Requires no key.
   */
  listErrors<const O extends CallOptions = NoOptions>(
    input?: Record<string, never>,
    options?: O,
  ): PagedList<ErrorInfo, O>

  /**
   * Read an error code. Returns one entry of the catalogue. The `type` of a problem is the URL of its entry.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 404 `error_not_found`: The catalogue has no error with this code.
   */
  getError<const O extends CallOptions = NoOptions>(
    input: {
      /** The code. */
      code: string
    },
    options?: O,
  ): Promise<Read<ErrorInfo, O>>
}

/** How each operation is sent. */
export const operations = {
  listPets: {
    method: 'GET',
    path: '/pets',
    query: ['limit', 'cursor', 'id', 'status', 'categoryId', 'name', 'search', 'sort', 'include'],
    pages: 'cursor',
  },
  createPet: { method: 'POST', path: '/pets', takesIdempotencyKey: true },
  getPet: { method: 'GET', path: '/pets/{petId}' },
  updatePet: { method: 'PATCH', path: '/pets/{petId}', takesIdempotencyKey: true },
  deletePet: { method: 'DELETE', path: '/pets/{petId}', empty: true, takesIdempotencyKey: true },
  listCategories: {
    method: 'GET',
    path: '/categories',
    query: ['limit', 'cursor', 'name', 'sort'],
    pages: 'cursor',
  },
  createCategory: { method: 'POST', path: '/categories', takesIdempotencyKey: true },
  getCategory: { method: 'GET', path: '/categories/{categoryId}' },
  updateCategory: { method: 'PATCH', path: '/categories/{categoryId}', takesIdempotencyKey: true },
  deleteCategory: {
    method: 'DELETE',
    path: '/categories/{categoryId}',
    empty: true,
    takesIdempotencyKey: true,
  },
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    query: [
      'limit',
      'cursor',
      'petId',
      'complete',
      'shipDateAfter',
      'shipDateBefore',
      'reference',
      'referencePrefix',
      'search',
      'createdAfter',
      'createdBefore',
      'sort',
    ],
    pages: 'cursor',
  },
  placeOrder: { method: 'POST', path: '/store/orders', takesIdempotencyKey: true },
  getOrder: { method: 'GET', path: '/store/orders/{orderId}' },
  updateOrder: { method: 'PATCH', path: '/store/orders/{orderId}', takesIdempotencyKey: true },
  cancelOrder: { method: 'DELETE', path: '/store/orders/{orderId}', empty: true, takesIdempotencyKey: true },
  recordSale: { method: 'POST', path: '/store/sales', takesIdempotencyKey: true },
  returnOrder: { method: 'POST', path: '/store/orders/{orderId}/returns', takesIdempotencyKey: true },
  returnSale: { method: 'POST', path: '/store/sales/{receipt}/returns', takesIdempotencyKey: true },
  listSales: {
    method: 'GET',
    path: '/store/sales',
    query: ['limit', 'cursor', 'createdAfter', 'createdBefore', 'receipt', 'petId', 'sort'],
    pages: 'cursor',
  },
  listSalesTotals: { method: 'GET', path: '/store/sales/totals', query: ['from', 'to', 'by'] },
  listInventory: {
    method: 'GET',
    path: '/store/inventory',
    query: ['limit', 'cursor', 'petId', 'status', 'quantityAtMost', 'toReorder', 'search', 'sort'],
    pages: 'cursor',
  },
  getInventoryItem: { method: 'GET', path: '/store/inventory/{petId}' },
  setInventory: { method: 'PUT', path: '/store/inventory/{petId}', takesIdempotencyKey: true },
  adjustInventory: {
    method: 'POST',
    path: '/store/inventory/{petId}/adjustments',
    takesIdempotencyKey: true,
  },
  listMovements: {
    method: 'GET',
    path: '/store/inventory/{petId}/movements',
    query: ['limit', 'cursor', 'sort'],
    pages: 'cursor',
  },
  getStoreSummary: { method: 'GET', path: '/store/summary', preview: 'store-summary' },
  listEvents: {
    method: 'GET',
    path: '/events',
    query: ['after', 'type', 'petId', 'limit', 'wait'],
    pages: 'after',
  },
  listAudit: {
    method: 'GET',
    path: '/audit',
    query: ['limit', 'cursor', 'petId', 'keyId', 'subject', 'since', 'until'],
    pages: 'cursor',
  },
  listWebhooks: { method: 'GET', path: '/webhooks', query: ['limit', 'cursor'], pages: 'cursor' },
  createWebhook: { method: 'POST', path: '/webhooks' },
  rotateWebhookSecret: { method: 'POST', path: '/webhooks/{webhookId}/secret' },
  sendTestEvent: { method: 'POST', path: '/webhooks/{webhookId}/test', takesIdempotencyKey: true },
  listDeliveries: {
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    query: ['limit', 'cursor', 'state', 'sort'],
    pages: 'cursor',
  },
  redeliver: {
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    takesIdempotencyKey: true,
  },
  redeliverFailed: {
    method: 'POST',
    path: '/webhooks/{webhookId}/redeliver',
    query: ['since'],
    takesIdempotencyKey: true,
  },
  getWebhook: { method: 'GET', path: '/webhooks/{webhookId}' },
  updateWebhook: { method: 'PATCH', path: '/webhooks/{webhookId}', takesIdempotencyKey: true },
  deleteWebhook: { method: 'DELETE', path: '/webhooks/{webhookId}', empty: true, takesIdempotencyKey: true },
  listKeys: { method: 'GET', path: '/keys', query: ['limit', 'cursor', 'include'], pages: 'cursor' },
  createKey: { method: 'POST', path: '/keys' },
  getCurrentKey: { method: 'GET', path: '/keys/current' },
  revokeKey: { method: 'DELETE', path: '/keys/{keyId}', empty: true, takesIdempotencyKey: true },
  listErrors: { method: 'GET', path: '/errors', pages: 'cursor' },
  getError: { method: 'GET', path: '/errors/{code}' },
} as const satisfies Record<keyof Operations, OperationShape>
