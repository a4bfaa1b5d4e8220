import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { z } from 'zod'
import { hasCode } from '../engine/system-error.ts'
import { ImportedCategory, ImportedPet } from '../model/import.ts'
import { parseInt64 } from '../model/int64.ts'
import { CommandFailed, escapeControls, fileName, reasonOf } from './terminal.ts'

/** The maximum length of a record and of a line, so that no file makes this process use all memory. */
const RECORD_CHARS_MAX = 65_536
/** The maximum number of characters of a cell in a message. */
const CELL_CHARS_SHOWN = 100

/** The delimiters that a file may have. If several fit the header equally well, the first of them is used. */
const DELIMITERS = [',', ';', '\t', '|'] as const
/**
 * The line ends that a file may have, even mixed. Without this list, the parser accepts only the first one that it
 * finds, and the others become part of a cell.
 */
const LINE_ENDS = ['\r\n', '\n', '\r']
const LINE_END = /[\r\n]/

/** Where a record and the header are in a file, in bytes. The header is at the start of the file. */
export interface RecordSpan {
  readonly headerTo: number
  readonly from: number
  readonly to: number
}

/** One row of a file, ready to be staged, or the problem with its line. */
export type ParsedLine<Row> =
  | { readonly span: RecordSpan; readonly row: Row }
  | { readonly span: RecordSpan; readonly line: bigint; readonly problem: string }

interface Layout<Row> {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly toRow: (cells: Readonly<Record<string, string>>, line: bigint) => unknown
  readonly schema: z.ZodType<Row>
}

const categoryLayout: Layout<ImportedCategory> = {
  required: ['name'],
  optional: ['description'],
  toRow: ({ name, description }, line) => ({ line, name, ...(description && { description }) }),
  schema: ImportedCategory,
}

const petLayout: Layout<ImportedPet> = {
  required: ['name', 'category'],
  optional: ['quantity', 'hold'],
  toRow: ({ name, category, quantity, hold }, line) => ({
    line,
    name,
    category,
    quantity: quantity ? parseInt64(quantity) : 1n,
    hold: hold === 'yes' ? true : hold === 'no' || !hold ? false : undefined,
  }),
  schema: ImportedPet,
}

/**
 * Yields the categories in a CSV file (RFC 4180, with any of DELIMITERS). Its columns are `name` and, optionally,
 * `description`.
 */
export function readCategories(
  file: string,
  onBytes: (count: number) => void,
): AsyncGenerator<ParsedLine<ImportedCategory>> {
  return readRows(file, categoryLayout, onBytes)
}

/**
 * Yields the pets in a CSV file with the columns name, category (by name) and, optionally, quantity (default 1) and
 * hold (yes, no or empty).
 */
export function readPets(
  file: string,
  onBytes: (count: number) => void,
): AsyncGenerator<ParsedLine<ImportedPet>> {
  return readRows(file, petLayout, onBytes)
}

/** Returns the size of a file in bytes. Throws CommandFailed if it is not a readable regular file. */
export async function fileBytes(file: string): Promise<number> {
  try {
    const stats = await stat(file)
    if (stats.isFile()) return stats.size
  } catch (error) {
    const isMissing = hasCode(error, 'ENOENT')
    throw new CommandFailed(
      `${escapeControls(file)} ${isMissing ? 'does not exist' : `cannot be read: ${reasonOf(error)}`}.`,
    )
  }
  throw new CommandFailed(
    `${escapeControls(file)} is not a regular file: a directory or a device cannot be imported.`,
  )
}

/** A record of a file, the number of its first line, and its place in bytes. */
interface CsvRecord {
  readonly line: bigint
  readonly cells: readonly string[]
  readonly from: number
  readonly to: number
}

async function* readRows<Row>(
  file: string,
  layout: Layout<Row>,
  onBytes: (count: number) => void,
): AsyncGenerator<ParsedLine<Row>> {
  const before = await stat(file)
  let header: { readonly names: string[]; readonly to: number } | undefined
  for await (const { line, cells, from, to } of readRecords(file, layout, onBytes)) {
    if (header === undefined) header = { names: checkHeader(`${fileName(file)}:${line}`, cells, layout), to }
    else yield { span: { headerTo: header.to, from, to }, ...entryOf(header.names, cells, line, layout) }
  }
  if (header === undefined)
    throw new CommandFailed(`${fileName(file)} is empty: its first line must name the columns.`)
  const after = await stat(file).catch(() => undefined)
  if (after?.size !== before.size || after.mtimeMs !== before.mtimeMs)
    throw new CommandFailed(
      `${fileName(file)} changed while it was read: import it again once it is complete.`,
    )
}

async function* readRecords<Row>(
  file: string,
  { required, optional }: Layout<Row>,
  onBytes: (count: number) => void,
): AsyncGenerator<CsvRecord> {
  const text = utf8Text(file, onBytes)
  const start = await textToFirstLine(text)
  // If the parser fails, records in its buffer are lost, so the end of the last record is noted here. Empty lines are
  // dropped here too, because a million empty records would otherwise wait in memory.
  let lastEnd = { lines: 0, bytes: 0 }
  // The parser counts a CRLF in a cell as two lines.
  let countedTwice = 0
  const parser = parse({
    bom: true,
    recordDelimiter: LINE_ENDS,
    relaxColumnCount: true,
    maxRecordSize: RECORD_CHARS_MAX,
    delimiter: delimiterOf(start, [...required, ...optional]),
    onRecord: (cells: string[], { lines, bytes }) => {
      const record = [String(lastEnd.lines + 1), String(lastEnd.bytes), String(bytes), ...cells]
      countedTwice += count(cells, '\r\n')
      lastEnd = { lines: lines - countedTwice, bytes }
      return cells.length === 1 && cells[0] === '' ? null : record
    },
  })
  Readable.from(prepended(start, text))
    .on('error', error => parser.destroy(error))
    .pipe(parser)
  try {
    const records: AsyncIterable<string[]> = parser
    for await (const [line = '', from, to, ...cells] of records)
      yield { line: BigInt(line), from: Number(from), to: Number(to), cells }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(file, error, lastEnd.lines + 1) : error
  }
}

/** Returns how often a text occurs in all cells together. */
function count(cells: readonly string[], text: string): number {
  return cells.reduce((sum, cell) => sum + (cell.includes(text) ? cell.split(text).length - 1 : 0), 0)
}

/** Reads up to the end of the first line that is not empty, but stops after the length that a line may have. */
async function textToFirstLine(text: AsyncGenerator<string>): Promise<string> {
  let start = ''
  while (start.length <= RECORD_CHARS_MAX && !LINE_END.test(withoutEmptyLines(start))) {
    const { done, value } = await text.next()
    if (done) break
    start += value
  }
  return start
}

/** Returns a text without a byte order mark and empty lines at its start. */
function withoutEmptyLines(start: string): string {
  return start.replace(/^\ufeff?[\r\n]*/, '')
}

/** Returns the delimiter with which the first line has the most known columns; a comma if it has none. */
function delimiterOf(start: string, known: readonly string[]): string {
  const [header = ''] = withoutEmptyLines(start).split(LINE_END, 1)
  const cells = (delimiter: string): string[] =>
    header.split(delimiter).map(cell => cell.replaceAll('"', '').trim().toLowerCase())
  const counts = DELIMITERS.map(delimiter => cells(delimiter).filter(cell => known.includes(cell)).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

async function* prepended(start: string, text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start
  yield* text
}

function unreadable(file: string, { code, message }: CsvError, line: number): CommandFailed {
  const reason =
    code === 'CSV_MAX_RECORD_SIZE'
      ? `the record that starts here has more than ${RECORD_CHARS_MAX} characters: is a quote not closed?`
      : `${escapeControls(message)}.`
  return new CommandFailed(`${fileName(file)}:${line}: ${reason}`)
}

/** Counts lines, and refuses a line that is too long. The parser alone would accept a long line of empty cells. */
class LineGuard {
  readonly #file: string
  #line = 1
  #chars = 0
  /** Whether the last text ended with a carriage return, so that a newline at the start of the next is part of it. */
  #endedWithReturn = false

  constructor(file: string) {
    this.#file = file
  }

  check(text: string): void {
    if (text === '') return
    const lineEnds = /\r\n?|\n/g
    let from = this.#endedWithReturn && text.startsWith('\n') ? 1 : 0
    this.#endedWithReturn = text.endsWith('\r')
    for (;;) {
      lineEnds.lastIndex = from
      const lineEnd = lineEnds.exec(text)
      this.#chars += (lineEnd?.index ?? text.length) - from
      if (this.#chars > RECORD_CHARS_MAX) {
        throw new CommandFailed(
          `${fileName(this.#file)}:${this.#line}: the line has more than ${RECORD_CHARS_MAX} characters`,
        )
      }
      if (!lineEnd) return
      this.#line++
      this.#chars = 0
      from = lineEnds.lastIndex
    }
  }
}

async function* utf8Text(file: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const guard = new LineGuard(file)
  try {
    for await (const chunk of Bun.file(file).stream()) {
      onBytes(chunk.length)
      const text = decoder.decode(chunk, { stream: true })
      guard.check(text)
      yield text
    }
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError)
      throw new CommandFailed(`${fileName(file)} is not in UTF-8: save it as UTF-8 and try again.`)
    throw error
  }
}

/** Returns the names of the columns. Throws CommandFailed, with `place` (the file and the line) in its message. */
function checkHeader<Row>(
  place: string,
  header: readonly string[],
  { required, optional }: Layout<Row>,
): string[] {
  const written = header.map(name => name.trim())
  // A spreadsheet often capitalizes its header.
  const names = written.map(name => name.toLowerCase())
  const fail = (message: string): never => {
    throw new CommandFailed(`${place}: ${message}`)
  }
  const columns = [...required, ...optional]
  const known = `the columns are ${columns.join(', ')}`
  for (const name of required) {
    if (!names.includes(name)) fail(`the column "${name}" is missing; ${known}`)
  }
  for (const [index, name] of names.entries()) {
    if (!columns.includes(name)) fail(`there is no column ${shown(written[index] ?? name)}; ${known}`)
    if (names.indexOf(name) !== index) fail(`the column ${shown(written[index] ?? name)} appears twice`)
  }
  return names
}

function entryOf<Row>(
  header: readonly string[],
  record: readonly string[],
  line: bigint,
  layout: Layout<Row>,
): { row: Row } | { line: bigint; problem: string } {
  if (record.length !== header.length) {
    return { line, problem: `has ${record.length} cells, but the first line names ${header.length} columns` }
  }
  const cells = Object.fromEntries(header.map((name, index) => [name, record[index] ?? '']))
  const result = layout.schema.safeParse(layout.toRow(cells, line))
  if (result.success) return { row: result.data }
  const [issue] = result.error.issues
  const column = String(issue?.path[0] ?? '')
  return {
    line,
    problem: `${column} ${shown(cells[column] ?? '')} ${rules[column] ?? 'is not valid'}`,
  }
}

/** Returns a cell for a message: quoted, on one line, and truncated if it is long. */
function shown(cell: string): string {
  const start = cell.slice(0, CELL_CHARS_SHOWN)
  return (
    escapeControls(JSON.stringify(start)) +
    (start === cell ? '' : ` (the first ${CELL_CHARS_SHOWN} characters)`)
  )
}

const rules: Readonly<Record<string, string>> = {
  name: 'must have 1 to 200 characters',
  category: 'must have 1 to 200 characters',
  description: 'must have at most 2000 characters',
  quantity: 'must be an integer from 0 to 1000000000',
  hold: 'must be yes, no or empty',
}
