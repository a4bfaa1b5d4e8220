import { insertEvent } from '../src/database/numbering/numbering.ts'
import { sql, type Value, valuesOf } from '../src/database/statement.ts'

/** The stock of a pet after an order: the columns returned by `shiftStock` that the other statements need. */
export interface StockAfter {
  readonly quantity: bigint
  readonly reserved: bigint
  readonly version: bigint
}

/**
 * A copy of the statements that the shop runs for one order. `assertSameStatements` (order-command.ts) throws if the
 * shop runs other statements.
 */
export const orderStatements = {
  shiftStock: sql<StockAfter>()(`
    UPDATE pet SET quantity = quantity + $quantityChange, reserved = reserved + $reservedChange,
      version = version + 1, updated_at = $now
    WHERE id = $petId AND reserved + $reservedChange >= 0
      AND quantity + $quantityChange >= reserved + $reservedChange AND quantity + $quantityChange <= 1000000000
      AND on_hold <= $onHoldMax AND status = CASE WHEN quantity + $quantityChange = 0 THEN 'sold'
      WHEN on_hold = 1 OR quantity + $quantityChange = reserved + $reservedChange THEN 'pending' ELSE 'available' END
    RETURNING id, name, category_id AS "categoryId", status, quantity, reserved,
      on_hold AS "onHold", version`),
  insertMovement: sql()(`
    INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason,
      note, order_id, at)
    VALUES ($petId, $version, $movementId, $quantityChange, $reservedChange, $quantity, $reserved, $reason, $note,
      $orderId, $now)`),
  insertEvent,
  insertOrder: sql()(`
    INSERT INTO orders (id, pet_id, quantity, ship_date, complete, reference, version, created_at, updated_at)
    VALUES ($orderId, $petId, $quantity, $shipDate, $complete, $reference, 1, $now, $now)`),
  /** Moves the head once per transaction, not per order. */
  moveHead: sql()(`UPDATE chain_end SET position = $position, hash = $hash WHERE name = 'head'`),
} as const

/** A placeholder that has the length of the request ids that the server makes. */
export const REQUEST_ID = '000000000000-1000000'

/** One order of one unit, with all its ids assigned beforehand. */
export interface PlainOrder {
  readonly petId: bigint
  readonly now: string
  readonly orderId: bigint
  readonly movementId: bigint
  /** The id of the event that reports the new stock. */
  readonly stockEventId: bigint
  /** The id of the event that reports the order. */
  readonly orderEventId: bigint
}

/** The entry of an event in the hash chain. */
export interface EventEntry {
  readonly position: bigint
  readonly hash: string
}

export function shiftStockValues({ petId, now }: PlainOrder): Value[] {
  const change = { quantityChange: 0n, reservedChange: 1n }
  return valuesOf(orderStatements.shiftStock, [{ petId, ...change, onHoldMax: 0n, now }])
}

export function movementValues(
  { petId, now, orderId, movementId }: PlainOrder,
  { quantity, reserved, version }: StockAfter,
): Value[] {
  const change = { quantityChange: 0n, reservedChange: 1n, reason: 'order', note: null }
  return valuesOf(orderStatements.insertMovement, [
    { petId, version, movementId, ...change, quantity, reserved, orderId, now },
  ])
}

export function stockEventValues(
  { petId, now, stockEventId: eventId }: PlainOrder,
  { quantity, reserved, version }: StockAfter,
  { position, hash }: EventEntry,
): Value[] {
  const type = 'petstore.inventory.changed'
  const subject = `inventory/${petId}`
  const data = `{"petId":${petId},"quantity":${quantity},"status":"available","reserved":${reserved}}`
  return valuesOf(orderStatements.insertEvent, [
    {
      id: eventId,
      position,
      hash,
      type,
      subject,
      subjectVersion: version,
      petId,
      data,
      keyId: 1n,
      requestId: REQUEST_ID,
      at: now,
      traceparent: null,
    },
  ])
}

export function orderValues({ petId, now, orderId }: PlainOrder): Value[] {
  return valuesOf(orderStatements.insertOrder, [
    { orderId, petId, quantity: 1n, shipDate: null, complete: 0n, reference: null, now },
  ])
}

export function orderEventValues(order: PlainOrder, { position, hash }: EventEntry): Value[] {
  const { petId, now, orderId, orderEventId: eventId } = order
  const type = 'petstore.order.placed'
  const subject = `orders/${orderId}`
  const data = orderText(order)
  return valuesOf(orderStatements.insertEvent, [
    {
      id: eventId,
      position,
      hash,
      type,
      subject,
      subjectVersion: 1n,
      petId,
      data,
      keyId: 1n,
      requestId: REQUEST_ID,
      at: now,
      traceparent: null,
    },
  ])
}

/** Returns the order as JSON: the body of the reply, and the data of the order event. */
export function orderText({ orderId, petId }: PlainOrder): string {
  return `{"id":${orderId},"petId":${petId},"quantity":1,"complete":false}`
}
