import { unknownReference } from '../../contract/refusals.ts'
import { Stale, type Tx } from '../../database/engine.ts'
import { readBoolean, sql, storedBoolean } from '../../database/statement.ts'
import { formatInstant } from '../../values/instant.ts'
import type { Context } from '../kernel/context.ts'
import { STOCK_MAX } from '../kernel/limits.ts'
import { currencyColumn, type WithCurrency } from '../kernel/metadata.ts'
import { recordEvent } from '../log/recording.ts'
import { insufficientStock, petNotAvailable } from './refusals.ts'
import { findPet, type PetRow, petColumns, petRow, type StoredPet } from './rows.ts'
import type { InventoryItem, MovementReason, StockMovement } from './schema.ts'
import { statusOf } from './status.ts'
import { type CountedStock, stockTotals } from './totals.ts'

/** A change of the quantity and the reserved units of a pet, and its reason. */
interface StockChange {
  readonly petId: bigint
  readonly quantityChange: bigint
  readonly reservedChange: bigint
  readonly reason: MovementReason
  readonly orderId?: bigint
  readonly note?: string | undefined
  /**
   * Whether the change is refused if the pet is on hold. A hold refuses only new orders and larger quantities of
   * orders.
   */
  readonly isRefusedOnHold: boolean
  /**
   * Whether several changes are sent together: each is then one statement, so that the rows are locked in the order in
   * which the changes were sent. Only for changes that a hold refuses.
   */
  readonly isSentTogether?: boolean
}

// The status after the change, computed from the columns before the change. This is the rule of statusOf, in SQL.
const statusAfter = `CASE WHEN quantity + $quantityChange = 0 THEN 'sold'
  WHEN on_hold = 1 OR quantity + $quantityChange = reserved + $reservedChange THEN 'pending' ELSE 'available' END`

const possibleCondition = `id = $petId AND reserved + $reservedChange >= 0
  AND quantity + $quantityChange >= reserved + $reservedChange AND quantity + $quantityChange <= ${STOCK_MAX}
` as const

// Two statements for one change, because naming the status in SET rewrites every index that contains it, even if it is
// unchanged. The third pays for that, so that changes that are sent together keep the order of their locks.
const shiftStock = sql<StoredPet & WithCurrency>()(`
  UPDATE pet SET quantity = quantity + $quantityChange, reserved = reserved + $reservedChange, version = version + 1,
    updated_at = $now
  WHERE ${possibleCondition} AND on_hold <= $onHoldMax AND status = ${statusAfter} RETURNING ${petColumns},
    ${currencyColumn}`)

const shiftStockAndStatus = sql<StoredPet & WithCurrency>()(`
  UPDATE pet SET quantity = quantity + $quantityChange, reserved = reserved + $reservedChange, version = version + 1,
    updated_at = $now, status = ${statusAfter},
    on_hold = CASE WHEN quantity + $quantityChange = 0 THEN 0 ELSE on_hold END
  WHERE ${possibleCondition} AND on_hold = $onHold AND status <> ${statusAfter} RETURNING ${petColumns},
    ${currencyColumn}`)

const shiftStockAtOnce = sql<StoredPet & WithCurrency>()(`
  UPDATE pet SET quantity = quantity + $quantityChange, reserved = reserved + $reservedChange, version = version + 1,
    updated_at = $now, status = ${statusAfter}
  WHERE ${possibleCondition} AND on_hold = 0 RETURNING ${petColumns}, ${currencyColumn}`)

const insertMovement = sql()(`
  INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason, note,
    order_id, at)
  VALUES ($petId, $version, $id, $quantityChange, $reservedChange, $quantity, $reserved, $reason, $note,
    $orderId, $now)`)

/**
 * Changes the stock of one pet by a conditional UPDATE, and records the movement and the event. Returns the movement
 * and the pet after it, or undefined in four cases: the pet does not exist, its stock does not allow the change, a hold
 * refuses it, or another command changes the status between the two UPDATE statements.
 */
export async function moveStock(
  tx: Tx,
  context: Context,
  shift: StockChange,
): Promise<(WithCurrency & { movement: StockMovement; pet: PetRow }) | undefined> {
  const changed = await changeStock(tx, context, shift)
  if (!changed) return undefined
  const { before, pet, storeCurrency } = changed
  const movement = await recordMovement(tx, context, { ...shift, pet })
  await recordStockEvent(tx, context, pet, before)
  return { movement, pet, storeCurrency }
}

/** Returns undefined if the conditions of the UPDATE match no row. */
async function changeStock(
  tx: Tx,
  { now }: Context,
  { petId, quantityChange, reservedChange, isRefusedOnHold, isSentTogether }: StockChange,
): Promise<(WithCurrency & { before: CountedStock; pet: PetRow }) | undefined> {
  const parameters = { petId, quantityChange, reservedChange, now }
  const changedFrom = (changed: StoredPet & WithCurrency, onHold: boolean) => {
    const pet = petRow(changed)
    const units = { quantity: pet.quantity - quantityChange, reserved: pet.reserved - reservedChange }
    const before = { ...units, status: statusOf({ ...units, onHold }) }
    return { before, pet, storeCurrency: changed.storeCurrency }
  }
  if (isSentTogether) {
    const changed = await tx.one(shiftStockAtOnce, parameters)
    return changed && changedFrom(changed, false)
  }
  const kept = await tx.one(shiftStock, { ...parameters, onHoldMax: storedBoolean(!isRefusedOnHold) })
  if (kept) return changedFrom(kept, readBoolean(kept.onHold))
  // The row after the change does not show whether a sold pet was on hold before, so `onHold` is a condition.
  for (const onHold of isRefusedOnHold ? [false] : [false, true]) {
    const changed = await tx.one(shiftStockAndStatus, { ...parameters, onHold: storedBoolean(onHold) })
    if (changed) return changedFrom(changed, onHold)
  }
  return undefined
}

/** A change that has been made; `pet` is in the state after the change. */
type StockChanged = Omit<StockChange, 'petId' | 'isRefusedOnHold'> & {
  readonly pet: Pick<PetRow, 'id' | 'version' | 'quantity' | 'reserved'>
}

/** Records a change in the stock ledger, and returns the movement. */
export async function recordMovement(
  tx: Tx,
  context: Context,
  { pet, quantityChange, reservedChange, reason, orderId, note }: StockChanged,
): Promise<StockMovement> {
  const { id: petId, version, quantity, reserved } = pet
  const id = await tx.nextId('movement')
  const { now } = context
  const movement = { id, petId, quantityChange, reservedChange, quantity, reserved, reason }
  tx.write(insertMovement, { ...movement, version, note: note ?? null, orderId: orderId ?? null, now })
  return {
    ...movement,
    ...(note !== undefined && { note }),
    ...(orderId !== undefined && { orderId }),
    at: formatInstant(now),
  }
}

/** Records the event with the stock of a pet after a change. `before` is undefined for a new pet. */
export async function recordStockEvent(
  tx: Tx,
  context: Context,
  pet: PetRow,
  before: CountedStock | undefined,
): Promise<void> {
  await recordEvent(tx, context, {
    type: 'petstore.inventory.changed',
    subject: `inventory/${pet.id}`,
    subjectVersion: pet.version,
    petId: pet.id,
    data: inventoryItem(pet),
    totals: stockTotals(before, pet),
  })
}

export function inventoryItem({
  id,
  quantity,
  status,
  reserved,
  reorderAt,
}: Pick<PetRow, 'id' | 'quantity' | 'status' | 'reserved' | 'reorderAt'>): InventoryItem {
  return { petId: id, quantity, status, reserved, ...(reorderAt !== null && { reorderAt }) }
}

/**
 * Returns the error of a failed reservation of `units`: the conditional UPDATE returned no row. Returns Stale if the
 * stock now allows the reservation, because another command has changed the stock in the meantime.
 */
export async function whyNotReserved(tx: Tx, petId: bigint, units: bigint): Promise<Error> {
  const pet = await findPet(tx, petId)
  if (!pet) return unknownReference('Pet', petId)
  const free = pet.quantity - pet.reserved
  if (pet.onHold) return petNotAvailable(petId)
  if (units > free) return insufficientStock({ petId, free, quantity: pet.quantity, requested: units })
  return new Stale(`pet ${petId}`)
}
