import type { Slips } from '../../slip.ts'

const CURSORS = 'test/shop/cursors.test.ts'

export const orderSlips: Slips = {
  'src/shop/orders/operations.ts': [
    {
      before: `!petId && reference === undefined && (`,
      after: `!petId && (`,
      breaks: 'a search for a reference blocks the thread that serves all requests',
      tests: ['test/database/serving-thread-reads.test.ts: is read on the serving thread'],
    },
  ],
  'src/shop/orders/verbs.ts': [
    {
      before: `  const { limit: _, cursor: __, sort: ___, ...filters } = input
  const { petId`,
      after: `  const { limit: _, cursor: __, sort: ___, shipDateBefore: ____, ...rest } = input
  const filters: typeof input = rest
  const { petId`,
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
      before: `WHERE id = $orderId AND version = $version AND complete = 0 RETURNING id\`)`,
      after: `WHERE id = $orderId AND version >= $version AND complete = 0 RETURNING id\`)`,
      breaks: 'a cancellation releases the units that the order had before a concurrent change',
      tests: ['test/shop/interleaved-commands.test.ts: a change of an order, or its cancellation'],
    },
    {
      before: `ordersPlacedIn(before.createdAt)]: -1n`,
      after: `ordersPlacedIn(context.now)]: -1n`,
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
      before: `totals: { [openOrders]: -1n, [ordersPlacedIn`,
      after: `totals: { [ordersPlacedIn`,
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
      tests: ['test/shop/orders.test.ts: a change of an order sets or removes the shipDate'],
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
      before: `compares(column, '<', before`,
      after: `compares(column, '<=', before`,
      breaks: 'a list of the orders before an instant has the orders at this instant',
      tests: ['test/shop/lists.test.ts: orders can be filtered by pet, by completion and by shipDate'],
    },
    {
      before: `compares(column, '>', after`,
      after: `compares(column, '>=', after`,
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
  WHERE id = $orderId AND version = $version AND complete = 0`,
      after: `version = version + 1, updated_at = coalesce(updated_at, $now)
  WHERE id = $orderId AND version = $version AND complete = 0`,
      breaks: 'the export of a changed order says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `  if (before.complete && isSame) return reopenOrder(tx, context, before)
`,
      after: `  if (before.complete && !complete) return reopenOrder(tx, context, before)
`,
      breaks: 'a change that is sent with complete: false is ignored and reported as a success',
      tests: [
        'test/shop/orders.test.ts: a complete order cannot be changed or cancelled, not even while it is opened again',
      ],
    },
    {
      before: `SET ship_date = NULL, complete = 0`,
      after: `SET complete = 0`,
      breaks: 'an order that was opened again keeps the ship date of the sale',
      tests: ['test/shop/orders.test.ts: an order that is opened again reserves its units'],
    },
    {
      before: `    quantityChange: quantity,
    reservedChange: quantity,`,
      after: `    quantityChange: quantity,
    reservedChange: 0n,`,
      breaks: 'the units of an order that was opened again are sold to someone else',
      tests: ['test/shop/orders.test.ts: an order that is opened again reserves its units'],
    },
    {
      before: `    reason: 'reopening',
    orderId: id,
    isRefusedOnHold: false,`,
      after: `    reason: 'reopening',
    orderId: id,
    isRefusedOnHold: true,`,
      breaks: 'a sale of a pet that is on hold now cannot be undone',
      tests: ['test/shop/orders.test.ts: the whole order with complete: false opens it again'],
    },
    {
      before: `    if (!pet) throw orderOfDeletedPet(id, petId)
    const quantityAfter = pet.quantity + quantity
    if (quantityAfter > STOCK_MAX) throw`,
      after: `    if (!pet) throw orderOfDeletedPet(id, petId)
    const quantityAfter = pet.quantity
    if (quantityAfter > STOCK_MAX) throw`,
      breaks: 'an order of too many units to take back waits for ever',
      tests: [
        'test/shop/orders.test.ts: an order is not opened again if its pet was deleted or would have too many units',
      ],
    },
    {
      before: `  const totals = { [openOrders]: 1n }
`,
      after: `  const totals = {}
`,
      breaks: 'the summary does not count an order that was opened again as open',
      tests: [
        'test/shop/summary.test.ts: the summary of a busy store is exact in every state that a reader sees',
      ],
    },
    {
      before: `  if (createdAt === undefined || toStoredInstant(createdAt) === before.createdAt) return
`,
      after: `  if (createdAt !== before.createdAt) return
`,
      breaks: 'a change of the time at which an order was placed is ignored and reported as a success',
      tests: ['test/shop/orders.test.ts: a change of an order sets or removes the shipDate'],
    },
    {
      before: `  if (reference === undefined) refuseCombinations(input)
`,
      after: ``,
      breaks: 'a list of the orders of a pet on a day reads all orders of the pet',
      tests: ['test/shop/diary.test.ts: a filter by the time of creation goes only with complete'],
    },
    {
      before: `    const other = sort === undefined ? given.find(name => name !== 'referencePrefix') : 'sort'
`,
      after: `    const other = sort === undefined ? undefined : 'sort'
`,
      breaks: 'a list by the start of a reference ignores other filters',
      tests: ['test/shop/diary.test.ts: a filter by the time of creation goes only with complete'],
    },
  ],
}
