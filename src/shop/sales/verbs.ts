import type { Input, Page } from '../../contract/operation.ts'
import type { Reader } from '../../database/engine.ts'
import { CURRENCY_DEFAULT } from '../../values/currency.ts'
import { storedInstant, toStoredInstant } from '../../values/instant.ts'
import { clocksIn, DAY_MS } from '../../values/time-zone.ts'
import type { QueryContext } from '../kernel/context.ts'
import type { QueriesOf } from '../kernel/handlers.ts'
import { PERIODS_MAX } from '../kernel/limits.ts'
import { compares, equals, listPage } from '../kernel/paging.ts'
import { lineColumns, lineOf, type SaleLineRow } from './lines.ts'
import type { sales } from './operations.ts'
import { rangeReversed, tooManyPeriods } from './refusals.ts'
import type { SaleLine, SalesPeriod, SalesTotals } from './schema.ts'
import { readSales } from './totals.ts'

/** Returns a page of the lines. Throws `invalid_cursor`. */
async function listSales(reader: Reader, input: Input<typeof sales.listSales>): Promise<Page<SaleLine>> {
  const { limit: _, cursor: __, sort = 'at', ...filters } = input
  const { createdAfter, createdBefore, receipt, petId } = filters
  const branch = [
    ...(receipt === undefined ? [] : [equals('receipt', receipt)]),
    // A receipt has few lines. The unary plus keeps SQLite from using an index of the pet, which has more.
    ...(petId === undefined ? [] : [equals(receipt === undefined ? 'pet_id' : '+pet_id', petId)]),
    ...(createdAfter === undefined ? [] : [compares('at', '>', toStoredInstant(createdAfter))]),
    ...(createdBefore === undefined ? [] : [compares('at', '<', toStoredInstant(createdBefore))]),
  ]
  return listPage(
    reader,
    {
      list: 'listSales',
      table: 'sale_line',
      columns: lineColumns,
      input,
      filters,
      sort: { column: 'at', descending: sort === '-at' },
      branches: [branch],
    },
    (line: SaleLineRow) => lineOf(line),
  )
}

/** The last day that a date can name. */
const LAST_DAY_MS = Date.parse('9999-12-31')

/** Returns the sums of the sales on each day or in each month of a range of days in the time zone of the store. */
async function listSalesTotals(
  reader: Reader,
  { from, to, by = 'day' }: Input<typeof sales.listSalesTotals>,
  { timeZone = 'UTC', currency = CURRENCY_DEFAULT }: QueryContext,
): Promise<SalesTotals> {
  if (to < from) throw rangeReversed()
  const days = daysOf(Date.parse(from), Date.parse(to), by)
  return { currency, timeZone, periods: await readSalesPeriods(reader, timeZone, days) }
}

/** Days that follow each other: the first and the last one, each as the milliseconds of its start in UTC. */
interface Days {
  readonly firstMs: number
  readonly lastMs: number
}

/** Returns the days or months from one day to another. Throws `invalid_parameter` if they are too many. */
function daysOf(fromMs: number, toMs: number, by: 'day' | 'month'): Days[] {
  const periods: Days[] = []
  for (let firstMs = fromMs; firstMs <= toMs; ) {
    if (periods.length === PERIODS_MAX) throw tooManyPeriods()
    const lastMs = by === 'day' ? firstMs : Math.min(lastOfMonth(firstMs), toMs)
    periods.push({ firstMs, lastMs })
    firstMs = lastMs + DAY_MS
  }
  return periods
}

function lastOfMonth(ms: number): number {
  const day = new Date(ms)
  return day.setUTCMonth(day.getUTCMonth() + 1, 0)
}

/** Returns the sums of the sales in each range of days of a zone. The ranges do not overlap. */
export async function readSalesPeriods(
  reader: Reader,
  timeZone: string,
  ranges: readonly Days[],
): Promise<SalesPeriod[]> {
  const startOf = dayStartsIn(timeZone)
  const sums = await readSales(
    reader,
    ranges.map(({ firstMs, lastMs }) => ({
      start: startOf(firstMs).slice(0, 16),
      end: startOf(lastMs + DAY_MS).slice(0, 16),
    })),
  )
  return sums.map((sold, index) => {
    const { firstMs = 0, lastMs = 0 } = ranges[index] ?? {}
    return { from: dateText(firstMs), to: dateText(lastMs), ...sold }
  })
}

/**
 * Returns a function that returns when a day begins in a zone, as a stored instant; for the day after the last one, a
 * text after every instant. The day is the milliseconds of its start in UTC.
 */
export function dayStartsIn(timeZone: string): (ms: number) => string {
  const { instantOf } = clocksIn(timeZone)
  return ms => (ms > LAST_DAY_MS ? '~' : storedInstant(instantOf(`${dateText(ms)}T00:00`)))
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export const salesQueries: QueriesOf<typeof sales> = { listSales, listSalesTotals }
