import type { Slips } from '../../slip.ts'

const CURSORS = 'test/shop/cursors.test.ts'

export const orderSlips: Slips = {
  'src/shop/orders/operations.ts': [
    {
      before: `reference === undefined &&
      (complete`,
      after: `(complete`,
      breaks: 'a search for a reference blocks the thread that serves all requests',
      tests: ['test/database/serving-thread-reads.test.ts: is read on the serving thread'],
    },
  ],
  'src/shop/orders/verbs.ts': [
    {
      before: `filters: { petId, complete, shipDateAfter, shipDateBefore, reference }`,
      after: `filters: { petId, complete, shipDateAfter, reference }`,
      breaks: 'a cursor of a list of orders continues a list until another date',
      tests: [`${CURSORS}: continues only the same list`],
    },
    {
      before: `    reason: complete ? 'completion' : 'order',
    orderId: id,
    isRefusedOnHold: true,`,
      after: `    reason: complete ? 'completion' : 'order',
    orderId: id,
    isRefusedOnHold: false,`,
      breaks: 'a pet on hold is sold',
      tests: [
        'test/shop/orders.test.ts: an order is refused for a pet that does not exist, is on hold, or has too few free units',
      ],
    },
    {
      before: `    reservedChange: more,
    reason: 'order',
    orderId: before.id,
    isRefusedOnHold: true,`,
      after: `    reservedChange: more,
    reason: 'order',
    orderId: before.id,
    isRefusedOnHold: false,`,
      breaks: 'an order gets more units of a pet on hold',
      tests: ['test/shop/orders.test.ts: a new quantity changes the reservation by the difference'],
    },
    {
      before: `if (more < 0n) return move`,
      after: `if (more < 0n && before.complete) return move`,
      breaks: 'an order cannot be made smaller while its pet is on hold',
      tests: ['test/shop/orders.test.ts: an order can be made smaller'],
    },
    {
      before: `  WHERE id = $orderId AND version = $version AND complete = 0 RETURNING \${orderColumns}`,
      after: `  WHERE id = $orderId AND version >= $version AND complete = 0 RETURNING \${orderColumns}`,
      breaks: 'two concurrent changes of an order reserve units that no order has',
      tests: ['test/shop/interleaved-commands.test.ts: a change of an order, or its cancellation'],
    },
    {
      before: `WHERE id = $orderId AND version = $version AND complete = 0
  RETURNING id`,
      after: `WHERE id = $orderId AND version >= $version AND complete = 0
  RETURNING id`,
      breaks: 'a cancellation releases the units that the order had before a concurrent change',
      tests: ['test/shop/interleaved-commands.test.ts: a change of an order, or its cancellation'],
    },
    {
      before: `ordersPlacedOn(removed.createdAt)]: -1n`,
      after: `ordersPlacedOn(context.now)]: -1n`,
      breaks: 'a cancellation changes the number of orders of today, not of the day of the order',
      tests: ['test/shop/summary.test.ts: a cancellation changes the day'],
    },
    {
      before: `aboutOrder({ ...before, version: before.version + 1n })`,
      after: `aboutOrder(before)`,
      breaks: 'a cancellation has the version of the change before it in the audit log',
      tests: ['test/shop/audit-log.test.ts: each event of a resource has the next version'],
    },
    {
      before: `totals: { [openOrders]: -1n, [ordersPlacedOn`,
      after: `totals: { [ordersPlacedOn`,
      breaks: 'the summary counts a cancelled order as open',
      tests: [
        'test/shop/summary.test.ts: the summary of a busy store is exact in every state that a reader sees',
      ],
    },
    {
      before: `complete ? { [openOrders]: -1n } : undefined`,
      after: `undefined`,
      breaks: 'the summary counts a completed order as open',
      tests: [
        'test/shop/summary.test.ts: the summary of a busy store is exact in every state that a reader sees',
      ],
    },
    {
      before: `...(!complete && { [openOrders]: 1n })`,
      after: `[openOrders]: 1n`,
      breaks: 'the summary counts an order as open that was complete from the start',
      tests: [
        'test/shop/summary.test.ts: the summary of a busy store is exact in every state that a reader sees',
      ],
    },
    {
      before: `  return body.shipDate === null ? null : toStoredInstant(body.shipDate)`,
      after: `  return body.shipDate === null ? before.shipDate : toStoredInstant(body.shipDate)`,
      breaks: 'the ship date of an order cannot be removed',
      tests: ['test/shop/orders.test.ts: a complete order cannot be reopened, changed or cancelled'],
    },
    {
      before: `  const requestedDate = body.shipDate ? toStoredInstant(body.shipDate) : null
  const shipDate = requestedDate ?? (complete ? context.now : null)`,
      after: `  const requestedDate = body.shipDate ? toStoredInstant(body.shipDate) : null
  const shipDate = complete ? context.now : requestedDate`,
      breaks: 'an order that is complete from the start loses its ship date',
      tests: ['test/shop/orders.test.ts: keeps the shipDate'],
    },
    {
      before: `compares('ship_date', '<', shipDateBefore`,
      after: `compares('ship_date', '<=', shipDateBefore`,
      breaks: 'a list of the orders before an instant has the orders at this instant',
      tests: ['test/shop/lists.test.ts: orders can be filtered by pet, by completion and by shipDate'],
    },
    {
      before: `compares('ship_date', '>', shipDateAfter`,
      after: `compares('ship_date', '>=', shipDateAfter`,
      breaks: 'a list of the orders after an instant has the orders at this instant',
      tests: ['test/shop/lists.test.ts: orders can be filtered by pet, by completion and by shipDate'],
    },
    {
      before: `    ...(complete === undefined ? [] : [equals('+complete', storedBoolean(complete))]),\n`,
      after: ``,
      breaks: 'a search by reference ignores the filter by completion',
      tests: [
        'test/shop/lists.test.ts: orders can be searched by their exact reference, together with other filters and sorts',
      ],
    },
    {
      before: `  // The status changed between the two UPDATE statements of moveStock.
  throw new Stale(\`pet \${petId}\`)`,
      after: `  // The status changed between the two UPDATE statements of moveStock.`,
      breaks: 'a cancellation during a change of the status deletes the order and keeps its units reserved',
      tests: ['test/shop/interleaved-commands.test.ts: a cancellation releases its units'],
    },
    {
      before: `refuseOtherIds(body, { id: orderId, petId: before.petId })`,
      after: `refuseOtherIds(body, { id: orderId })`,
      breaks: 'a change of the pet of an order is ignored and reported as a success',
      tests: ['test/shop/orders.test.ts: a change of an order sets or removes the shipDate'],
    },
    {
      before: `body.reference === undefined ? before.reference : body.reference`,
      after: `body.reference ?? before.reference`,
      breaks: 'the reference of an order cannot be removed',
      tests: [
        'test/shop/orders.test.ts: the reference of an open order can be set, changed and removed, alone or with other members',
      ],
    },
    {
      before: `version = version + 1, updated_at = $now
  WHERE id = $orderId`,
      after: `version = version + 1, updated_at = coalesce(updated_at, $now)
  WHERE id = $orderId`,
      breaks: 'the export of a changed order says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
}
