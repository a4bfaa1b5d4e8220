import type { ImportedCategory, ImportedPet } from '../shop/imports/schema.ts'
import { BARCODE, DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX, STOCK_MAX } from '../shop/kernel/limits.ts'
import { withLostZeros } from '../values/barcode.ts'
import { escapeControls } from '../values/control-characters.ts'
import { AMOUNT_MAX, type DecimalMark, decimalMarkIn, decimalText, minorUnitsIn } from '../values/currency.ts'
import { message, translated } from '../values/message.ts'
import { similarName } from '../values/similar-name.ts'
import { barcodeIn, cellValue, NUMBER_END, shownCell, unitsIn, yesOrNo } from './cell.ts'
import { columnMeantBy, isOwnName } from './column-names.ts'
import { type FileRecord, FileRecords, RECORD_CHARS_MAX } from './file-records.ts'
import {
  type CatalogueSource,
  FileLines,
  UnclearColumns,
  UnreadableFile,
  withoutLineEnd,
} from './file-text.ts'
import { tableBytes } from './workbook.ts'

/** The kind of the rows in a file. */
export type CatalogueKind = 'categories' | 'pets'

/** The text of a record, and the text before the first row, with which it is a file of its own. */
export interface RecordText {
  readonly head: string
  readonly text: string
}

/** Returns what another record needs before it: a line feed if a record was the last line of its file, without one. */
export function lineEndAfter(text: string): string {
  return /[\r\n]$/.test(text) ? '' : '\n'
}

/** One row of a file, ready to be staged, or the problem with its line. */
export type ParsedLine<Row> = { readonly source: RecordText } & (
  | { readonly row: Row }
  | { readonly line: bigint; readonly problem: string }
)

type Cells = Readonly<Record<string, string>>

/** A column of a file, and what it is read as; undefined if it is left out. */
export interface FileColumn {
  /** The written name, with a number if a column before it has the same: the key of a choice. */
  readonly key: string
  readonly written: string
  readonly column: string | undefined
}

/**
 * What a person says about columns, by their key: what each is read as, undefined to leave it out. A corrected file
 * has the same keys. Those that a file does not have are ignored.
 */
export type ColumnChoices = ReadonlyMap<string, string | undefined>

interface Layout<Row> {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Returns the rule that the value of a column breaks; undefined if it is valid. */
  readonly ruleOf: (column: string, value: string) => string | undefined
  /** Returns the row of a line. The cells are valid by `ruleOf`. */
  readonly toRow: (cells: Cells, line: bigint) => Row
  /** Reads what the layout must know of the whole file, before the first record with an unclear number. */
  readonly prepare?: () => Promise<void>
  /** Returns whether the record of a cell needs `prepare` first. */
  readonly isUnclear?: (cell: string) => boolean
  readonly chosen?: ColumnChoices | undefined
  /** Called with the columns of the file, also if it is refused because one is missing. */
  readonly onColumns?: ((columns: readonly FileColumn[]) => void) | undefined
}

const categoryLayout: Layout<ImportedCategory> = {
  required: ['name'],
  optional: ['description'],
  ruleOf: brokenRule,
  toRow: ({ name = '', description }, line) => ({ line, name, ...(description && { description }) }),
}

/** How the prices of a file are read. */
interface PriceFormat {
  readonly currency: string
  mark?: DecimalMark | undefined
}

/** Returns a barcode, with the zeros that it may have lost, if it should get them. */
function barcodeOf(
  cell: string,
  { addsZeros, onLostZeros }: Pick<PetFormat, 'addsZeros' | 'onLostZeros'>,
): string {
  const barcode = barcodeIn(cell)
  const longer = withLostZeros(barcode)
  if (longer !== undefined && addsZeros) return longer
  if (longer !== undefined) onLostZeros?.(barcode)
  return barcode
}

/** The columns of a file of pets. The first two are required, and the third if the quantity changes a stock. */
export const petColumns = ['name', 'category', 'quantity', 'hold', 'reorderAt', 'price', 'barcode'] as const

const petLayoutIn = (
  format: PriceFormat,
  { needsUnits = false, ...zeros }: PetFormat = {},
): Layout<ImportedPet> => ({
  required: petColumns.slice(0, needsUnits ? 3 : 2),
  optional: petColumns.slice(needsUnits ? 3 : 2),
  ruleOf: (column, value) =>
    column === 'price' ? brokenPriceRule(value, format) : brokenRule(column, value),
  toRow: ({ name = '', category = '', quantity, hold, reorderAt, price, barcode }, line) => ({
    line,
    name,
    category,
    quantity: quantity ? (unitsIn(quantity) ?? 0n) : 1n,
    hold: hold ? yesOrNo(hold) === true : false,
    ...(reorderAt && { reorderAt: unitsIn(reorderAt) ?? 0n }),
    ...(price && { price: minorUnitsIn(price, format.currency, format.mark) ?? 0n }),
    ...(barcode && { barcode: barcodeOf(barcode, zeros) }),
  }),
})

const COLUMNS_SHOWN = 10

/** The words for a stock in the tables of other programs, and those for something else about a stock. */
const STOCK_WORDS = (
  'stock qty quantit quantid onhand inventory units bestand menge anzahl stück stk lager qté existencias cantidad ' +
  'unidades giacenza estoque aantal voorraad antal ilość'
).split(' ')
const OTHER_WORDS = (
  'track policy min mín max low order restock alert warn melde optimal value cost price wert preis location status ' +
  'name code number nummer item date sold reserv committed incoming outof ?'
).split(' ')
/** The words that are a stock only if they are the whole name: "Available for sale" is none. */
const STOCK_NAMES = 'available count pieces pcs amount verfügbar disponible disponibile'.split(' ')

/**
 * Yields the categories in a file with the column `name` and, optionally, `description`. Throws UnreadableFile if the
 * file as a whole cannot be read. `onNotice` receives what a person should know about a file that is read.
 */
export function readCategories(
  source: CatalogueSource,
  onNotice: (notice: string) => void,
): AsyncGenerator<ParsedLine<ImportedCategory>> {
  return readRows(source, categoryLayout, onNotice)
}

interface PetFormat {
  /** The mark before the decimals of prices; by default, the prices of the file show it. */
  readonly decimalMark?: DecimalMark | undefined
  /** The file that is read again to find the mark. */
  readonly again?: CatalogueSource
  /** Called for each price that may be read in two ways. */
  readonly onUnclearPrice?: () => void
  /** Whether each pet must have a quantity, because it changes the stock of those that exist. */
  readonly needsUnits?: boolean
  /** Whether barcodes get the zeros that a spreadsheet seems to have removed. */
  readonly addsZeros?: boolean | undefined
  /** Called for each barcode that seems to lack zeros. */
  readonly onLostZeros?: (barcode: string) => void
  readonly chosen?: ColumnChoices | undefined
  readonly onColumns?: Layout<ImportedPet>['onColumns']
}

/**
 * Like `readCategories`, for pets: the columns name, category (by name) and, optionally, quantity (default 1), hold
 * (yes, no or empty), reorderAt (a quantity or empty), price (an amount of `currency`, or empty) and barcode.
 */
export function readPets(
  source: CatalogueSource,
  onNotice: (notice: string) => void,
  currency: string,
  pets: PetFormat = {},
): AsyncGenerator<ParsedLine<ImportedPet>> {
  const { decimalMark, again = source, onUnclearPrice, needsUnits = false, chosen, onColumns } = pets
  const format: PriceFormat = { currency, mark: decimalMark }
  const layout = petLayoutIn(format, pets)
  let isNoted = false
  const isUnclear = (cell: string): boolean =>
    THREE_DIGITS.test(cell) && decimalMarkIn(priceValue(cell), currency) === 'unclear'
  const ruleOf = (column: string, value: string): string | undefined => {
    const isMissing = needsUnits && column === 'quantity' && value === ''
    const rule = isMissing
      ? message`must be given, because it changes the stock`
      : layout.ruleOf(column, value)
    if (rule === UNCLEAR_PRICE) onUnclearPrice?.()
    else if (!isNoted && column === 'price' && format.mark && isUnclear(value)) {
      isNoted = true
      const amount = minorUnitsIn(value, currency, format.mark)
      const example =
        amount === undefined ? '' : message`: ${shownCell(value)} is ${decimalText(amount, currency)}`
      const name = escapeControls(source.name)
      onNotice(message`${name}: in prices, “${format.mark}” is before decimals${example}`)
    }
    return rule
  }
  const prepare = async (): Promise<void> => {
    format.mark ??= await decimalMarkOf(again, currency, { chosen, onColumns })
  }
  return readRows(source, { ...layout, ruleOf, prepare, isUnclear, chosen, onColumns }, onNotice)
}

/** A quick look at each cell, before the reading of an amount. */
const THREE_DIGITS = /[.,]\d{3}(?!\d)/

/** A number with decimals as the reader of workbooks writes it. */
const WORKBOOK_NUMBER = /^-?\d+\.\d+\u2060$/

/** Returns the value of a cell with a price: a number of a workbook keeps its sign. */
function priceValue(cell: string): string {
  return WORKBOOK_NUMBER.test(cell) ? cell : cellValue(cell)
}

/** Returns the mark before decimals that the prices of a file show; undefined if they show none, or both. */
async function decimalMarkOf(
  source: CatalogueSource,
  currency: string,
  columns: Pick<Layout<ImportedPet>, 'chosen' | 'onColumns'>,
): Promise<DecimalMark | undefined> {
  const marks = new Set<DecimalMark>()
  const ruleOf = (column: string, value: string): undefined => {
    const mark = column === 'price' ? decimalMarkIn(value, currency) : undefined
    if (mark !== undefined && mark !== 'unclear') marks.add(mark)
  }
  const layout = { ...petLayoutIn({ currency }), ruleOf, ...columns }
  const rows = readRows(source, layout, () => {})
  while (!(await rows.next()).done);
  const [mark, other] = marks
  return other === undefined ? mark : undefined
}

async function* readRows<Row>(
  source: CatalogueSource,
  layout: Layout<Row>,
  onNotice: (notice: string) => void,
): AsyncGenerator<ParsedLine<Row>> {
  const name = escapeControls(source.name)
  const lines = new FileLines(source.name, 'table', RECORD_CHARS_MAX)
  const known = [...layout.required, ...layout.optional]
  const records = new FileRecords(source.name, {
    meantBy: cell => columnMeantBy(cell, known),
    isOwnName: cell => known.some(column => isOwnName(cell, column)),
    required: layout.required,
  })
  let columns: readonly (string | undefined)[] | undefined
  let head = ''
  let rows = 0
  const entriesOf = function* (found: readonly FileRecord[]): Generator<ParsedLine<Row>> {
    for (const record of found) {
      if (columns === undefined) {
        const count = records.skippedLines
        if (count === 1) onNotice(message`${name}: above the names of the columns, ${count} line is left out`)
        if (count > 1) onNotice(message`${name}: above the names of the columns, ${count} lines are left out`)
        columns = columnsOf(`${name}:${record.line}`, record, layout, onNotice)
        head = lines.mark + records.separatorLine + record.text
        continue
      }
      rows++
      const result = entryOf(record, columns, records.delimiter ?? ',', layout)
      yield { source: { head, text: record.text }, ...result }
    }
  }
  const { isUnclear = () => false } = layout
  let isPrepared = false
  const prepareFor = async (found: readonly FileRecord[]): Promise<readonly FileRecord[]> => {
    if (!isPrepared && found.some(({ cells }) => cells.some(isUnclear))) {
      isPrepared = true
      await layout.prepare?.()
    }
    return found
  }
  for await (const chunk of tableBytes(source, onNotice))
    yield* entriesOf(await prepareFor(records.push(lines.push(chunk))))
  yield* entriesOf(await prepareFor(records.end(lines.end())))
  if (columns === undefined) {
    throw new UnreadableFile(`${name} is empty: its first line must name the columns.`)
  }
  if (rows === 0) onNotice(`${name} has no rows: it has only the line that names the columns.`)
}

/**
 * Returns the name of each column, whatever its case and its blanks in the file; undefined for a column that is
 * ignored. Throws UnreadableFile, with `place` (the file and the line) in its message.
 */
function columnsOf<Row>(
  place: string,
  { cells }: FileRecord,
  { required, optional, chosen: choices, onColumns }: Layout<Row>,
  onNotice: (notice: string) => void,
): readonly (string | undefined)[] {
  const width = cells.findLastIndex(cell => cellValue(cell) !== '') + 1
  const written = cells.slice(0, width).map(cellValue)
  const known = [...required, ...optional]
  const keys = columnKeys(written)
  const chosen = new Map(
    keys.flatMap((key, index) => (choices?.has(key) ? [[index, choices.get(key)] as const] : [])),
  )
  const names = columnNames(written, known, chosen)
  const readAs = (index: number): string | undefined => known.find(column => column === names[index])
  onColumns?.(
    written.map((name, index) => ({ key: keys[index] ?? '', written: name, column: readAs(index) })),
  )
  const Refusal = onColumns ? UnclearColumns : UnreadableFile
  const others = written.filter((_, index) => !chosen.has(index) && !known.includes(names[index] ?? ''))
  const rule = message`the columns are ${known.map(translated).join(', ')}`
  const missing = required.find(name => !names.includes(name))
  if (missing !== undefined) {
    const similar = similarName(missing, others.filter(Boolean))
    const hint =
      similar === undefined ? '' : message`. Did you mean "${translated(missing)}" by ${shownCell(similar)}?`
    throw new Refusal(message`${place}: the column "${translated(missing)}" is missing; ${rule}${hint}`)
  }
  if (!known.includes('category') && names.includes('category'))
    throw new Refusal(
      message`${place}: the column "category" is that of a file of pets, not of categories; ${rule}`,
    )
  const repeated = names.findIndex((name, index) => known.includes(name) && names.indexOf(name) !== index)
  if (repeated >= 0) throw new Refusal(`${place}: ${repeatedColumn(written, names, repeated)}`)
  const stock = known.includes('quantity') && !names.includes('quantity') && others.find(isLikeStock)
  if (stock)
    throw new Refusal(
      [
        message`${place}: the column "quantity" is missing; ${rule}.`,
        message`Did you mean "quantity" by ${shownCell(stock)}? Name that column quantity.`,
        message`If it is no stock, add an empty column quantity, which means 1 of each`,
      ].join(' '),
    )
  const renamed = written.flatMap((name, index) => {
    const column = names[index] ?? ''
    return known.includes(column) && !isOwnName(name, column)
      ? [{ written: shownCell(name), column: translated(column) }]
      : []
  })
  if (renamed.length > 0) onNotice(`${place}: ${renamedColumns(renamed)}`)
  if (others.length > 0) {
    const unused = known.filter(name => !names.includes(name))
    onNotice(`${place}: ${ignoredColumns(others, unused)}; ${rule}`)
  }
  return names.map((_, index) => readAs(index))
}

/** Returns the names of columns, each with a number if it is not the first of its name. */
function columnKeys(written: readonly string[]): string[] {
  return written.map((name, index) => {
    const before = written.slice(0, index).filter(one => one === name).length
    return before === 0 ? name : `${name}\n${before}`
  })
}

/**
 * Returns what the names of columns mean. What a person chose comes first. A column that is called otherwise is used
 * only if no column has its own name.
 */
function columnNames(
  written: readonly string[],
  known: readonly string[],
  chosen: ReadonlyMap<number, string | undefined>,
): string[] {
  const taken = [...chosen.values()]
  const free = known.filter(column => !taken.includes(column))
  const own = free.filter(column =>
    written.some((name, index) => !chosen.has(index) && isOwnName(name, column)),
  )
  const open = free.filter(column => !own.includes(column))
  return written.map((name, index) => {
    if (chosen.has(index)) return chosen.get(index) ?? ''
    const column = own.find(one => isOwnName(name, one)) ?? columnMeantBy(name, open)
    const other = name.toLowerCase()
    return column ?? (taken.includes(other) ? '' : other)
  })
}

/** Returns what is wrong with a column that has the same meaning as one before it. */
function repeatedColumn(written: readonly string[], names: readonly string[], index: number): string {
  const column = names[index] ?? ''
  const [first, second] = [written[names.indexOf(column)] ?? '', written[index] ?? '']
  if (isOwnName(second, column)) return message`the column ${shownCell(second)} appears twice`
  const both = [shownCell(first), shownCell(second), translated(column)] as const
  return message`the columns ${both[0]} and ${both[1]} are both read as ${both[2]}: name one of them so`
}

function renamedColumns([first, ...more]: readonly {
  readonly written: string
  readonly column: string
}[]): string {
  const others = more.map(({ written, column }) => message`${written} as ${column}`)
  return listText([message`${first?.written ?? ''} is read as ${first?.column ?? ''}`, ...others])
}

function listText(items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : message`${items.slice(0, -1).join(', ')} and ${last}`
}

function ignoredColumns(names: readonly string[], unused: readonly string[]): string {
  const shown = names.slice(0, COLUMNS_SHOWN).map(name => {
    if (name === '') return message`"" (without a name)`
    const similar = similarName(name, unused)
    return shownCell(name) + (similar === undefined ? '' : message` (did you mean ${translated(similar)}?)`)
  })
  const more = names.length > COLUMNS_SHOWN ? [message`${names.length - COLUMNS_SHOWN} more`] : []
  const all = [...shown, ...more]
  return names.length === 1
    ? message`the column ${listText(all)} is ignored`
    : message`the columns ${listText(all)} are ignored`
}

/** Returns whether a column seems to have stock: ignored, it would make each pet one of one. */
function isLikeStock(name: string): boolean {
  const plain = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
  const hasOneOf = (words: readonly string[]): boolean => words.some(word => plain.includes(word))
  if (hasOneOf(OTHER_WORDS)) return false
  // "Available [Shop]" has the name of a place.
  if (STOCK_NAMES.includes(plain.split(/[[(]/, 1)[0] ?? '')) return true
  return hasOneOf(STOCK_WORDS) || similarName(name, ['quantity']) !== undefined
}

function entryOf<Row>(
  record: FileRecord,
  columns: readonly (string | undefined)[],
  delimiter: string,
  layout: Layout<Row>,
): { row: Row } | { line: bigint; problem: string } {
  const line = BigInt(record.line)
  const values = record.cells.map((cell, index) =>
    columns[index] === 'price' ? priceValue(cell) : cellValue(cell),
  )
  const problem =
    record.problem ??
    problemOfWidth(values, columns, layout.required) ??
    problemOfLines(record, columns, delimiter) ??
    problemOfCells(values, columns, layout)
  if (problem !== undefined) return { line, problem }
  const named = columns.flatMap((name, index) => (name === undefined ? [] : [[name, values[index] ?? '']]))
  return { row: layout.toRow(Object.fromEntries(named), line) }
}

/**
 * Returns the problem of a row with a value beyond the last column, or without a required cell. Optional cells at its
 * end may be missing: Excel leaves out the delimiters of columns that are empty in many rows.
 */
function problemOfWidth(
  values: readonly string[],
  columns: readonly (string | undefined)[],
  required: readonly string[],
): string | undefined {
  const width = values.findLastIndex(value => value !== '') + 1
  const isShort = required.some(name => columns.indexOf(name) >= values.length)
  if (width <= columns.length && !isShort) return undefined
  const count = isShort ? values.length : width
  return count === 1
    ? message`has ${count} cell, but the first line names ${columns.length} columns`
    : message`has ${count} cells, but the first line names ${columns.length} columns`
}

/**
 * Returns the problem of a row of several lines that each look like a row, as after a quote that is part of a name. A
 * delimiter before a blank is a part of a text, and so is a doubled quote: only a program doubles quotes.
 */
function problemOfLines(
  { text, cells }: FileRecord,
  columns: readonly (string | undefined)[],
  delimiter: string,
): string | undefined {
  if (!/[\r\n]./.test(text) || text.includes('""')) return undefined
  const lines = withoutLineEnd(text).split(/\r\n?|\n/)
  const isText = cells.some((cell, index) => columns[index] === 'description' && /[\r\n]/.test(cell))
  const cellsOf = (line: string): string[] => line.replaceAll(`${delimiter} `, '').split(delimiter)
  if (isText || lines.some(line => cellsOf(line).length !== columns.length)) return undefined
  const advice = message`write two quotes for a quote in a name, in a cell in quotes`
  return message`is one row of ${lines.length} lines, and each looks like a row of its own: ${advice}`
}

function problemOfCells<Row>(
  values: readonly string[],
  columns: readonly (string | undefined)[],
  { required, optional, ruleOf }: Layout<Row>,
): string | undefined {
  for (const name of [...required, ...optional]) {
    const value = values[columns.indexOf(name)] ?? ''
    const rule = SPREADSHEET_ERROR.test(value) ? AN_ERROR : ruleOf(name, value)
    const shown =
      value === '' ? translated(name) : `${translated(name)} ${shownCell(value.replace(NUMBER_END, ''))}`
    if (rule !== undefined) return `${shown} ${rule}`
  }
  return undefined
}

/** What a spreadsheet writes for a formula without a value, such as `#N/A`, `#DIV/0!`, `#BEZUG!` or `#¿NOMBRE?`. */
const SPREADSHEET_ERROR = /^#(?:N\/A|NV|N\/D|DIV\/0!|[¡¿]?\p{Lu}+[!?])$/u
const AN_ERROR = message`is an error of the spreadsheet: correct it there`

const UNCLEAR_PRICE = message`may be read in two ways: say which mark is before decimals`

function brokenPriceRule(value: string, { currency, mark }: PriceFormat): string | undefined {
  const price = value === '' ? 0n : minorUnitsIn(value, currency, mark)
  // With three decimals, 1,250 is an amount of the currency, and may mean 1250 all the same.
  if (mark === undefined && decimalMarkIn(value, currency) === 'unclear') return UNCLEAR_PRICE
  if (price !== undefined && price <= AMOUNT_MAX) return undefined
  const example = decimalText(1250n, currency)
  return message`must be an amount of ${currency} such as ${example}, without separators between thousands`
}

function brokenRule(column: string, value: string): string | undefined {
  if (column === 'quantity' || column === 'reorderAt') {
    if (value === '' || unitsIn(value) !== undefined) return undefined
    return /^\d{1,3}[.,]\d{3}$/.test(value)
      ? message`may be read in two ways: write it without a separator`
      : message`must be an integer from 0 to ${STOCK_MAX}`
  }
  if (column === 'hold') {
    return value === '' || yesOrNo(value) !== undefined ? undefined : message`must be yes, no or empty`
  }
  if (column === 'barcode') {
    if (/^\d[.,]?\d*E\+\d\d$/i.test(value))
      return message`has lost digits in a spreadsheet: format its column as text`
    return value === '' || BARCODE.test(value)
      ? undefined
      : message`must have 1 to 64 printable ASCII characters`
  }
  const [min, max] = column === 'description' ? [0, DESCRIPTION_CHARS_MAX] : [1, NAME_CHARS_MAX]
  const { length } = [...value]
  if (value.includes('\0')) return message`must not contain the character ${'U+0000'}`
  if (length >= min && length <= max) return undefined
  if (length === 0) return message`is empty`
  return min === 0
    ? message`must have at most ${max} characters`
    : message`must have ${min} to ${max} characters`
}
