import { type FieldError, StoreError } from '../contract/error.ts'
import { STOCK_MAX } from './imports/limits.ts'
import { unitsText } from './inventory/schema.ts'
import type { PetStatus } from './pets/schema.ts'
import { WEBHOOKS_MAX } from './webhooks/schema.ts'

// One function for each refusal of the shop and of the engine. Each function returns the error; its caller throws it.
// The examples of the description call the same functions.

export function petNotFound(petId: bigint): StoreError {
  return new StoreError('pet_not_found', `Pet ${petId} does not exist.`)
}

export function categoryNotFound(categoryId: bigint): StoreError {
  return new StoreError('category_not_found', `Category ${categoryId} does not exist.`)
}

export function orderNotFound(orderId: bigint): StoreError {
  return new StoreError('order_not_found', `Order ${orderId} does not exist.`)
}

export function inventoryItemNotFound(petId: bigint): StoreError {
  return new StoreError('inventory_item_not_found', `There is no inventory item for pet ${petId}.`)
}

export function webhookNotFound(webhookId: bigint): StoreError {
  return new StoreError('webhook_not_found', `Webhook ${webhookId} does not exist.`)
}

export function deliveryNotFound(webhookId: bigint, deliveryId: bigint): StoreError {
  return new StoreError('delivery_not_found', `Webhook ${webhookId} has no delivery ${deliveryId}.`)
}

export function keyNotFound(keyId: bigint): StoreError {
  return new StoreError('key_not_found', `Key ${keyId} does not exist or was revoked.`)
}

export function lastAdminKey(keyId: bigint): StoreError {
  const message =
    `Key ${keyId} is the last admin key without an expiry. ` +
    'Create another one first, or replace it with "petstore keys reset-admin --revoke-others".'
  return new StoreError('last_admin_key', message)
}

export function errorNotFound(code: string): StoreError {
  return new StoreError('error_not_found', `There is no error code ${JSON.stringify(code)}.`)
}

/** The refusal of a body with the id of a pet or a category that does not exist. */
export function unknownReference(noun: 'Pet' | 'Category', id: bigint): StoreError {
  return new StoreError('unknown_reference', `${noun} ${id} does not exist.`)
}

export function petInUse(petId: bigint, reserved: bigint): StoreError {
  return new StoreError('pet_in_use', `Pet ${petId} has ${unitsText(reserved)} in open orders.`)
}

export function categoryInUse(categoryId: bigint): StoreError {
  return new StoreError('category_in_use', `Category ${categoryId} still contains pets.`)
}

export function petNotAvailable(petId: bigint): StoreError {
  return new StoreError('pet_not_available', `Pet ${petId} is on hold and cannot be ordered.`)
}

export function insufficientStock(stock: {
  readonly petId: bigint
  readonly free: bigint
  readonly quantity: bigint
  readonly requested: bigint
}): StoreError {
  const { petId, free, quantity, requested } = stock
  return new StoreError(
    'insufficient_stock',
    `Pet ${petId} has ${free} of ${unitsText(quantity)} available; ` +
      `${requested} ${requested === 1n ? 'is' : 'are'} requested.`,
  )
}

export function orderAlreadyComplete(orderId: bigint, change: 'changed' | 'cancelled'): StoreError {
  return new StoreError('order_already_complete', `Order ${orderId} is complete and cannot be ${change}.`)
}

/** The refusal of a change of status. `remedy` says how the caller can make the change possible. */
export function invalidStatusTransition(
  petId: bigint,
  from: PetStatus,
  to: PetStatus,
  remedy: string,
): StoreError {
  const message = `Pet ${petId} is ${from} and cannot become ${to}: ${remedy}`
  return new StoreError('invalid_status_transition', message)
}

/** The remedy for a sold pet that should become available. */
export const RESTOCK = 'no unit is in stock; restock it.'

export function stockOutOfBounds(petId: bigint, quantityAfter: bigint): StoreError {
  const message = `Pet ${petId} would have ${unitsText(quantityAfter)}; the maximum is ${STOCK_MAX}.`
  return new StoreError('stock_out_of_bounds', message)
}

export function stockBelowReserved(petId: bigint, quantityAfter: bigint, reserved: bigint): StoreError {
  const rest = reserved > 0n ? `, but open orders reserve ${reserved}` : ''
  const message = `Pet ${petId} would have ${unitsText(quantityAfter)} on hand${rest}.`
  return new StoreError('stock_below_reserved', message)
}

export function webhookDisabled(webhookId: bigint): StoreError {
  return new StoreError('webhook_disabled', `Webhook ${webhookId} is disabled: enable it first.`)
}

export function webhookLimitReached(): StoreError {
  return new StoreError('webhook_limit_reached', `A store has at most ${WEBHOOKS_MAX} webhooks.`)
}

/** The refusal of a position before the retention floor. `floor` is the last deleted position. */
export function eventHistoryExpired(floor: bigint): StoreError {
  return new StoreError(
    'event_history_expired',
    `Events up to position ${floor} have been deleted. ` +
      `Continue with after=${floor} and re-read anything you cached.`,
  )
}

/** The refusal of a position that a restored store has skipped. */
export function positionInGap({ after, to }: { after: bigint; to: bigint }): StoreError {
  return new StoreError(
    'event_history_expired',
    `The store was restored from a backup: the events from position ${after + 1n} to ${to} are lost. ` +
      `Continue with after=${after} and re-read anything you cached.`,
  )
}

/** The refusal of a position with the tag of other content: from before a reset, or of another store. */
export function positionOfOtherContent(): StoreError {
  return new StoreError(
    'event_history_expired',
    'The position belongs to an earlier state of this store, before it was reset, or to another store. ' +
      'Read the current state, and continue without a position.',
  )
}

/** The refusal of a position beyond the last event. */
export function positionBeyondHead(
  parameter: Pick<FieldError, 'in' | 'name'>,
  after: bigint,
  head: bigint,
): StoreError {
  const message = `${parameter.name} is ${after}, but the last event has position ${head}.`
  return invalidParameter({ ...parameter, code: 'out_of_range', message })
}

export function invalidCursor(): StoreError {
  return new StoreError(
    'invalid_cursor',
    'The cursor does not belong to this list with these filters and this sort. Start again without it.',
  )
}

/** The refusal of a period that ends before it starts, or when it starts. */
export function emptyPeriod(): StoreError {
  const message =
    'The period is empty: until must be later than since. A date in until means the end of that day.'
  return invalidParameter({ in: 'query', name: 'until', code: 'out_of_range', message })
}

/** The refusal of a sort that the filter excludes. `sort` is the member by which the list is filtered. */
export function sortExcludedByFilter(sort: string): StoreError {
  const message = `A list that is filtered by ${sort} can only be sorted by ${sort} or -${sort}.`
  return invalidParameter({ in: 'query', name: 'sort', code: 'not_in_enum', message })
}

/**
 * The refusal of one invalid parameter in path, query or header. Its message is also the message of the whole error.
 */
export function invalidParameter(error: FieldError): StoreError {
  return new StoreError('invalid_parameter', error.message, { errors: [error] })
}

export function unknownKey(): StoreError {
  return new StoreError('invalid_token', 'The key is unknown or was revoked.')
}

export function expiredKey(): StoreError {
  return new StoreError('invalid_token', 'The key has expired.')
}

/**
 * The refusal of an action with a scope that the caller does not have. `action` uses "it" for the scope: `grant it`.
 */
export function beyondScope(scope: string, action: string): StoreError {
  return new StoreError('insufficient_scope', `A key without the scope ${scope} cannot ${action}.`, { scope })
}

/** The refusal of a request whose precondition is false. `etag` is the current ETag of the resource. */
export function preconditionFailed(etag: string): StoreError {
  const message = `The resource has changed: its ETag is now ${etag}.`
  return new StoreError('precondition_failed', message, { etag })
}

export function importHasNoEtag(): StoreError {
  return new StoreError('precondition_failed', 'An import has no ETag that If-Match can match.')
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
  return new StoreError('storage_full', 'The store has no space left to write.')
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

export function tooManyRequests(): StoreError {
  return overloaded('Too many requests are in progress; try again shortly.')
}
