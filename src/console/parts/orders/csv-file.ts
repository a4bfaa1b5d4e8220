import { escapedFormula } from '../../../catalogue/cell.ts'
import { csvLine, excelText } from '../../../values/csv.ts'
import { decimalSignOf, plainAmount } from '../../data/shop-currency.ts'
import { localTime } from '../../data/shop-zone.ts'
import { computerLocale } from '../../words/language.ts'
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
 * Returns rows as CSV, with local times. The file for Excel begins with a byte order mark, has the delimiter and the
 * decimal sign that Excel expects, and no text in it becomes a formula, a number or a date.
 */
export function csvFile<Row>(
  head: readonly PlainSentence[],
  rows: readonly Row[],
  cellsOf: (row: Row, write: CellWriter) => CsvCells,
  isForExcel: boolean,
): string {
  const decimalSign = isForExcel ? decimalSignOf(computerLocale) : '.'
  const write: CellWriter = {
    text: text => (isForExcel && text !== undefined ? excelText(escapedFormula(text)) : text),
    time: instant => instant && localTime(Date.parse(instant)).replace('T', ' '),
    money: amount => (amount === undefined ? undefined : plainAmount(amount).replace('.', decimalSign)),
  }
  const delimiter = isForExcel ? excelDelimiter(decimalSign) : ','
  const lines = [head.map(name => t(name)), ...rows.map(row => cellsOf(row, write))].map(cells =>
    csvLine(cells, delimiter),
  )
  return (isForExcel ? '\ufeff' : '') + lines.join('')
}

/**
 * Returns the delimiter that Excel expects: a semicolon where the decimal sign is a comma, and in Switzerland and
 * Liechtenstein, where it may be a point.
 */
function excelDelimiter(decimalSign: ',' | '.'): ',' | ';' {
  return decimalSign === ',' || /-(CH|LI)$/i.test(computerLocale) ? ';' : ','
}
