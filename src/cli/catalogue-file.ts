import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { z } from 'zod'
import { ImportedCategory, ImportedPet } from '../model/import.ts'
import { parseInt64 } from '../model/int64.ts'
import { CommandFailed, escapeControls } from './terminal.ts'

/** The maximum length of a record and of a line, so that no file makes this process use all memory. */
const RECORD_CHARS_MAX = 65_536
/** The maximum number of characters of a cell in a message. */
const CELL_CHARS_SHOWN = 100

/** One row of a file, ready to be staged, or the problem with its line. */
export type ParsedLine<Row> = { readonly row: Row } | { readonly line: bigint; readonly problem: string }

interface Layout<Row> {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly row: (cells: Readonly<Record<string, string>>, line: bigint) => unknown
  readonly schema: z.ZodType<Row>
}

const categoryLayout: Layout<ImportedCategory> = {
  required: ['name'],
  optional: ['description'],
  row: ({ name, description }, line) => ({ line, name, ...(description && { description }) }),
  schema: ImportedCategory,
}

const petLayout: Layout<ImportedPet> = {
  required: ['name', 'category'],
  optional: ['quantity', 'hold'],
  row: ({ name, category, quantity, hold }, line) => ({
    line,
    name,
    category,
    quantity: quantity ? parseInt64(quantity) : 1n,
    hold: hold === 'yes' ? true : hold === 'no' || !hold ? false : undefined,
  }),
  schema: ImportedPet,
}

/** Yields the categories in a CSV file (RFC 4180) with the column name and, optionally, description. */
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
  } catch {
    throw new CommandFailed(`${file} cannot be read.`)
  }
  throw new CommandFailed(`${file} is not a regular file: a directory or a device cannot be imported.`)
}

async function* readRows<Row>(
  file: string,
  layout: Layout<Row>,
  onBytes: (count: number) => void,
): AsyncGenerator<ParsedLine<Row>> {
  let ended = 0
  const parser = parse({
    bom: true,
    relaxColumnCount: true,
    maxRecordSize: RECORD_CHARS_MAX,
    // If the parser fails, records in its buffer are lost, so the number of the last line is noted here. Empty lines
    // are also dropped here: later, a million empty records would wait in memory.
    onRecord: (cells, { lines }) => {
      const line = ended + 1
      ended = lines
      return cells.length === 1 && cells[0] === '' ? null : [String(line), ...cells]
    },
  })
  Readable.from(utf8Text(file, onBytes))
    .on('error', error => parser.destroy(error))
    .pipe(parser)
  let header: string[] | undefined
  try {
    const records: AsyncIterable<string[]> = parser
    for await (const [line = '0', ...cells] of records) {
      if (header === undefined) header = checkHeader(file, cells, layout)
      else yield entryOf(header, cells, BigInt(line), layout)
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(file, error, ended + 1) : error
  }
  if (header === undefined)
    throw new CommandFailed(`${basename(file)} is empty: its first line must name the columns.`)
}

function unreadable(file: string, { code, message }: CsvError, line: number): CommandFailed {
  const reason =
    code === 'CSV_MAX_RECORD_SIZE'
      ? `the record that starts here has more than ${RECORD_CHARS_MAX} characters: is a quote not closed?`
      : `${escapeControls(message)}.`
  return new CommandFailed(`${basename(file)}:${line}: ${reason}`)
}

/** Counts lines and refuses a line that is too long. The parser accepts a long line if its cells are empty. */
class LineGuard {
  readonly #file: string
  #newline: string | undefined
  #line = 1
  #chars = 0

  constructor(file: string) {
    this.#file = file
  }

  pass(text: string): void {
    this.#newline ??= /\r(?=[^\n])|\n/.exec(text)?.[0]
    for (let from = 0; ; ) {
      const lineEnd = this.#newline === undefined ? -1 : text.indexOf(this.#newline, from)
      this.#chars += (lineEnd < 0 ? text.length : lineEnd) - from
      if (this.#chars > RECORD_CHARS_MAX) {
        throw new CommandFailed(
          `${basename(this.#file)}:${this.#line}: the line has more than ${RECORD_CHARS_MAX} characters`,
        )
      }
      if (lineEnd < 0) return
      this.#line++
      this.#chars = 0
      from = lineEnd + 1
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
      guard.pass(text)
      yield text
    }
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError)
      throw new CommandFailed(`${basename(file)} is not in UTF-8: save it as UTF-8 and try again.`)
    throw error
  }
}

function checkHeader<Row>(
  file: string,
  header: readonly string[],
  { required, optional }: Layout<Row>,
): string[] {
  const written = header.map(name => name.trim())
  // A spreadsheet often capitalizes its header.
  const names = written.map(name => name.toLowerCase())
  const fail = (message: string): never => {
    throw new CommandFailed(`${basename(file)}:1: ${message}`)
  }
  const delimiter = otherDelimiter(names, [...required, ...optional])
  if (delimiter !== undefined) fail(`the delimiter is ${shown(delimiter)}: separate the columns with commas`)
  for (const name of required) if (!names.includes(name)) fail(`the column "${name}" is missing`)
  for (const [index, name] of names.entries()) {
    if (![...required, ...optional].includes(name)) {
      fail(
        `there is no column ${shown(written[index] ?? name)}; the columns are ${[...required, ...optional].join(', ')}`,
      )
    }
    if (names.indexOf(name) !== index) fail(`the column ${shown(written[index] ?? name)} appears twice`)
  }
  return names
}

/** Returns the delimiter of a header that would have known columns with it; undefined if that is not so. */
function otherDelimiter(names: readonly string[], known: readonly string[]): string | undefined {
  const [only = '', ...others] = names
  if (others.length > 0) return undefined
  return [';', '\t', '|'].find(delimiter => {
    const parts = only.split(delimiter).map(part => part.trim())
    return parts.length > 1 && parts.some(part => known.includes(part))
  })
}

function entryOf<Row>(
  header: readonly string[],
  record: readonly string[],
  line: bigint,
  layout: Layout<Row>,
): ParsedLine<Row> {
  if (record.length !== header.length) {
    return { line, problem: `has ${record.length} cells, but the first line names ${header.length} columns` }
  }
  const cells = Object.fromEntries(header.map((name, index) => [name, record[index] ?? '']))
  const result = layout.schema.safeParse(layout.row(cells, line))
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
