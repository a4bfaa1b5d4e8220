import type { Slips } from '../../slip.ts'

const CURSORS = 'test/shop/cursors.test.ts'

export const inventorySlips: Slips = {
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
    {
      before: `minute - (minute % 15)`,
      after: `minute - (minute % 60)`,
      breaks: 'a shop in Kathmandu counts orders after midnight in the day before',
      tests: ['test/shop/diary.test.ts: the summary counts the orders of days in'],
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
      before: `filters: { petId, status, quantityAtMost, ...(`,
      after: `filters: { petId, status, ...(`,
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
      before: `? [[isAnyPet(petId), ...inStatusById(status), ...atMost, `,
      after: `? [[isAnyPet(petId), ...inStatusById(status), `,
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
    {
      before: `    const day = dateOf(quarterHour)
`,
      after: `    const day = storedInstant(quarterHour).slice(0, 10)
`,
      breaks: 'a shop in Auckland sees the orders of the morning in the day before',
      tests: ['test/shop/diary.test.ts: the summary counts the orders of days in'],
    },
    {
      before: `storedInstant(today - SUMMARY_DAYS * DAY_MS)`,
      after: `storedInstant(today + DAY_MS)`,
      breaks: 'the summary has no order of the last days',
      tests: ['test/shop/summary.test.ts: a cancellation changes the day'],
    },
    {
      before: `const change = quantityChange === 0n ? 1n : 0n`,
      after: `const change = 1n`,
      breaks: 'a count that also sets a level counts as two changes of the pet',
      tests: [
        'test/shop/reorder-levels.test.ts: a level is set, kept, changed and removed with the quantity',
      ],
    },
    {
      before: `const { reorderAt = before.reorderAt } = body`,
      after: `const { reorderAt = null } = body`,
      breaks: 'a count removes the level at which to reorder',
      tests: [
        'test/shop/reorder-levels.test.ts: a level is set, kept, changed and removed with the quantity',
      ],
    },
    {
      before: `      await recordStockEvent(tx, context, pet, before)
      return inventoryItem(pet)
`,
      after: `      return inventoryItem(pet)
`,
      breaks: 'a new level is in no event, so pages and caches show the old one',
      tests: [
        'test/shop/reorder-levels.test.ts: a level is set, kept, changed and removed with the quantity',
      ],
    },
    {
      before: `text: 'quantity <= reorder_at'`,
      after: `text: 'quantity < reorder_at'`,
      breaks: 'a pet with exactly its level is not in the list of what to reorder',
      tests: ['test/shop/reorder-levels.test.ts: the list of pets to reorder'],
    },
    {
      before: `  if (toReorder && status && !petId) throw excludedByFilter('status', 'toReorder')
`,
      after: ``,
      breaks: 'a list of what to reorder ignores the filter by status',
      tests: ['test/shop/reorder-levels.test.ts: the list of pets to reorder'],
    },
    {
      before: `quantity <= quantityAtMost)`,
      after: `quantity < quantityAtMost + 2n)`,
      breaks: 'a search of the stock finds items with more units than asked for',
      tests: ['test/shop/search.test.ts: a search goes with the filters'],
    },
    {
      before: `refuseBesideSearch(input, ['petId', 'sort'])`,
      after: `refuseBesideSearch(input, ['petId'])`,
      breaks: 'a search of the stock ignores the sort',
      tests: ['test/shop/search.test.ts: a search has at least two characters'],
    },
  ],
}
