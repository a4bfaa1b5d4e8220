import type { Input, Page } from '../../contract/operation.ts'
import { excludedByFilter } from '../../contract/refusals.ts'
import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import { sql } from '../../database/statement.ts'
import { CURRENCY_DEFAULT } from '../../values/currency.ts'
import { formatInstant, storedInstant } from '../../values/instant.ts'
import { DAY_MS, datesIn } from '../../values/time-zone.ts'
import type { Context, QueryContext } from '../kernel/context.ts'
import { type CommandsOf, onResource, type QueriesOf } from '../kernel/handlers.ts'
import { IDS_MAX, STOCK_MAX } from '../kernel/limits.ts'
import { type Condition, compares, equals, listPage, sortBy } from '../kernel/paging.ts'
import { inStatusById, isAnyPet, paddedStatuses } from '../pets/rows.ts'
import { refuseBesideSearch, searchPets } from '../pets/words.ts'
import { readSalesPeriods } from '../sales/verbs.ts'
import { inventoryItemNotFound, stockBelowReserved, stockOutOfBounds } from '../stock/refusals.ts'
import { findPet, type PetRow, petColumns, petRow, type StoredPet } from '../stock/rows.ts'
import type { InventoryItem, StockMovement } from '../stock/schema.ts'
import { petStatuses } from '../stock/status.ts'
import { inventoryItem, moveStock, recordStockEvent } from '../stock/stock.ts'
import {
  openOrders,
  petsInStatus,
  quarterHourIn,
  readTotals,
  unitsOnHand,
  unitsReserved,
} from '../stock/totals.ts'
import type { inventory } from './operations.ts'
import type { InventoryUpdate, StockAdjustment, StoreSummary } from './schema.ts'

interface MovementRow extends Omit<StockMovement, 'note' | 'orderId'> {
  readonly note: string | null
  readonly orderId: bigint | null
}

const movementColumns = `id, pet_id AS "petId", version, quantity_change AS "quantityChange",
  reserved_change AS "reservedChange", quantity, reserved, reason, note, order_id AS "orderId", at`

/**
 * Returns a page of inventory items. A pet and its inventory item are the same row. Throws `invalid_cursor`, and
 * `invalid_parameter` for a sort that the filter excludes.
 */
export async function listInventory(
  reader: Reader,
  input: Input<typeof inventory.listInventory>,
): Promise<Page<InventoryItem>> {
  const { petId, status, quantityAtMost, toReorder, search } = input
  if (search) {
    refuseBesideSearch(input, ['petId', 'sort'])
    const accepts = ({ status: found, quantity, reorderAt }: StoredPet): boolean =>
      (status?.includes(found) ?? true) &&
      (quantityAtMost === undefined || quantity <= quantityAtMost) &&
      (!toReorder || (reorderAt !== null && quantity <= reorderAt))
    const filters = { status, quantityAtMost, ...(toReorder === true && { toReorder }) }
    return searchPets(
      reader,
      { list: 'listInventory', input: { ...input, search }, filters, accepts },
      inventoryItem,
    )
  }
  refuseCombinations(input)
  const isByQuantity = quantityAtMost !== undefined || toReorder === true
  const sort = sortBy(input.sort, { quantity: 'quantity' }, isByQuantity ? 'quantity' : undefined)
  const atMost = quantityAtMost === undefined ? [] : [compares('quantity', '<=', quantityAtMost)]
  const statuses = status ?? (sort.column === 'quantity' ? petStatuses : undefined)
  const page = await listPage(
    reader,
    {
      list: 'listInventory',
      table: 'pet',
      columns: petColumns,
      input,
      ...(petId && { limitDefault: IDS_MAX }),
      filters: { petId, status, quantityAtMost, ...(toReorder === true && { toReorder }) },
      sort,
      branches: petId
        ? [[isAnyPet(petId), ...inStatusById(status), ...atMost, ...(toReorder ? [isToReorder] : [])]]
        : toReorder
          ? [[isToReorder, ...atMost]]
          : statuses
            ? paddedStatuses(statuses).map(value => [equals('status', value), ...atMost])
            : [[]],
    },
    inventoryItem,
  )
  return petId?.length === 1 && page.items.length === 1 ? { ...page, isSingle: true } : page
}

// The term of the partial index over the pets to reorder.
const isToReorder: Condition = { text: 'quantity <= reorder_at', values: [] }

/** Throws `invalid_parameter` for a filter that the index over the pets to reorder does not serve. */
function refuseCombinations({ toReorder, petId, status }: Input<typeof inventory.listInventory>): void {
  if (toReorder && status && !petId) throw excludedByFilter('status', 'toReorder')
}

/** Returns the row of a pet, which contains its stock. Throws `inventory_item_not_found`. */
function getInventoryItem(reader: Reader, { petId }: { petId: bigint }): PetRow | Promise<PetRow> {
  return mapRead(findPet(reader, petId), pet => {
    if (!pet) throw inventoryItemNotFound(petId)
    return pet
  })
}

/** Returns a page of the stock ledger of one pet. Throws `inventory_item_not_found`, `invalid_cursor`. */
export async function listMovements(
  reader: Reader,
  input: Input<typeof inventory.listMovements>,
): Promise<Page<StockMovement>> {
  const { petId } = input
  await getInventoryItem(reader, { petId })
  return listPage(
    reader,
    {
      list: 'listMovements',
      table: 'movement',
      columns: movementColumns,
      input,
      filters: { petId },
      sort: { column: 'version', descending: input.sort === '-id' },
      tie: 'version',
      branches: [[equals('pet_id', petId)]],
    },
    movementOf,
  )
}

// `change` is 0 if the change of the quantity, which follows, counts as the next version.
const setLevel = sql<StoredPet>()(`
  UPDATE pet SET reorder_at = $reorderAt, version = version + $change, updated_at = $now
  WHERE id = $petId AND version = $version RETURNING ${petColumns}`)

/**
 * Sets the quantity to the result of a count, and the level at which the pet should be reordered. Returns the inventory
 * item. A change of the level alone is an event, but no movement. Throws `stock_below_reserved`.
 */
async function setInventory(
  tx: Tx,
  { petId, body }: { petId: bigint; body: InventoryUpdate },
  context: Context,
  before: PetRow,
): Promise<InventoryItem> {
  const quantityChange = body.quantity - before.quantity
  const { reorderAt = before.reorderAt } = body
  if (reorderAt !== before.reorderAt) {
    if (quantityChange === 0n) return inventoryItem(await setLevelOf(tx, context, before, reorderAt))
    const { version } = before
    const changed = await tx.one(setLevel, { petId, version, reorderAt, change: 0n, now: context.now })
    if (!changed) throw new Stale(`pet ${petId}`)
  }
  if (quantityChange === 0n) return inventoryItem(before)
  const { version } = before
  const { pet } = await changeQuantity(tx, context, petId, { quantityChange, reason: 'count' }, version)
  return inventoryItem(pet)
}

/** Sets only the level at which a pet should be reordered, and returns the pet. */
export async function setLevelOf(
  tx: Tx,
  context: Context,
  before: PetRow,
  reorderAt: bigint | null,
): Promise<PetRow> {
  const { id: petId, version } = before
  const changed = await tx.one(setLevel, { petId, version, reorderAt, change: 1n, now: context.now })
  if (!changed) throw new Stale(`pet ${petId}`)
  const pet = petRow(changed)
  await recordStockEvent(tx, context, pet, before)
  return pet
}

/** Adds or removes units, and returns the movement. Throws `stock_below_reserved`, `stock_out_of_bounds`. */
async function adjustInventory(
  tx: Tx,
  { petId, body: { quantityChange, note } }: { petId: bigint; body: StockAdjustment },
  context: Context,
): Promise<StockMovement> {
  const change = { quantityChange, reason: 'adjustment', note } as const
  return (await changeQuantity(tx, context, petId, change)).movement
}

/**
 * Changes the quantity of a pet, and returns the movement and the pet after it. `version` is that of the row from which
 * the change was computed, and with which If-Match was compared; undefined if the change depends on no row. Throws
 * `inventory_item_not_found`, `stock_below_reserved`, `stock_out_of_bounds`.
 */
export async function changeQuantity(
  tx: Tx,
  context: Context,
  petId: bigint,
  change: { quantityChange: bigint; reason: 'count' | 'adjustment'; note?: string | undefined },
  version?: bigint,
): Promise<{ movement: StockMovement; pet: PetRow }> {
  const moved = await moveStock(tx, context, { petId, ...change, reservedChange: 0n, isRefusedOnHold: false })
  const pet = moved?.pet ?? (await findPet(tx, petId))
  const versionBefore = moved ? moved.pet.version - 1n : pet?.version
  // If another change came first, this one is wrong, and so would be its refusal.
  if (version !== undefined && versionBefore !== version) throw new Stale(`pet ${petId}`)
  if (moved) return moved
  if (!pet) throw inventoryItemNotFound(petId)
  const after = pet.quantity + change.quantityChange
  if (after > STOCK_MAX) throw stockOutOfBounds(petId, after)
  if (after < pet.reserved) throw stockBelowReserved(petId, after, pet.reserved)
  throw new Stale(`pet ${petId}`)
}

function movementOf({ note, orderId, at, ...row }: MovementRow): StockMovement {
  const { id, petId, quantityChange, reservedChange, quantity, reserved, reason } = row
  return {
    id,
    petId,
    quantityChange,
    reservedChange,
    quantity,
    reserved,
    reason,
    ...(note !== null && { note }),
    ...(orderId !== null && { orderId }),
    at: formatInstant(at),
  }
}

const SUMMARY_DAYS = 30

/**
 * Returns the totals of the store, and the orders placed and the takings of each of the last 30 days in the time zone
 * of the shop.
 */
export async function getStoreSummary(
  reader: Reader,
  _: unknown,
  { now, timeZone = 'UTC', currency = CURRENCY_DEFAULT }: Pick<QueryContext, 'now' | 'timeZone' | 'currency'>,
): Promise<StoreSummary> {
  const dateOf = datesIn(timeZone)
  const today = Date.parse(dateOf(Date.parse(now)))
  const days = Array.from({ length: SUMMARY_DAYS }, (_, index) => {
    const ms = today - (SUMMARY_DAYS - 1 - index) * DAY_MS
    return { firstMs: ms, lastMs: ms }
  })
  const sales = await readSalesPeriods(reader, timeZone, days)
  const names = [...petStatuses.map(petsInStatus), openOrders, unitsOnHand, unitsReserved]
  // No zone is a whole day behind UTC or before it, so the first day is among these.
  const totals = await readTotals(reader, names, storedInstant(today - SUMMARY_DAYS * DAY_MS))
  const totalOf = (name: string): bigint => totals.get(name) ?? 0n
  const placed = new Map<string, bigint>()
  for (const [name, orders] of totals) {
    const quarterHour = quarterHourIn(name)
    if (quarterHour === undefined) continue
    const day = dateOf(quarterHour)
    placed.set(day, (placed.get(day) ?? 0n) + orders)
  }
  return {
    pets: {
      available: totalOf(petsInStatus('available')),
      pending: totalOf(petsInStatus('pending')),
      sold: totalOf(petsInStatus('sold')),
    },
    openOrders: totalOf(openOrders),
    unitsOnHand: totalOf(unitsOnHand),
    unitsReserved: totalOf(unitsReserved),
    ordersByDay: sales.map(({ from: day, amount, returnedAmount }) => ({
      day,
      orders: placed.get(day) ?? 0n,
      amount,
      returnedAmount,
    })),
    currency,
    timeZone,
  }
}

export const inventoryQueries: QueriesOf<typeof inventory> = {
  listInventory,
  getInventoryItem: (reader, input) => mapRead(getInventoryItem(reader, input), inventoryItem),
  listMovements,
  getStoreSummary,
}

export const inventoryCommands: CommandsOf<typeof inventory> = {
  setInventory: onResource(getInventoryItem, inventoryItem, setInventory),
  adjustInventory: onResource(getInventoryItem, inventoryItem, adjustInventory),
}
