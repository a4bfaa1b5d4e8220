import type { Reader } from '../../database/engine.ts'
import type { TotalChanges } from '../../database/new-event.ts'
import { readChanges } from '../../database/numbering/totals.ts'
import { dynamicSql } from '../../database/statement.ts'
import type { PetRow } from './rows.ts'
import type { PetStatus } from './status.ts'

// The names of the totals in the table `total`.
export const openOrders = 'orders/open'
export const unitsOnHand = 'units/onHand'
export const unitsReserved = 'units/reserved'

export function petsInStatus(status: PetStatus): string {
  return `pets/${status}`
}

/**
 * Returns the quarter-hour of UTC with an instant: `2026-11-22T10:15`. Each time zone adds them up to other days, and
 * all zones of today begin their days at one.
 */
export function quarterHourText(at: string): string {
  const minute = Number(at.slice(14, 16))
  return `${at.slice(0, 14)}${String(minute - (minute % 15)).padStart(2, '0')}`
}

const ORDERS_PLACED = 'orders/placed/'

/** Returns the name of a total: the orders placed in the quarter-hour of an instant, without cancelled orders. */
export function ordersPlacedIn(at: string): string {
  return ORDERS_PLACED + quarterHourText(at)
}

/** Returns the start (milliseconds) of the quarter-hour that a total counts; undefined if it counts something else. */
export function quarterHourIn(total: string): number | undefined {
  return total.startsWith(ORDERS_PLACED) ? Date.parse(`${total.slice(ORDERS_PLACED.length)}Z`) : undefined
}

/** The columns of a pet that the totals count. */
export type CountedStock = Pick<PetRow, 'status' | 'quantity' | 'reserved'>

/**
 * Returns how a change of a pet changes the totals. `before` is undefined for a new pet, `after` for a deleted pet.
 */
export function stockTotals(before: CountedStock | undefined, after: CountedStock | undefined): TotalChanges {
  const onHand = (after?.quantity ?? 0n) - (before?.quantity ?? 0n)
  const reserved = (after?.reserved ?? 0n) - (before?.reserved ?? 0n)
  const isSame = before?.status === after?.status
  return {
    ...(onHand !== 0n && { [unitsOnHand]: onHand }),
    ...(reserved !== 0n && { [unitsReserved]: reserved }),
    ...(before && !isSame && { [petsInStatus(before.status)]: -1n }),
    ...(after && !isSame && { [petsInStatus(after.status)]: 1n }),
  }
}

interface TotalRow {
  readonly name: string
  readonly value: bigint
  /** The changes of events that have no position yet; null in the row of a total. */
  readonly changes: string | null
}

/**
 * Reads the named totals, and those of the orders placed since an instant, including the changes of events that have no
 * position yet. A total that nothing has changed is absent.
 */
export async function readTotals(
  reader: Reader,
  names: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, bigint>> {
  // One statement, because both parts must come from the same state of the database.
  const rows = await reader.many(
    dynamicSql<TotalRow>(
      place => `
      SELECT name, value, NULL AS changes FROM total WHERE name IN (${names.map(place).join(', ')})
      UNION ALL SELECT name, value, NULL FROM total
        WHERE name >= ${place(ordersPlacedIn(since))} AND name < ${place(`${ORDERS_PLACED}~`)}
      UNION ALL SELECT '', 0, totals FROM event_batch WHERE totals IS NOT NULL`,
    ),
  )
  const totals = new Map<string, bigint>()
  for (const { name, value, changes } of rows) {
    for (const [changed, change] of Object.entries(
      changes === null ? { [name]: value } : readChanges(changes),
    )) {
      totals.set(changed, (totals.get(changed) ?? 0n) + change)
    }
  }
  return totals
}
