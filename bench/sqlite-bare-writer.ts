import type { Database, Statement as Prepared, SQLQueryBindings } from 'bun:sqlite'
import { type Statement, sql, valuesOf } from '../src/database/statement.ts'
import { FINGERPRINT } from './order-command.ts'
import {
  movementValues,
  orderEventValues,
  orderStatements,
  orderText,
  orderValues,
  type PlainOrder,
  type StockAfter,
  shiftStockValues,
  stockEventValues,
} from './order-statements.ts'

type PreparedStatement<Row = unknown> = Prepared<Row, SQLQueryBindings[]>

// The minimum for an idempotency key: one INSERT. The store looks for the key first.
const insertReply = sql()(`
  INSERT INTO reply (owner, operation, idempotency_key, fingerprint, status, body, etag, location, at)
  VALUES ('1', 'placeOrder', $key, $fingerprint, 201, $body, $etag, $location, $now)`)
const ETAG = `"${'0'.repeat(22)}"`
/** A placeholder that has the length of an event hash. */
const HASH = '0'.repeat(43)

/**
 * Places orders with statements that are prepared once and run directly: no verb, no savepoint, no counter row, no
 * hash.
 */
export class BareWriter {
  readonly #database: Database
  readonly #begin: PreparedStatement
  readonly #commit: PreparedStatement
  readonly #shiftStock: PreparedStatement<StockAfter>
  readonly #insertMovement: PreparedStatement
  readonly #insertEvent: PreparedStatement
  readonly #insertOrder: PreparedStatement
  readonly #moveHead: PreparedStatement
  readonly #insertReply: PreparedStatement
  #orderId: bigint
  #movementId: bigint
  #eventId: bigint

  constructor(database: Database) {
    this.#database = database
    this.#begin = this.#prepare(sql()('BEGIN IMMEDIATE'))
    this.#commit = this.#prepare(sql()('COMMIT'))
    this.#shiftStock = this.#prepare(orderStatements.shiftStock)
    this.#insertMovement = this.#prepare(orderStatements.insertMovement)
    this.#insertEvent = this.#prepare(orderStatements.insertEvent)
    this.#insertOrder = this.#prepare(orderStatements.insertOrder)
    this.#moveHead = this.#prepare(orderStatements.moveHead)
    this.#insertReply = this.#prepare(insertReply)
    this.#orderId = this.#lastId('orders')
    this.#movementId = this.#lastId('movement')
    this.#eventId = this.#lastId('event')
  }

  /** Places one order per entry, all in one transaction. The transaction is durable when this function returns. */
  placeAll(orders: readonly { readonly petId: bigint; readonly key: string | null }[], now: string): void {
    this.#begin.run()
    for (const { petId, key } of orders) this.#place(petId, key, now)
    this.#moveHead.run(...valuesOf(orderStatements.moveHead, [{ position: this.#eventId, hash: HASH }]))
    this.#commit.run()
  }

  #place(petId: bigint, key: string | null, now: string): void {
    const order: PlainOrder = {
      petId,
      now,
      orderId: ++this.#orderId,
      movementId: ++this.#movementId,
      stockEventId: ++this.#eventId,
      orderEventId: ++this.#eventId,
    }
    const moved = this.#shiftStock.get(...shiftStockValues(order))
    if (!moved) throw new Error(`pet ${petId} has no unit left`)
    this.#insertMovement.run(...movementValues(order, moved))
    this.#insertEvent.run(...stockEventValues(order, moved, { position: order.stockEventId, hash: HASH }))
    this.#insertOrder.run(...orderValues(order))
    this.#insertEvent.run(...orderEventValues(order, { position: order.orderEventId, hash: HASH }))
    if (key === null) return
    const location = `/store/orders/${order.orderId}`
    const body = orderText(order)
    this.#insertReply.run(
      ...valuesOf(insertReply, [{ key, fingerprint: FINGERPRINT, body, etag: ETAG, location, now }]),
    )
  }

  #prepare<Row>({ text }: Statement<Row, string>): PreparedStatement<Row> {
    // SQLite binds ?1, ?2 by position.
    return this.#database.prepare<Row, SQLQueryBindings[]>(text.replaceAll('$', '?'))
  }

  #lastId(table: 'orders' | 'movement' | 'event'): bigint {
    const last = this.#prepare(sql<{ id: bigint | null }>()(`SELECT max(id) AS id FROM ${table}`)).get()
    return last?.id ?? 0n
  }
}
