import { StoreError } from '../../contract/error.ts'
import { invalidParameter } from '../../contract/refusals.ts'
import { PERIODS_MAX } from '../kernel/limits.ts'
import { unitsText } from '../stock/status.ts'

export function saleNotFound(receipt: bigint): StoreError {
  return new StoreError('sale_not_found', `No sale has the receipt ${receipt}.`, {
    subject: `sales/${receipt}`,
  })
}

/** The refusal to return more units of an order than are left; `left` is what was sold minus what came back. */
export function returnExceedsOrder(orderId: bigint, left: bigint): StoreError {
  const message =
    left === 0n
      ? `Order ${orderId} was returned already.`
      : `Of order ${orderId}, only ${unitsText(left)} can be returned.`
  return new StoreError('return_exceeds_order', message, { subject: `orders/${orderId}` })
}

export function orderNotComplete(orderId: bigint): StoreError {
  const message = `Order ${orderId} is open: cancel it instead.`
  return new StoreError('order_not_complete', message, { subject: `orders/${orderId}` })
}

/** The refusal to put units back into the stock of a pet that was deleted. */
export function noStockToReturnTo(orderId: bigint, petId: bigint): StoreError {
  const message = `Pet ${petId} of order ${orderId} was deleted: return the units without restocking.`
  return new StoreError('unknown_reference', message, { subject: `pets/${petId}` })
}

export function rangeReversed(): StoreError {
  return invalidParameter({
    in: 'query',
    name: 'to',
    code: 'conflicting',
    message: 'to must not be before from.',
  })
}

export function tooManyPeriods(): StoreError {
  return invalidParameter({
    in: 'query',
    name: 'to',
    code: 'out_of_range',
    message: `from and to may span at most ${PERIODS_MAX} periods.`,
  })
}
