import { type FieldError, refuseOtherIds, validationFailed } from '../../contract/error.ts'
import type { Input, Page } from '../../contract/operation.ts'
import { excludedByFilter } from '../../contract/refusals.ts'
import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import { readBoolean, sql, storedBoolean } from '../../database/statement.ts'
import { AMOUNT_MAX } from '../../values/currency.ts'
import { formatInstant, toStoredInstant } from '../../values/instant.ts'
import type { Context } from '../kernel/context.ts'
import { onResource, type QueriesOf } from '../kernel/handlers.ts'
import { ORDER_COMPLETE_DEFAULT, ORDER_QUANTITY_DEFAULT, PET_IDS_MAX } from '../kernel/limits.ts'
import { currencyColumn, refuseOtherCurrency, type WithCurrency } from '../kernel/metadata.ts'
import {
  type Condition,
  compares,
  distinct,
  equals,
  isIn,
  isNotNull,
  listPage,
  padded,
  sortBy,
  startsWith,
} from '../kernel/paging.ts'
import { type EventSubject, recordEvent } from '../log/recording.ts'
import { refuseBesideSearch } from '../pets/words.ts'
import { writeLine } from '../sales/lines.ts'
import type { SaleLine } from '../sales/schema.ts'
import { findPet } from '../stock/rows.ts'
import { moveStock, whyNotReserved } from '../stock/stock.ts'
import { openOrders, ordersPlacedIn } from '../stock/totals.ts'
import type { orders } from './operations.ts'
import { orderAlreadyComplete, orderCannotReopen, orderNotFound } from './refusals.ts'
import type { NewOrder, Order, OrderPatch } from './schema.ts'
import { searchOrders } from './search.ts'

export interface OrderRow {
  readonly id: bigint
  readonly petId: bigint
  readonly quantity: bigint
  readonly shipDate: string | null
  readonly complete: boolean
  readonly reference: string | null
  readonly createdAt: string
  /** Null in an order of an earlier version for a pet that was deleted. */
  readonly petName: string | null
  readonly unitPrice: bigint | null
  readonly completedAt: string | null
  /** The id of the first order that was sold with this one; null if the order is open. */
  readonly receipt: bigint | null
  /** The units that came back. */
  readonly returned: bigint
  readonly version: bigint
}

type StoredOrder = Omit<OrderRow, 'complete'> & { readonly complete: bigint }

const orderColumns = `id, pet_id AS "petId", quantity, ship_date AS "shipDate", complete, reference,
  created_at AS "createdAt", pet_name AS "petName", unit_price AS "unitPrice",
  completed_at AS "completedAt", receipt, returned, version`

const findOrder = sql<StoredOrder>()(`SELECT ${orderColumns} FROM orders WHERE id = $orderId`)

const insertOrder = sql()(`
  INSERT INTO orders (id, pet_id, quantity, ship_date, complete, reference, version, created_at, updated_at, pet_name,
    unit_price, completed_at, receipt)
  VALUES ($orderId, $petId, $quantity, $shipDate, $complete, $reference, 1, $now, $now, $petName, $unitPrice,
    $completedAt, $receipt)`)

const rewriteOrder = sql<StoredOrder & WithCurrency>()(`
  UPDATE orders SET quantity = $quantity, ship_date = $shipDate, complete = $complete, reference = $reference,
    unit_price = $unitPrice, completed_at = $completedAt, receipt = $receipt, version = version + 1, updated_at = $now
  WHERE id = $orderId AND version = $version AND complete = 0 RETURNING ${orderColumns}, ${currencyColumn}`)

const setReferenceOfComplete = sql<StoredOrder>()(`
  UPDATE orders SET reference = $reference, version = version + 1, updated_at = $now
  WHERE id = $orderId AND version = $version AND complete = 1 RETURNING ${orderColumns}`)

const removeOpenOrder = sql<{ id: bigint }>()(`
  DELETE FROM orders WHERE id = $orderId AND version = $version AND complete = 0 RETURNING id`)

const findPricedOrder = sql<{ id: bigint }>()('SELECT id FROM orders WHERE unit_price IS NOT NULL LIMIT 1')

/** Returns whether an order has a price, which binds the currency of the store. */
export async function hasPricedOrder(reader: Reader): Promise<boolean> {
  return (await reader.one(findPricedOrder)) !== undefined
}

// Texts that sort before and after every stored instant, for the open end of a range.
const BEFORE_ANY = ''
const AFTER_ANY = '~'

/**
 * Returns a page of orders. A list that is sorted by shipDate contains only the orders with a shipDate. Throws
 * `invalid_cursor`, and `invalid_parameter` for a sort that the filter excludes.
 */
export async function listOrders(
  reader: Reader,
  input: Input<typeof orders.listOrders>,
): Promise<Page<Order>> {
  const { limit: _, cursor: __, sort: ___, ...filters } = input
  const { petId, complete, shipDateAfter, shipDateBefore, createdAfter, createdBefore, reference } = filters
  const { referencePrefix, search } = filters
  if (search) {
    refuseBesideSearch(input, OUTSIDE_SEARCH)
    const isComplete = complete === undefined ? undefined : storedBoolean(complete)
    const searched = { input: { ...input, search }, complete: isComplete, columns: orderColumns }
    const found = await searchOrders<StoredOrder>(reader, searched)
    return { ...found, items: found.items.map(order => orderOf(orderRow(order))) }
  }
  if (reference === undefined) refuseCombinations(input)
  const isByShipDate = shipDateAfter !== undefined || shipDateBefore !== undefined
  const isByCreation = createdAfter !== undefined || createdBefore !== undefined
  const isByPrefix = referencePrefix !== undefined && reference === undefined
  const ranged = isByShipDate ? 'shipDate' : isByCreation ? 'createdAt' : undefined
  const sort = isByPrefix
    ? { column: 'reference', descending: false }
    : sortBy(input.sort, { shipDate: 'ship_date', createdAt: 'created_at' }, ranged)
  const range = [
    ...(sort.column === 'ship_date'
      ? [isNotNull('ship_date'), ...between('ship_date', shipDateAfter, shipDateBefore)]
      : []),
    ...(isByCreation || sort.column === 'created_at'
      ? between('created_at', createdAfter, createdBefore)
      : []),
  ]
  const prefix = referencePrefix === undefined ? [] : startsWith('reference', referencePrefix)
  const branches = isByPrefix
    ? [prefix]
    : reference === undefined
      ? orderBranches(petId, complete, range)
      : [[...referenceBranch(reference, petId, complete, range), ...prefix]]
  return listPage(
    reader,
    { list: 'listOrders', table: 'orders', columns: orderColumns, input, filters, sort, branches },
    (order: StoredOrder) => orderOf(orderRow(order)),
  )
}

/** What does not go with a search. */
const OUTSIDE_SEARCH = [
  ...(['sort', 'petId', 'reference', 'referencePrefix'] as const),
  ...(['shipDateAfter', 'shipDateBefore', 'createdAfter', 'createdBefore'] as const),
]

/** The filters that go with a range of creation, or with the sort by it. */
const withCreation: readonly string[] = ['createdAfter', 'createdBefore', 'complete']

/** Returns whether a filter is set: an empty search is none. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== ''

/** Throws `invalid_parameter` for filters that no index serves together, unless the list is of one reference. */
function refuseCombinations({
  limit: _,
  cursor: __,
  sort,
  ...filters
}: Input<typeof orders.listOrders>): void {
  const given = Object.entries(filters).flatMap(([name, value]) => (isGiven(value) ? [name] : []))
  if (given.includes('referencePrefix')) {
    const other = sort === undefined ? given.find(name => name !== 'referencePrefix') : 'sort'
    if (other !== undefined) throw excludedByFilter(other, 'referencePrefix')
  }
  const creation =
    given.find(name => name.startsWith('created')) ??
    (sort?.endsWith('createdAt') ? 'sort=createdAt' : undefined)
  const other = given.find(name => !withCreation.includes(name))
  if (creation !== undefined && other !== undefined) throw excludedByFilter(other, creation)
}

/** Returns the conditions that an instant is between two others, or beyond one of them. */
function between(column: string, after: string | undefined, before: string | undefined): Condition[] {
  return [
    compares(column, '>', after === undefined ? BEFORE_ANY : toStoredInstant(after)),
    compares(column, '<', before === undefined ? AFTER_ANY : toStoredInstant(before)),
  ]
}

/** Returns the row of an order. Throws `order_not_found`. */
export function getOrder(reader: Reader, { orderId }: { orderId: bigint }): OrderRow | Promise<OrderRow> {
  return mapRead(reader.one(findOrder, { orderId }), order => {
    if (!order) throw orderNotFound(orderId)
    return orderRow(order)
  })
}

/**
 * Creates an order and returns it. The order reserves units of a pet, or sells them at once if it is already complete.
 * Throws `unknown_reference`, `pet_not_available`, `insufficient_stock`.
 */
async function placeOrder(tx: Tx, { body }: { body: NewOrder }, context: Context): Promise<Order> {
  const id = await tx.nextId('order')
  return (await insertPlaced(tx, context, body, { id, receipt: id })).order
}

interface PlacedIds {
  readonly id: bigint
  /** The receipt and the id of the line of the books, if the order is complete. */
  readonly receipt: bigint
  readonly lineId?: bigint
  readonly pointer?: string
  /** Whether several orders are created together. */
  readonly isSentTogether?: boolean
}

/** Creates the order with an id. Throws as `placeOrder` does. */
export async function insertPlaced(
  tx: Tx,
  context: Context,
  body: NewOrder,
  { id, receipt, lineId, pointer = '', isSentTogether = false }: PlacedIds,
): Promise<{ order: Order; line: SaleLine | undefined }> {
  const { petId, quantity = ORDER_QUANTITY_DEFAULT, complete = ORDER_COMPLETE_DEFAULT } = body
  const { reference = null } = body
  const moved = await moveStock(tx, context, {
    petId,
    quantityChange: complete ? -quantity : 0n,
    reservedChange: complete ? 0n : quantity,
    reason: complete ? 'completion' : 'order',
    orderId: id,
    isRefusedOnHold: true,
    isSentTogether,
  })
  if (!moved) throw await whyNotReserved(tx, petId, quantity)
  const requestedDate = body.shipDate ? toStoredInstant(body.shipDate) : null
  const shipDate = requestedDate ?? (complete ? context.now : null)
  const { name: petName, price } = moved.pet
  const unitPrice = body.unitPrice === undefined ? price : body.unitPrice
  refuseLargeAmount(unitPrice, quantity, pointer)
  refuseOtherCurrency(context, unitPrice, moved)
  const order = {
    id,
    petId,
    quantity,
    shipDate,
    complete,
    reference,
    createdAt: context.now,
    version: 1n,
    petName,
    unitPrice,
    completedAt: complete ? context.now : null,
    receipt: complete ? receipt : null,
    returned: 0n,
  }
  tx.write(insertOrder, { ...order, orderId: id, complete: storedBoolean(complete), now: context.now })
  const change = { quantity, id: lineId }
  const sale = complete ? await writeLine(tx, context, { ...order, receipt }, change) : undefined
  const totals = { [ordersPlacedIn(context.now)]: 1n, ...(sale?.totals ?? { [openOrders]: 1n }) }
  await recordEvent(tx, context, { type: 'petstore.order.placed', ...aboutOrder(order), totals })
  return { order: orderOf(order), line: sale?.line }
}

/**
 * Updates an open order, completes it if requested, and returns it. Of a complete order, only the reference can be
 * changed. Throws `order_already_complete`, `pet_not_available`, `insufficient_stock`; `validation_failed` for another
 * value of a member that the store recorded.
 */
async function updateOrder(
  tx: Tx,
  { orderId, body }: { orderId: bigint; body: OrderPatch },
  context: Context,
  before: OrderRow,
): Promise<Order> {
  refuseOtherIds(body, { id: orderId, petId: before.petId })
  refuseOtherFacts(body, before)
  const quantity = body.quantity ?? before.quantity
  const complete = body.complete ?? before.complete
  const requestedDate = requestedShipDate(body, before)
  const reference = body.reference === undefined ? before.reference : body.reference
  const unitPrice = body.unitPrice === undefined ? before.unitPrice : body.unitPrice
  const isSame =
    quantity === before.quantity && requestedDate === before.shipDate && unitPrice === before.unitPrice
  if (before.complete && !complete) throw orderCannotReopen(orderId)
  if (before.complete && !isSame) throw orderAlreadyComplete(orderId, 'changed')
  if (isSame && complete === before.complete && reference === before.reference) return orderOf(before)
  if (before.complete) return changeReference(tx, context, before, reference)
  refuseLargeAmount(unitPrice, quantity)
  const shipDate = requestedDate ?? (complete ? context.now : null)
  const rewritten = await tx.one(rewriteOrder, {
    orderId,
    version: before.version,
    quantity,
    shipDate,
    complete: storedBoolean(complete),
    reference,
    unitPrice,
    completedAt: complete ? context.now : null,
    receipt: complete ? orderId : null,
    now: context.now,
  })
  if (!rewritten) throw new Stale(`order ${orderId}`)
  refuseOtherCurrency(context, unitPrice, rewritten)
  const row = orderRow(rewritten)
  await changeReservation(tx, context, before, quantity)
  if (!complete) {
    await recordEvent(tx, context, { type: 'petstore.order.updated', ...aboutOrder(row) })
    return orderOf(row)
  }
  await shipUnits(tx, context, row)
  const sale = await writeLine(tx, context, { ...row, receipt: orderId }, { quantity })
  const totals = { [openOrders]: -1n, ...sale.totals }
  await recordEvent(tx, context, { type: 'petstore.order.completed', ...aboutOrder(row), totals })
  return orderOf(row)
}

/** Changes the reference of a complete order: a typing error, or the name of a person who wants to be forgotten. */
async function changeReference(
  tx: Tx,
  context: Context,
  { id, version }: OrderRow,
  reference: string | null,
): Promise<Order> {
  const changed = await tx.one(setReferenceOfComplete, { orderId: id, version, reference, now: context.now })
  if (!changed) throw new Stale(`order ${id}`)
  const order = orderRow(changed)
  await recordEvent(tx, context, { type: 'petstore.order.updated', ...aboutOrder(order) })
  return orderOf(order)
}

/** Releases the units of an open order and deletes the order. Throws `order_already_complete`. */
async function cancelOrder(
  tx: Tx,
  { orderId }: { orderId: bigint },
  context: Context,
  before: OrderRow,
): Promise<undefined> {
  if (before.complete) throw orderAlreadyComplete(orderId, 'cancelled')
  const removed = await tx.one(removeOpenOrder, { orderId, version: before.version })
  if (!removed) throw new Stale(`order ${orderId}`)
  await moveReservedUnits(tx, context, before, { reservedChange: -before.quantity, reason: 'cancellation' })
  await recordEvent(tx, context, {
    type: 'petstore.order.cancelled',
    ...aboutOrder({ ...before, version: before.version + 1n }),
    totals: { [openOrders]: -1n, [ordersPlacedIn(before.createdAt)]: -1n },
  })
  return undefined
}

export function aboutOrder(order: OrderRow): EventSubject {
  const { id, version, petId } = order
  return { subject: `orders/${id}`, subjectVersion: version, petId, data: orderOf(order) }
}

function orderRow(order: StoredOrder): OrderRow {
  return { ...order, complete: readBoolean(order.complete) }
}

/** Returns the resource for a row, with a shipDate only if there is one, and a reference only if there is one. */
export function orderOf(order: Omit<OrderRow, 'version'>): Order {
  const { id, petId, quantity, shipDate, complete, reference, createdAt, petName, unitPrice } = order
  const { completedAt, receipt, returned } = order
  return {
    id,
    petId,
    quantity,
    ...(shipDate !== null && { shipDate: formatInstant(shipDate) }),
    complete,
    ...(reference !== null && { reference }),
    createdAt: formatInstant(createdAt),
    ...(petName !== null && { petName }),
    ...(unitPrice !== null && { unitPrice }),
    ...(completedAt !== null && { completedAt: formatInstant(completedAt) }),
    ...(receipt !== null && { receipt }),
    ...(returned > 0n && { returned }),
  }
}

/** Throws `validation_failed` for each member of a patch that differs from what the store recorded in the order. */
function refuseOtherFacts(body: OrderPatch, before: OrderRow): void {
  const is = orderOf(before)
  const { createdAt, completedAt, petName, receipt, returned } = body
  const sent = {
    createdAt: normalized(createdAt),
    completedAt: normalized(completedAt),
    petName,
    receipt,
    returned,
  }
  const errors = (['createdAt', 'completedAt', 'petName', 'receipt', 'returned'] as const)
    .filter(name => sent[name] !== undefined && sent[name] !== is[name])
    .map((name): FieldError => {
      const message = `${name} is ${is[name] ?? 'absent'} and cannot be changed.`
      return { in: 'body', pointer: `/${name}`, code: 'read_only', message }
    })
  if (errors.length > 0) throw validationFailed(errors)
}

function normalized(instant: string | undefined): string | undefined {
  return instant && formatInstant(toStoredInstant(instant))
}

/** Throws `validation_failed` if an order has an amount beyond the maximum. `pointer` names the order in the body. */
function refuseLargeAmount(unitPrice: bigint | null, quantity: bigint, pointer = ''): void {
  if (unitPrice === null || unitPrice * quantity <= AMOUNT_MAX) return
  const message = `unitPrice times quantity is ${unitPrice * quantity}; the maximum is ${AMOUNT_MAX}.`
  throw validationFailed([{ in: 'body', pointer: `${pointer}/unitPrice`, code: 'out_of_range', message }])
}

function orderBranches(
  petId: readonly bigint[] | undefined,
  complete: boolean | undefined,
  range: readonly Condition[],
): Condition[][] {
  if (!petId && complete === undefined && range.length === 0) return [[]]
  const states = complete === undefined ? [false, true] : [complete]
  const heads = petId ? padded(distinct(petId)).map(id => [equals('pet_id', id)]) : [[]]
  return heads.flatMap(head =>
    states.map(state => [...head, equals('complete', storedBoolean(state)), ...range]),
  )
}

/**
 * Returns the only branch of a list that is filtered by reference: the leading part of an index by reference. Few
 * orders share a reference, so the other filters are conditions on these orders. The unary plus keeps SQLite from using
 * an index of the other columns, in which it would read far more orders.
 */
function referenceBranch(
  reference: string,
  petId: readonly bigint[] | undefined,
  complete: boolean | undefined,
  range: readonly Condition[],
): Condition[] {
  return [
    equals('reference', reference),
    ...(petId ? [isIn('+pet_id', padded(distinct(petId), [PET_IDS_MAX]))] : []),
    ...(complete === undefined ? [] : [equals('+complete', storedBoolean(complete))]),
    ...range,
  ]
}

function requestedShipDate(body: OrderPatch, before: OrderRow): string | null {
  if (body.shipDate === undefined) return before.shipDate
  return body.shipDate === null ? null : toStoredInstant(body.shipDate)
}

async function changeReservation(
  tx: Tx,
  context: Context,
  before: OrderRow,
  quantity: bigint,
): Promise<void> {
  const more = quantity - before.quantity
  if (more === 0n) return
  if (more < 0n) return moveReservedUnits(tx, context, before, { reservedChange: more, reason: 'order' })
  const moved = await moveStock(tx, context, {
    petId: before.petId,
    quantityChange: 0n,
    reservedChange: more,
    reason: 'order',
    orderId: before.id,
    isRefusedOnHold: true,
  })
  if (!moved) throw await whyNotReserved(tx, before.petId, more)
}

async function shipUnits(tx: Tx, context: Context, order: OrderRow): Promise<void> {
  const { quantity } = order
  await moveReservedUnits(tx, context, order, {
    quantityChange: -quantity,
    reservedChange: -quantity,
    reason: 'completion',
  })
}

/** Moves units that an order has reserved. Throws an Error, not a refusal, if the pet does not have these units. */
async function moveReservedUnits(
  tx: Tx,
  context: Context,
  { id, petId }: OrderRow,
  shift: { quantityChange?: bigint; reservedChange: bigint; reason: 'order' | 'completion' | 'cancellation' },
): Promise<void> {
  const moved = await moveStock(tx, context, {
    petId,
    quantityChange: 0n,
    orderId: id,
    isRefusedOnHold: false,
    ...shift,
  })
  if (moved) return
  const pet = await findPet(tx, petId)
  if (!pet || pet.reserved + shift.reservedChange < 0n) {
    throw new Error(`pet ${petId} does not have the units that order ${id} reserved`)
  }
  // The status changed between the two UPDATE statements of moveStock.
  throw new Stale(`pet ${petId}`)
}

export const orderQueries: QueriesOf<typeof orders> = {
  listOrders,
  getOrder: (reader, input) => mapRead(getOrder(reader, input), orderOf),
}

export const orderVerbs = {
  placeOrder,
  updateOrder: onResource(getOrder, orderOf, updateOrder),
  cancelOrder: onResource(getOrder, orderOf, cancelOrder),
}
