import type { Value } from '../src/engine/engine.ts'

/** The statements of one order as the shop writes them; `assertSameStatements` checks that. */
export const orderStatements = {
  shiftStock: `
    UPDATE pet SET quantity = quantity + $2, reserved = reserved + $3, version = version + 1, updated_at = $5
    WHERE id = $1 AND reserved + $3 >= 0 AND quantity + $2 >= reserved + $3
    AND quantity + $2 <= 1000000000 AND on_hold <= $4 AND status = CASE WHEN quantity + $2 = 0 THEN 'sold'
    WHEN on_hold = 1 OR quantity + $2 = reserved + $3 THEN 'pending' ELSE 'available' END
    RETURNING id, name, category_id AS "categoryId", status, quantity, reserved,
      on_hold AS "onHold", version`,
  insertMovement: `
    INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason,
      note, order_id, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
  insertEvent: `
    INSERT INTO event (id, position, hash, type, subject, subject_version, data, key_id, request_id, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  insertOrder: `
    INSERT INTO orders (id, pet_id, quantity, ship_date, complete, version, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, 1, $6, $6)`,
  /** Once for all orders of a transaction, and only on SQLite: on PostgreSQL the sequencer moves the head. */
  moveHead: `UPDATE chain_end SET position = $1, hash = $2 WHERE name = 'head'`,
} as const

/** As long as the request ids of the server. */
export const REQUEST_ID = '00000000-0000-4000-8000-000000000000'

/** One order of one unit, with all its ids assigned beforehand. */
export interface PlainOrder {
  readonly petId: bigint
  readonly now: string
  readonly orderId: bigint
  readonly movementId: bigint
  /** Of the event of the stock. */
  readonly stockEventId: bigint
  /** Of the event of the order. */
  readonly orderEventId: bigint
}

/** The columns that shiftStock returns and that the other statements need. */
export interface Moved {
  readonly quantity: bigint
  readonly reserved: bigint
  readonly version: bigint
}

/** The place of an event in the chain; both are null on PostgreSQL, where the sequencer assigns them. */
export interface Link {
  readonly position: bigint | null
  readonly hash: string | null
}

export function shiftStockValues({ petId, now }: PlainOrder): Value[] {
  return [petId, 0n, 1n, 0n, now]
}

export function movementValues(
  { petId, now, orderId, movementId }: PlainOrder,
  { quantity, reserved, version }: Moved,
): Value[] {
  return [petId, version, movementId, 0n, 1n, quantity, reserved, 'order', null, orderId, now]
}

export function stockEventValues(
  { petId, now, stockEventId }: PlainOrder,
  { quantity, reserved, version }: Moved,
  { position, hash }: Link,
): Value[] {
  const type = 'petstore.inventory.changed'
  const data = `{"petId":${petId},"quantity":${quantity},"status":"available","reserved":${reserved}}`
  const subject = `inventory/${petId}`
  return [stockEventId, position, hash, type, subject, version, data, 1n, REQUEST_ID, now]
}

export function orderValues({ petId, now, orderId }: PlainOrder): Value[] {
  return [orderId, petId, 1n, null, 0n, now]
}

export function orderEventValues(order: PlainOrder, { position, hash }: Link): Value[] {
  const { now, orderId, orderEventId } = order
  const type = 'petstore.order.placed'
  const data = orderText(order)
  return [orderEventId, position, hash, type, `orders/${orderId}`, 1n, data, 1n, REQUEST_ID, now]
}

/** The body of the reply. */
export function orderText({ orderId, petId }: PlainOrder): string {
  return `{"id":${orderId},"petId":${petId},"quantity":1,"complete":false}`
}
