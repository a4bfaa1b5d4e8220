import { insufficientScope } from '../../contract/refusals.ts'
import { hasScope, OWN_RETURN_MS } from '../../contract/scopes.ts'
import { Stale, type Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import type { Context } from '../kernel/context.ts'
import { type CommandsOf, onResource } from '../kernel/handlers.ts'
import { ORDER_QUANTITY_DEFAULT, STOCK_MAX } from '../kernel/limits.ts'
import { currencyColumn, refuseOtherCurrency, type WithCurrency } from '../kernel/metadata.ts'
import { recordEvent } from '../log/recording.ts'
import { findSold, type Sold, writeLine } from '../sales/lines.ts'
import { noStockToReturnTo, orderNotComplete, returnExceedsOrder, saleNotFound } from '../sales/refusals.ts'
import type { SaleLine } from '../sales/schema.ts'
import { stockOutOfBounds } from '../stock/refusals.ts'
import { findPet } from '../stock/rows.ts'
import { moveStock, whyNotReserved } from '../stock/stock.ts'
import type { orders } from './operations.ts'
import type { NewReturn, NewSale, NewSaleReturn, Sale } from './schema.ts'
import { aboutOrder, getOrder, insertPlaced, type OrderRow, orderOf, orderVerbs } from './verbs.ts'

const addReturned = sql<WithCurrency>()(`
  UPDATE orders SET returned = returned + $quantity, version = version + 1, updated_at = $now
  WHERE id = $orderId AND version = $version AND complete = 1 RETURNING ${currencyColumn}`)

/** Units of one order to return. */
interface Return {
  readonly order: OrderRow
  readonly quantity: bigint
  /** The id of the line, if it is one of several. */
  readonly lineId?: bigint
}

/**
 * Sells several pets to one customer: all or nothing. The lines change their pets in the order of the ids, so that two
 * sales never wait for each other. Throws `unknown_reference`, `pet_not_available`, `insufficient_stock`.
 */
async function recordSale(tx: Tx, { body }: { body: NewSale }, context: Context): Promise<Sale> {
  await refuseShortPets(tx, body)
  const lines: { line: NewSale['lines'][number]; id: bigint; lineId: bigint; index: number }[] = []
  // The ids are in the order of the request, so that the receipt lists what the customer saw.
  for (const [index, line] of body.lines.entries())
    lines.push({ line, id: await tx.nextId('order'), lineId: await tx.nextId('sale'), index })
  const receipt = lines[0]?.id ?? 0n
  const sorted = lines.toSorted((a, b) => Number(a.line.petId - b.line.petId) || a.index - b.index)
  // All are sent before the first is answered: on PostgreSQL, the lines share their round trips.
  const placing = sorted.map(({ line, id, lineId, index }) => {
    const order = { ...line, reference: body.reference, complete: true }
    const pointer = `/lines/${index}`
    return insertPlaced(tx, context, order, { id, receipt, lineId, pointer, isSentTogether: true })
  })
  // Nothing may go on in a transaction that ends with a refusal.
  await Promise.allSettled(placing)
  const placed = await Promise.all(placing)
  const written = new Map(placed.map(({ line }, place) => [sorted[place]?.index, line]))
  return { receipt, lines: lines.flatMap(({ index }) => written.get(index) ?? []) }
}

/** Throws the refusal of a pet that is in several lines, if it has fewer units than their sum. */
async function refuseShortPets(tx: Tx, { lines }: NewSale): Promise<void> {
  for (const [petId, ofPet] of Map.groupBy(lines, line => line.petId)) {
    if (ofPet.length === 1) continue
    const units = ofPet.reduce((sum, { quantity = ORDER_QUANTITY_DEFAULT }) => sum + quantity, 0n)
    const pet = await findPet(tx, petId)
    if (pet && !pet.onHold && units > pet.quantity - pet.reserved)
      throw await whyNotReserved(tx, petId, units)
  }
}

/**
 * Returns units of a complete order, and returns the line of the books. Throws `order_not_complete`,
 * `return_exceeds_order`, `insufficient_scope`, `unknown_reference` if the pet was deleted, `stock_out_of_bounds`.
 */
async function returnOrder(
  tx: Tx,
  { body }: { orderId: bigint; body: NewReturn },
  context: Context,
  order: OrderRow,
): Promise<SaleLine> {
  const { id, receipt, returned } = order
  if (receipt === null) throw orderNotComplete(id)
  const left = order.quantity - returned
  const { quantity = left } = body
  if (left === 0n || quantity > left) throw returnExceedsOrder(id, left)
  const sold = (await findSold(tx, receipt)).filter(({ orderId }) => orderId === id)
  refuseOthersSales(context, sold)
  await countReturned(tx, context, { order, quantity })
  return writeReturn(tx, context, { order, quantity }, body)
}

/** Returns all that is left of a sale. Throws `sale_not_found`, and as `returnOrder` does. */
async function returnSale(
  tx: Tx,
  { receipt, body }: { receipt: bigint; body: NewSaleReturn },
  context: Context,
): Promise<Sale> {
  const sold = await findSold(tx, receipt)
  if (sold.length === 0) throw saleNotFound(receipt)
  refuseOthersSales(context, sold)
  const returns: Return[] = []
  for (const { orderId } of sold) {
    const order = await getOrder(tx, { orderId })
    const quantity = order.quantity - order.returned
    if (quantity === 0n) continue
    await countReturned(tx, context, { order, quantity })
    returns.push({ order, quantity, lineId: await tx.nextId('sale') })
  }
  if (returns.length === 0) throw returnExceedsOrder(receipt, 0n)
  const lines: SaleLine[] = []
  // The pets change after all orders, in the order of their ids, so that two commands never wait for each other.
  for (const one of returns.toSorted((a, b) => Number(a.order.petId - b.order.petId)))
    lines.push(await writeReturn(tx, context, one, body))
  return { receipt, lines: lines.toSorted((a, b) => Number(a.orderId - b.orderId)) }
}

/** Throws `insufficient_scope` if the caller may return only what it sold itself a short time ago. */
function refuseOthersSales({ caller, now }: Context, sold: readonly Sold[]): void {
  if (hasScope(caller, 'orders:return')) return
  const isOwn = ({ keyId, at }: Sold): boolean =>
    keyId !== null && keyId === caller.keyId && Date.parse(now) - Date.parse(at) <= OWN_RETURN_MS
  if (!sold.every(isOwn)) throw insufficientScope('orders:return')
}

/** Adds the returned units to the order. */
async function countReturned(tx: Tx, context: Context, { order, quantity }: Return): Promise<void> {
  const { id: orderId, version, unitPrice } = order
  const counted = await tx.one(addReturned, { orderId, version, quantity, now: context.now })
  if (!counted) throw new Stale(`order ${orderId}`)
  refuseOtherCurrency(context, unitPrice, counted)
}

/** Puts returned units back into the stock, if requested, and writes the line and the event of the return. */
async function writeReturn(
  tx: Tx,
  context: Context,
  { order: before, quantity, lineId }: Return,
  { restock = true, note }: NewSaleReturn,
): Promise<SaleLine> {
  const order = { ...before, returned: before.returned + quantity, version: before.version + 1n }
  if (restock) await restockUnits(tx, context, { order, quantity }, note)
  const receipt = order.receipt ?? order.id
  const change = { quantity: -quantity, note, restocked: restock, id: lineId }
  const { line, totals } = await writeLine(tx, context, { ...order, receipt }, change)
  await recordEvent(tx, context, { type: 'petstore.order.returned', ...aboutOrder(order), totals })
  return line
}

async function restockUnits(
  tx: Tx,
  context: Context,
  { order: { id, petId }, quantity }: Return,
  note: string | undefined,
): Promise<void> {
  const moved = await moveStock(tx, context, {
    petId,
    quantityChange: quantity,
    reservedChange: 0n,
    reason: 'return',
    orderId: id,
    note,
    isRefusedOnHold: false,
  })
  if (moved) return
  const pet = await findPet(tx, petId)
  if (!pet) throw noStockToReturnTo(id, petId)
  if (pet.quantity + quantity > STOCK_MAX) throw stockOutOfBounds(petId, pet.quantity + quantity)
  throw new Stale(`pet ${petId}`)
}

export const orderCommands: CommandsOf<typeof orders> = {
  ...orderVerbs,
  returnOrder: onResource(getOrder, orderOf, returnOrder),
  recordSale,
  returnSale,
}
