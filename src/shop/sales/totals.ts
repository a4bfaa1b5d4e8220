import type { Reader } from '../../database/engine.ts'
import { noSales, readChanges, readSalesTotal, salesSums } from '../../database/numbering/totals.ts'
import { dynamicSql } from '../../database/statement.ts'

/** The sums of the sales in a period, by the names of their columns. */
type SalesSums = Record<(typeof salesSums)[number], bigint>

/** A range of quarter-hours of UTC: from `start` to before `end`, each as `2026-11-22T10:15`. */
interface QuarterHours {
  readonly start: string
  readonly end: string
}

/** The numbers of periods that a statement is prepared for; the rest is filled with periods that have no rows. */
const PADDED_SIZES = [1, 31, 100, 400]

interface PeriodRow extends SalesSums {
  /** The place of the period; null in the row of changes. */
  readonly place: bigint | null
  /** The changes of events that have no position yet; null in the row of a period. */
  readonly changes: string | null
}

/**
 * Returns the sums of the sales in each period, including the changes of events that have no position yet. The periods
 * do not overlap.
 */
export async function readSales(
  reader: Reader,
  periods: readonly QuarterHours[],
): Promise<readonly SalesSums[]> {
  const size = PADDED_SIZES.find(one => one >= periods.length)
  if (size === undefined) throw new Error(`too many periods: ${periods.length}`)
  const padding = Array.from({ length: size - periods.length }, () => ({ start: '', end: '' }))
  // One statement, because both parts must come from the same state of the database.
  const rows = await reader.many(
    dynamicSql<PeriodRow>(place => {
      const values = [...periods, ...padding].map(
        ({ start, end }, index) => `(${index}, ${place(start)}, ${place(end)})`,
      )
      return `
      WITH period (place, starts_at, ends_at) AS (VALUES ${values.join(', ')})
      SELECT place, NULL AS changes, ${sumOf('lines')} AS lines, ${sumOf('units')} AS units,
        ${sumOf('amount')} AS amount, ${sumOf('returned_units')} AS "returnedUnits",
        ${sumOf('returned_amount')} AS "returnedAmount"
      FROM period JOIN sales_total ON quarter_hour >= starts_at AND quarter_hour < ends_at GROUP BY place
      UNION ALL SELECT NULL, totals, 0, 0, 0, 0, 0 FROM event_batch WHERE totals IS NOT NULL`
    }),
  )
  const results = periods.map((): SalesSums => ({ ...noSales }))
  for (const { place, changes, ...row } of rows) {
    if (changes !== null) addChanges(results, periods, changes)
    else addSums(results[Number(place)], row)
  }
  return results
}

function sumOf(column: string): string {
  return `CAST(sum(${column}) AS BIGINT)`
}

function addChanges(results: readonly SalesSums[], periods: readonly QuarterHours[], changes: string): void {
  for (const [name, change] of Object.entries(readChanges(changes))) {
    const total = readSalesTotal(name)
    if (!total) continue
    const { quarterHour, sum } = total
    const result = results[periods.findIndex(({ start, end }) => quarterHour >= start && quarterHour < end)]
    if (result) result[sum] += change
  }
}

function addSums(result: SalesSums | undefined, row: SalesSums): void {
  if (result) for (const sum of salesSums) result[sum] += row[sum]
}
