import { StoreError } from '../../contract/error.ts'

export function orderNotFound(orderId: bigint): StoreError {
  return new StoreError('order_not_found', `Order ${orderId} does not exist.`)
}

export function orderAlreadyComplete(orderId: bigint, change: 'changed' | 'cancelled'): StoreError {
  return new StoreError('order_already_complete', `Order ${orderId} is complete and cannot be ${change}.`)
}

/** The refusal to open an order again: its units cannot come back to a pet that was deleted. */
export function orderOfDeletedPet(orderId: bigint, petId: bigint): StoreError {
  const message = `Order ${orderId} is complete and cannot be opened again, because pet ${petId} was deleted.`
  return new StoreError('order_already_complete', message)
}
