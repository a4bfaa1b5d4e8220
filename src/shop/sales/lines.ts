import type { Reader, Tx } from '../../database/engine.ts'
import type { TotalChanges } from '../../database/new-event.ts'
import { salesTotal } from '../../database/numbering/totals.ts'
import { sql, storedBoolean } from '../../database/statement.ts'
import { formatInstant } from '../../values/instant.ts'
import type { Context } from '../kernel/context.ts'
import { quarterHourText } from '../stock/totals.ts'
import type { SaleLine } from './schema.ts'

/** An order whose units are sold or returned. */
interface SoldOrder {
  readonly id: bigint
  readonly receipt: bigint
  readonly petId: bigint
  readonly petName: string | null
  readonly unitPrice: bigint | null
  readonly reference: string | null
}

/** What a line says beside the order: `quantity` is negative, and the other members present, for a return. */
interface LineChange {
  readonly quantity: bigint
  readonly note?: string | undefined
  readonly restocked?: boolean
  /** The id of the line, if it was assigned before: that of the next line by default. */
  readonly id?: bigint | undefined
}

const insertLine = sql()(`
  INSERT INTO sale_line (id, at, receipt, order_id, pet_id, pet_name, quantity, unit_price, note, restocked, key_id)
  VALUES ($id, $at, $receipt, $orderId, $petId, $petName, $quantity, $unitPrice, $note, $restocked, $keyId)`)

/** Writes a line of the books. Returns it, and the changes of the totals, which belong to the event of the change. */
export async function writeLine(
  tx: Tx,
  { now, caller }: Context,
  order: SoldOrder,
  { quantity, note, restocked, id }: LineChange,
): Promise<{ line: SaleLine; totals: TotalChanges }> {
  const { receipt, petId, petName, unitPrice, reference } = order
  const row = {
    id: id ?? (await tx.nextId('sale')),
    at: now,
    receipt,
    orderId: order.id,
    petId,
    petName,
    quantity,
    unitPrice,
    note: note ?? null,
    restocked: restocked === undefined ? null : storedBoolean(restocked),
  }
  tx.write(insertLine, { ...row, keyId: caller.keyId })
  return { line: lineOf({ ...row, reference }), totals: lineTotals(now, quantity, unitPrice) }
}

export interface SaleLineRow {
  readonly id: bigint
  readonly at: string
  readonly receipt: bigint
  readonly orderId: bigint
  readonly petId: bigint
  readonly petName: string | null
  readonly quantity: bigint
  readonly unitPrice: bigint | null
  readonly reference: string | null
  readonly note: string | null
  readonly restocked: bigint | null
}

export const lineColumns = `id, at, receipt, order_id AS "orderId", pet_id AS "petId", pet_name AS "petName", quantity,
  unit_price AS "unitPrice", (SELECT reference FROM orders WHERE orders.id = order_id) AS reference, note, restocked`

export function lineOf(row: SaleLineRow): SaleLine {
  const { id, at, receipt, orderId, petId, petName, quantity, unitPrice, reference, note, restocked } = row
  return {
    id,
    at: formatInstant(at),
    receipt,
    orderId,
    petId,
    ...(petName !== null && { petName }),
    quantity,
    ...(unitPrice !== null && { unitPrice, amount: unitPrice * quantity }),
    ...(reference !== null && { reference }),
    ...(note !== null && { note }),
    ...(restocked !== null && { restocked: restocked === 1n }),
  }
}

/** The order of a sale, and the key that sold it. */
export interface Sold {
  readonly orderId: bigint
  readonly keyId: bigint | null
  readonly at: string
}

const selectSold = sql<Sold>()(`
  SELECT order_id AS "orderId", key_id AS "keyId", at FROM sale_line WHERE receipt = $receipt AND quantity > 0
  ORDER BY order_id`)

/** Returns the orders of a receipt. */
export function findSold(reader: Reader, receipt: bigint): Promise<Sold[]> | Sold[] {
  return reader.many(selectSold, { receipt })
}

function lineTotals(at: string, quantity: bigint, unitPrice: bigint | null): TotalChanges {
  const quarterHour = quarterHourText(at)
  const amount = (unitPrice ?? 0n) * quantity
  return {
    [salesTotal(quarterHour, 'lines')]: 1n,
    ...(quantity > 0n
      ? { [salesTotal(quarterHour, 'units')]: quantity, [salesTotal(quarterHour, 'amount')]: amount }
      : {
          [salesTotal(quarterHour, 'returnedUnits')]: -quantity,
          [salesTotal(quarterHour, 'returnedAmount')]: -amount,
        }),
  }
}
