import type { Slips } from '../slip.ts'

const CURSORS = 'test/shop/cursors.test.ts'

export const shopSlips: Slips = {
  'src/shop/categories/verbs.ts': [
    {
      before: `filters: { name }`,
      after: `filters: {}`,
      breaks: 'a cursor of a search for categories continues the search for another name',
      tests: [`${CURSORS}: continues only the same list`],
    },
    {
      before: `WHERE id = $categoryId AND version = $version AND pet_count = 0`,
      after: `WHERE id = $categoryId AND pet_count = 0 AND version >= $version`,
      breaks: 'a deletion with If-Match deletes a category that was changed meanwhile',
      tests: ['test/shop/interleaved-commands.test.ts: a deletion of a category sees'],
    },
    {
      before: `version = $version AND pet_count = 0`,
      after: `version = $version AND pet_count <= 1`,
      breaks: 'a category that contains a pet is deleted',
      tests: ['test/shop/stock-rules.test.ts: deleting a category that contains a pet is refused'],
    },
    {
      before: `    if (current.version !== version) throw new Stale(\`category \${categoryId}\`)\n`,
      after: ``,
      breaks: 'the deletion of an empty category is refused because its name is changed meanwhile',
      tests: ['test/shop/interleaved-commands.test.ts: a deletion of a category sees'],
    },
    {
      before: `body.description === undefined ? before.description : body.description`,
      after: `body.description ?? before.description`,
      breaks: 'the description of a category cannot be removed',
      tests: [
        'test/http/validation.test.ts: a merge patch is validated by its result, so null for a required member is refused',
      ],
    },
    {
      before: `if (name === before.name && description === before.description) return categoryOf(before)`,
      after: `if (name === before.name) return categoryOf(before)`,
      breaks: 'a change of only the description of a category is lost',
      tests: [
        'test/http/validation.test.ts: a merge patch is validated by its result, so null for a required member is refused',
      ],
    },
    {
      before: `    name,
    nameKey: nameKey(name),
    description,
    now: context.now,
  })
  if (!row) throw new Stale`,
      after: `    name,
    nameKey: nameKey(before.name),
    description,
    now: context.now,
  })
  if (!row) throw new Stale`,
      breaks: 'a renamed category is found under its former name only',
      tests: ['test/shop/lists.test.ts: a renamed pet or category'],
    },
    {
      before: `version: removed.version + 1n }`,
      after: `version: removed.version }`,
      breaks: 'the deletion of a category has the version of the change before it in the audit log',
      tests: ['test/shop/audit-log.test.ts: each event of a resource has the next version'],
    },
    {
      before: `  return (await tx.run(countPetIn, { categoryId })) === 1`,
      after: `  return (await tx.run(countPetIn, { categoryId })) <= 1`,
      breaks: 'a pet is created in a category that does not exist',
      tests: [
        'test/shop/pets.test.ts: a pet in a category that does not exist is refused, and the message names the category',
      ],
    },
    {
      before: `version = version + 1,
    updated_at = $now`,
      after: `version = version + 1,
    updated_at = coalesce(updated_at, $now)`,
      breaks: 'the export of a changed category says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
  'src/shop/pets/verbs.ts': [
    {
      before: `      if (quantity === 0n) throw refuse(RESTOCK)\n`,
      after: ``,
      breaks: 'the advice about a sold pet is to cancel an order',
      tests: ['test/shop/stock-rules.test.ts: a refused status change has a message'],
    },
    {
      before: `  if (from > to) await removeFromCategory(tx, from)\n`,
      after: ``,
      breaks: 'a category that lost its last pet to an older category can never be deleted',
      tests: ['test/shop/pets.test.ts: a category whose last pet moved'],
    },
    {
      before: `  if (from < to) await removeFromCategory(tx, from)\n`,
      after: ``,
      breaks: 'a category that lost its last pet to a newer category can never be deleted',
      tests: ['test/shop/pets.test.ts: a category whose last pet moved'],
    },
    {
      before: `'DELETE FROM pet WHERE id = $petId AND version = $version AND reserved = 0 RETURNING id'`,
      after: `'DELETE FROM pet WHERE id = $petId AND version >= $version AND reserved = 0 RETURNING id'`,
      breaks: 'a deletion closes the ledger with the stock of before a concurrent count',
      tests: ['test/shop/interleaved-commands.test.ts: a change of a pet, or its deletion'],
    },
    {
      before: `  await removeFromCategory(tx, before.categoryId)
  const deleted`,
      after: `  const deleted`,
      breaks: 'a category whose pets were deleted can never be deleted',
      tests: ['test/shop/stock-rules.test.ts: deleting a category that contains a pet is refused'],
    },
    {
      before: `quantityChange: -before.quantity,`,
      after: `quantityChange: before.quantity,`,
      breaks: 'the last movement of a deleted pet has the wrong sign',
      tests: ['test/shop/pets.test.ts: a deletion of a pet ends its ledger'],
    },
    {
      before: `totals: stockTotals(before.quantity > 0n ? deleted : before, undefined),`,
      after: `totals: stockTotals(before, undefined),`,
      breaks: 'the summary counts a deleted pet and its units down twice',
      tests: ['test/shop/pets.test.ts: a deletion of a pet ends its ledger'],
    },
    {
      before: `    await recordStockEvent(tx, context, deleted, before)\n`,
      after: ``,
      breaks: 'no event says that the stock of a deleted pet is 0',
      tests: ['test/shop/pets.test.ts: a deletion of a pet ends its ledger'],
    },
    {
      before: `aboutPet({ ...before, version: deleted.version })`,
      after: `aboutPet(before)`,
      breaks: 'the deletion of a pet has the version of the change before it in the audit log',
      tests: ['test/shop/audit-log.test.ts: each event of a resource has the next version'],
    },
    {
      before: `if (pet.status !== before.status) await recordStockEvent(tx, context, pet, before)`,
      after: `if (quantityChange !== 0n) await recordStockEvent(tx, context, pet, before)`,
      breaks: 'a hold of a pet sends no event about its stock, and the summary still counts it as available',
      tests: ['test/shop/summary.test.ts: orders, completions and cancellations change the summary'],
    },
    {
      before: `if (name === before.name && categoryId === before.categoryId && status === before.status)`,
      after: `if (name === before.name && status === before.status)`,
      breaks: 'a pet cannot be moved to another category without a new name',
      tests: ['test/shop/pets.test.ts: a category whose last pet moved'],
    },
    {
      before: `  WHERE id = $petId AND version = $version RETURNING \${petColumns}`,
      after: `  WHERE id = $petId AND version >= $version RETURNING \${petColumns}`,
      breaks: 'a change of a pet overwrites the stock that a concurrent count has set',
      tests: ['test/shop/interleaved-commands.test.ts: a change of a pet, or its deletion'],
    },
    {
      before: `      if (pet.status !== 'available') throw refuse('no unit is in stock; restock it first.')\n`,
      after: ``,
      breaks: 'a hold of a pet without stock is accepted and does nothing',
      tests: ['test/shop/stock-rules.test.ts'],
    },
    {
      before: `if (quantity === reserved) throw`,
      after: `if (quantity < reserved) throw`,
      breaks: 'a pet whose units are all reserved can be set to available, which does nothing',
      tests: ['test/shop/stock-rules.test.ts'],
    },
    {
      before: `return { quantity: 0n, reserved, onHold: false }`,
      after: `return { ...stock, quantity: 0n }`,
      breaks: 'a pet that was sold while it was on hold is on hold again after a restock',
      tests: ['test/shop/stock-rules.test.ts'],
    },
    {
      before: `  if (pet.quantity > 0n) {
    await recordMovement(tx, context, {
      pet,
      quantityChange: pet.quantity,`,
      after: `  if (pet.quantity > 1n) {
    await recordMovement(tx, context, {
      pet,
      quantityChange: pet.quantity,`,
      breaks: 'the ledger of a pet that is created with one unit has no first movement',
      tests: ['test/shop/orders.test.ts: the ledger lists every movement of a pet, in order'],
    },
    {
      before: `filters: { id, status, categoryId, name },`,
      after: `filters: { id, status, categoryId },`,
      breaks: 'a page of a search by name continues another search and skips pets',
      tests: ['test/shop/lists.test.ts: a paged list refuses a cursor'],
    },
    {
      before: `  return padded(distinct(categoryId)).flatMap(`,
      after: `  return padded(categoryId).flatMap(`,
      breaks: 'a list lists each pet twice if a category is named twice',
      tests: ['test/shop/lists.test.ts: a filter that names a value twice'],
    },
    {
      before: 'status = $status, version = version + 1, updated_at = $now',
      after: 'status = $status, version = version + 1, updated_at = coalesce(updated_at, $now)',
      breaks: 'the export of a renamed pet says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
  'src/shop/pets/rows.ts': [
    {
      before: `return padded(distinct(statuses), STATUS_SIZES)`,
      after: `return padded(statuses, STATUS_SIZES)`,
      breaks: 'a list lists each pet twice, or fails, if a status is named twice',
      tests: ['test/shop/lists.test.ts: a filter that names a value twice'],
    },
    {
      before: `return isIn('id', padded(distinct(ids), ID_SIZES))`,
      after: `return isIn('id', padded(ids.slice(0, 99), ID_SIZES))`,
      breaks: 'a list of a hundred pets by their ids omits the last one',
      tests: ['test/shop/lists.test.ts: a filter that names a value twice'],
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
  'src/shop/preconditions.ts': [
    {
      before: `  if (etag.startsWith('W/') || !matchesWeakly`,
      after: `  if (!matchesWeakly`,
      breaks: 'a read of a list with its weak ETag in If-Match succeeds',
      tests: ['test/http/conditions.test.ts: a read of a list with If-Match gets 412'],
    },
  ],
  'src/shop/inventory/verbs.ts': [
    {
      before: `      ...(petId && { limitDefault: IDS_MAX }),\n`,
      after: ``,
      breaks: 'a client that asks for the stock of 50 pets gets 20 items',
      tests: [`${CURSORS}: a list of up to a hundred given ids needs no limit`],
    },
    {
      before: `      filters: { petId },`,
      after: `      filters: {},`,
      breaks: 'a cursor of the ledger of one pet continues the ledger of another one',
      tests: [`${CURSORS}: continues only the same list`],
    },
    {
      before: `filters: { petId, status, quantityAtMost }`,
      after: `filters: { petId, status }`,
      breaks: 'a cursor of the list of low stock continues a list with another maximum quantity',
      tests: [`${CURSORS}: continues only the same list`],
    },
    {
      before: `  if (movement.quantity !== body.quantity) throw new Stale(\`pet \${petId}\`)\n`,
      after: ``,
      breaks: 'a count during a sale sets a quantity that nobody has counted',
      tests: ['test/shop/interleaved-commands.test.ts: a count sets the quantity'],
    },
    {
      before: `  if (quantityChange === 0n) return inventoryItem(before)\n`,
      after: ``,
      breaks: 'a count that changes nothing records a movement and an event',
      tests: ['test/shop/stock-rules.test.ts: a count that finds the known quantity'],
    },
    {
      before: `    note: body.note,\n`,
      after: ``,
      breaks: 'the note of an adjustment is lost',
      tests: ['test/shop/stock-rules.test.ts: the stock is adjusted by a difference, within its bounds'],
    },
    {
      before: `[compares('quantity', '<=', quantityAtMost)]`,
      after: `[compares('quantity', '<', quantityAtMost)]`,
      breaks: 'the list of low stock omits pets with exactly the maximum quantity',
      tests: [
        'test/shop/lists.test.ts: stocks can be filtered by pet, status and maximum quantity, smallest quantity first',
      ],
    },
    {
      before: `? [[isAnyPet(petId), ...inStatusById(status), ...atMost]]`,
      after: `? [[isAnyPet(petId), ...inStatusById(status)]]`,
      breaks: 'a list of stock by pets ignores the maximum quantity',
      tests: ['test/shop/lists.test.ts: stocks of given pets'],
    },
    {
      before: `today - (SUMMARY_DAYS - 1 - index) * DAY_MS`,
      after: `today - (SUMMARY_DAYS - index) * DAY_MS`,
      breaks: 'the orders of today are missing from the orders per day',
      tests: ['test/shop/lists.test.ts: the summary counts the pets, the orders and their reserved units'],
    },
    {
      before: `  if (after < reserved) throw stockBelowReserved(id, after, reserved)
  throw new Stale`,
      after: `  if (true) throw stockBelowReserved(id, after, reserved)
  throw new Stale`,
      breaks: 'an adjustment that is possible is refused because of a concurrent change of the status',
      tests: ['test/shop/interleaved-commands.test.ts: an adjustment is made'],
    },
  ],
  'src/shop/inventory/stock.ts': [
    {
      before: `AND quantity + $quantityChange <= \${STOCK_MAX}`,
      after: `AND quantity + $quantityChange < \${STOCK_MAX}`,
      breaks: 'the stock cannot reach its maximum',
      tests: ['test/shop/stock-rules.test.ts: the stock can have exactly the maximum'],
    },
    {
      before: `AND quantity + $quantityChange <= \${STOCK_MAX}`,
      after: ``,
      breaks: 'the stock exceeds its maximum',
      tests: ['test/shop/stock-rules.test.ts: the stock can have exactly the maximum'],
    },
    {
      before: `  AND quantity + $quantityChange >= reserved + $reservedChange AND`,
      after: `  AND quantity + $quantityChange >= $reservedChange AND`,
      breaks: 'an order beyond the free units gets 500 in place of insufficient_stock',
      tests: [
        'test/shop/orders.test.ts: an order is refused for a pet that does not exist, is on hold, or has too few free units',
      ],
    },
    {
      before: `isRefusedOnHold ? [false] : [false, true]`,
      after: `isRefusedOnHold ? [false] : [false]`,
      breaks: 'the last unit of a pet on hold cannot be removed by an adjustment',
      tests: [
        'test/shop/stock-rules.test.ts: a hold ends when the stock reaches 0, and a restock does not restore it',
      ],
    },
    {
      before: `status: statusOf({ ...units, onHold }) }, pet }`,
      after: `status: statusOf({ ...units, onHold: false }) }, pet }`,
      breaks: 'the summary counts wrongly when the last unit of a pet on hold is removed',
      tests: ['test/shop/summary.test.ts: orders, completions and cancellations change the summary'],
    },
    {
      before: `on_hold = CASE WHEN quantity + $quantityChange = 0 THEN 0 ELSE on_hold END`,
      after: `on_hold = on_hold`,
      breaks: 'a hold that ended with the last unit is back after a restock',
      tests: [
        'test/shop/stock-rules.test.ts: a hold ends when the stock reaches 0, and a restock does not restore it',
      ],
    },
    {
      before: `if (units > free)`,
      after: `if (units > free || units > 0n)`,
      breaks: 'an order is refused although units became free during the order',
      tests: ['test/shop/interleaved-commands.test.ts: an order is placed if its units become free'],
    },
    {
      before: `    updated_at = $now
  WHERE \${possibleCondition}`,
      after: `    updated_at = coalesce(updated_at, $now)
  WHERE \${possibleCondition}`,
      breaks: 'the export of a pet whose stock changed says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `    updated_at = $now, status = \${statusAfter},`,
      after: `    updated_at = coalesce(updated_at, $now), status = \${statusAfter},`,
      breaks: 'the export of a pet whose status changed with its stock says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
  'src/shop/inventory/totals.ts': [
    {
      before: `totals.set(changed, (totals.get(changed) ?? 0n) + change)`,
      after: `totals.set(changed, change)`,
      breaks: 'on PostgreSQL, the summary shows the last change in place of a total',
      tests: ['test/shop/summary.test.ts: on PostgreSQL, the summary counts an order'],
    },
  ],
}
