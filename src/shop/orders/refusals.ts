import { StoreError } from '../../contract/error.ts'

export function orderNotFound(orderId: bigint): StoreError {
  return new StoreError('order_not_found', `Order ${orderId} does not exist.`, {
    subject: `orders/${orderId}`,
  })
}

export function orderAlreadyComplete(orderId: bigint, change: 'changed' | 'cancelled'): StoreError {
  const message = `Order ${orderId} is complete and cannot be ${change}.`
  return new StoreError('order_already_complete', message, { subject: `orders/${orderId}` })
}

/** The refusal to open a complete order again. */
export function orderCannotReopen(orderId: bigint): StoreError {
  const message = `Order ${orderId} is complete; to take its units back, use POST /store/orders/${orderId}/returns.`
  return new StoreError('order_already_complete', message, { subject: `orders/${orderId}` })
}
