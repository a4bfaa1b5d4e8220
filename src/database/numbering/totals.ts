import { parseJson, writeJson } from '../../values/json.ts'
import type { Tx } from '../engine.ts'
import type { TotalChanges } from '../new-event.ts'
import { sql } from '../statement.ts'

const changeTotal = sql()(`
  INSERT INTO total (name, value) VALUES ($name, $change)
  ON CONFLICT (name) DO UPDATE SET value = total.value + excluded.value`)

/** The sums of the sales in a quarter-hour of UTC: columns of one row. */
export const salesSums = ['lines', 'units', 'amount', 'returnedUnits', 'returnedAmount'] as const
type SalesSum = (typeof salesSums)[number]
export const noSales = { lines: 0n, units: 0n, amount: 0n, returnedUnits: 0n, returnedAmount: 0n }

const SALES_TOTAL = /^sales\/([^/]+)\/(\w+)$/

/** Returns the name of a sum of the sales in a quarter-hour, among the changes of totals. */
export function salesTotal(quarterHour: string, sum: SalesSum): string {
  return `sales/${quarterHour}/${sum}`
}

/** Returns the quarter-hour and the column of a sum of sales; undefined for the name of another total. */
export function readSalesTotal(name: string): { quarterHour: string; sum: SalesSum } | undefined {
  const [, quarterHour, column] = SALES_TOTAL.exec(name) ?? []
  const sum = salesSums.find(one => one === column)
  return quarterHour === undefined || sum === undefined ? undefined : { quarterHour, sum }
}

const changeSales = sql()(`
  INSERT INTO sales_total (quarter_hour, lines, units, amount, returned_units, returned_amount)
  VALUES ($quarterHour, $lines, $units, $amount, $returnedUnits, $returnedAmount)
  ON CONFLICT (quarter_hour) DO UPDATE SET lines = sales_total.lines + excluded.lines,
    units = sales_total.units + excluded.units, amount = sales_total.amount + excluded.amount,
    returned_units = sales_total.returned_units + excluded.returned_units,
    returned_amount = sales_total.returned_amount + excluded.returned_amount`)

/** Sums up the changes of many commands, so that each total is written only once for all of them. */
export class TotalSums {
  readonly #sums = new Map<string, bigint>()

  add(changes: TotalChanges): void {
    for (const name in changes) this.#sums.set(name, (this.#sums.get(name) ?? 0n) + (changes[name] ?? 0n))
  }

  /** Returns the sums by the names of their totals, and clears them. */
  takeChanges(): [name: string, change: bigint][] {
    const sums = [...this.#sums].filter(([, change]) => change !== 0n)
    this.#sums.clear()
    return sums
  }

  /** Writes the statements that add the sums to the totals, and clears the sums. */
  writeTo(database: Pick<Tx, 'write'>): void {
    const sales = new Map<string, Record<SalesSum, bigint>>()
    for (const [name, change] of this.takeChanges()) {
      const total = readSalesTotal(name)
      if (!total) {
        database.write(changeTotal, { name, change })
        continue
      }
      const { quarterHour, sum } = total
      const sums = sales.get(quarterHour) ?? { ...noSales }
      sums[sum] = change
      sales.set(quarterHour, sums)
    }
    for (const [quarterHour, sums] of sales) database.write(changeSales, { quarterHour, ...sums })
  }

  clear(): void {
    this.#sums.clear()
  }
}

/** Returns changes as text, for the row of an event that has no position yet. */
export function changesText(changes: TotalChanges): string {
  return writeJson(changes)
}

/** Returns the changes from their text in the row of an event. */
export function readChanges(text: string): TotalChanges {
  // Safe: changesText wrote it.
  return parseJson(text) as TotalChanges
}
