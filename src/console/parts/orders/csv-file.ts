import { escapedFormula } from '../../../catalogue/cell.ts'
import { csvLine, excelText } from '../../../values/csv.ts'
import { amountText, decimalSign, plainAmount } from '../../data/shop-currency.ts'
import { localTime } from '../../data/shop-zone.ts'
import { type PlainSentence, t } from '../../words/sentences.tsx'

/** Writes the values of cells for one kind of file. */
export interface CellWriter {
  readonly text: (text: string | undefined) => string | undefined
  /** The local time of an instant. */
  readonly time: (instant: string | undefined) => string | undefined
  /** An amount in minor units. */
  readonly money: (amount: bigint | undefined) => string | undefined
}

export type CsvCells = readonly (string | bigint | boolean | undefined)[]

/**
 * Returns rows as CSV, with local times. The file for Excel begins with a byte order mark, has the delimiter that Excel
 * expects, and no text in it becomes a formula, a number or a date.
 */
export function csvFile<Row>(
  head: readonly PlainSentence[],
  rows: readonly Row[],
  cellsOf: (row: Row, write: CellWriter) => CsvCells,
  isForExcel: boolean,
): string {
  const write: CellWriter = {
    text: text => (isForExcel && text !== undefined ? excelText(escapedFormula(text)) : text),
    time: instant => instant && localTime(Date.parse(instant)).replace('T', ' '),
    // Excel reads a number only with the decimal sign of its reader, which is that of this browser.
    money: amount =>
      amount === undefined ? undefined : isForExcel ? amountText(amount) : plainAmount(amount),
  }
  const delimiter = isForExcel ? excelDelimiter() : ','
  const lines = [head.map(name => t(name)), ...rows.map(row => cellsOf(row, write))].map(cells =>
    csvLine(cells, delimiter),
  )
  return (isForExcel ? '\ufeff' : '') + lines.join('')
}

/** Returns the delimiter that Excel expects: a semicolon where the decimal sign is a comma. */
function excelDelimiter(): ',' | ';' {
  return decimalSign === ',' ? ';' : ','
}
