import { StoreError } from '../../contract/error.ts'
import { STOCK_MAX } from '../kernel/limits.ts'
import { unitsText } from './status.ts'

export function inventoryItemNotFound(petId: bigint): StoreError {
  const message = `There is no inventory item for pet ${petId}.`
  return new StoreError('inventory_item_not_found', message, { subject: `pets/${petId}` })
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
    `Pet ${petId} has ${free} of ${unitsText(quantity)} for sale; ` +
      `${requested} ${requested === 1n ? 'is' : 'are'} requested.`,
    { subject: `pets/${petId}` },
  )
}

export function stockOutOfBounds(petId: bigint, quantityAfter: bigint): StoreError {
  const message = `Pet ${petId} would have ${unitsText(quantityAfter)}; the maximum is ${STOCK_MAX}.`
  return new StoreError('stock_out_of_bounds', message, { subject: `pets/${petId}` })
}

export function stockBelowReserved(petId: bigint, quantityAfter: bigint, reserved: bigint): StoreError {
  const rest = reserved > 0n ? `, but open orders reserve ${reserved}` : ''
  const message = `Pet ${petId} would have ${unitsText(quantityAfter)} in stock${rest}.`
  return new StoreError('stock_below_reserved', message, { subject: `pets/${petId}` })
}

export function petNotAvailable(petId: bigint): StoreError {
  return new StoreError('pet_not_available', `Pet ${petId} is on hold: release it first.`, {
    subject: `pets/${petId}`,
  })
}
