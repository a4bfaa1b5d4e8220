import { CsvError, parse } from 'csv-parse/browser/esm/sync'

/** The kind of the rows in a file. */
export type CatalogueFile = 'categories' | 'pets'

/** The reason why one line of a file cannot be loaded. */
export interface LineProblem {
  readonly file: CatalogueFile
  readonly line: number
  readonly message: string
}

/** A row, as the store stages it. */
export interface Row {
  readonly line: bigint
  readonly [member: string]: unknown
}

/** The rows of a file, and the problems of its invalid lines. */
export interface Catalogue {
  readonly rows: readonly Row[]
  readonly problems: readonly LineProblem[]
}

/** Thrown if a file is refused as a whole. The message is a sentence for the user. */
export class UnreadableFile extends Error {}

/** The maximum length of a record and of a line, as for `petstore import`. */
const RECORD_CHARS_MAX = 65_536
/** The delimiters that a file may have, as for `petstore import`. */
const DELIMITERS = [',', ';', '\t', '|'] as const
/** The line ends that a file may have, even mixed, as for `petstore import`. */
const LINE_ENDS = ['\r\n', '\n', '\r']
/** The maximum number of characters of a cell in a message. */
const CELL_CHARS_SHOWN = 100
const NAME_CHARS_MAX = 200
const DESCRIPTION_CHARS_MAX = 2000
const UNITS_MAX = 1_000_000_000n

const layouts: Readonly<Record<CatalogueFile, { required: readonly string[]; optional: readonly string[] }>> =
  {
    categories: { required: ['name'], optional: ['description'] },
    pets: { required: ['name', 'category'], optional: ['quantity', 'hold'] },
  }

/**
 * Reads a CSV file. Throws UnreadableFile for a file that changed after it was chosen, is not in UTF-8, has no rows,
 * has the wrong columns, has a line that is too long, or is not valid CSV. The messages are those of `petstore import`.
 */
export async function readCatalogue(kind: CatalogueFile, file: File): Promise<Catalogue> {
  const text = await textOf(file)
  refuseLongLines(file.name, text)
  const [head, ...records] = recordsIn(file.name, text, delimiterOf(text, kind))
  if (!head) throw new UnreadableFile(`${file.name} is empty: its first line must name the columns.`)
  const names = checkHeader(`${file.name}:${head.line}`, head.cells, kind)
  if (records.length === 0) {
    throw new UnreadableFile(`${file.name} has no rows: it has only the line that names the columns.`)
  }
  const problems: LineProblem[] = []
  const rows: Row[] = []
  for (const { line, cells } of records) {
    const result = rowOf(kind, line, names, cells)
    if (typeof result === 'string') problems.push({ file: kind, line, message: result })
    else rows.push(result)
  }
  return { rows, problems }
}

async function textOf(file: File): Promise<string> {
  let bytes: ArrayBuffer
  try {
    bytes = await file.arrayBuffer()
  } catch {
    // The browser reads only the version of the file that was chosen.
    throw new UnreadableFile(
      `${file.name} was changed, moved or deleted after it was chosen: choose the file again.`,
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UnreadableFile(`${file.name} is not in UTF-8: save it as UTF-8 and try again.`)
  }
}

/** Throws UnreadableFile for a line that is too long. The parser accepts a long line if its cells are empty. */
function refuseLongLines(name: string, text: string): void {
  const index = text.split(/\r\n?|\n/).findIndex(({ length }) => length > RECORD_CHARS_MAX)
  if (index >= 0) {
    throw new UnreadableFile(`${name}:${index + 1}: the line has more than ${RECORD_CHARS_MAX} characters`)
  }
}

/**
 * Returns the delimiter that gives the largest number of known column names in the first line; a comma if no delimiter
 * gives any.
 */
function delimiterOf(text: string, kind: CatalogueFile): string {
  const known = [...layouts[kind].required, ...layouts[kind].optional]
  const [header = ''] = text.replace(/^\ufeff?[\r\n]*/, '').split(/[\r\n]/, 1)
  const cells = (delimiter: string): string[] =>
    header.split(delimiter).map(cell => cell.replaceAll('"', '').trim().toLowerCase())
  const counts = DELIMITERS.map(delimiter => cells(delimiter).filter(cell => known.includes(cell)).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

interface FileRecord {
  /** The number of the first line of the record. */
  readonly line: number
  readonly cells: readonly string[]
}

function recordsIn(name: string, text: string, delimiter: string): FileRecord[] {
  let linesEnded = 0
  // The parser counts a CRLF in a cell as two lines.
  let countedTwice = 0
  const entries: FileRecord[] = []
  try {
    parse(text, {
      bom: true,
      recordDelimiter: LINE_ENDS,
      relaxColumnCount: true,
      maxRecordSize: RECORD_CHARS_MAX,
      delimiter,
      onRecord: (cells: string[], { lines }) => {
        const line = linesEnded + 1
        countedTwice += cells.reduce((sum, cell) => sum + cell.split('\r\n').length - 1, 0)
        linesEnded = lines - countedTwice
        const isEmptyLine = cells.length === 1 && cells[0] === ''
        if (!isEmptyLine) entries.push({ line, cells })
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const reason =
      error.code === 'CSV_MAX_RECORD_SIZE'
        ? `the record that starts here has more than ${RECORD_CHARS_MAX} characters: is a quote not closed?`
        : `${escapeControls(error.message)}.`
    throw new UnreadableFile(`${name}:${linesEnded + 1}: ${reason}`)
  }
  return entries
}

/**
 * Returns the names of the columns. Throws UnreadableFile, with `place` (the file and the line) in its message, if they
 * are not the columns of a file of this kind.
 */
function checkHeader(place: string, header: readonly string[], kind: CatalogueFile): string[] {
  const written = header.map(name => name.trim())
  // A spreadsheet often capitalizes its header.
  const names = written.map(name => name.toLowerCase())
  const { required, optional } = layouts[kind]
  const known = [...required, ...optional]
  const fail = (message: string): never => {
    throw new UnreadableFile(`${place}: ${message}`)
  }
  const columns = `the columns are ${known.join(', ')}`
  for (const name of required) {
    if (!names.includes(name)) fail(`the column "${name}" is missing; ${columns}`)
  }
  for (const [index, name] of names.entries()) {
    if (!known.includes(name)) fail(`there is no column ${quotedCell(written[index] ?? name)}; ${columns}`)
    if (names.indexOf(name) !== index) fail(`the column ${quotedCell(written[index] ?? name)} appears twice`)
  }
  return names
}

/** Returns the row of a record, or the message about its first problem. */
function rowOf(
  kind: CatalogueFile,
  line: number,
  names: readonly string[],
  cells: readonly string[],
): Row | string {
  if (cells.length !== names.length) {
    return `has ${cells.length} cells, but the first line names ${names.length} columns`
  }
  const values = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
  const { name = '', description = '', category = '', quantity = '', hold = '' } = values
  const column = Object.keys(rules).find(column => !isValid(column, values[column]))
  if (column !== undefined) return `${column} ${quotedCell(values[column] ?? '')} ${rules[column]}`
  if (kind === 'categories') return { line: BigInt(line), name, ...(description !== '' && { description }) }
  const units = quantity === '' ? 1n : BigInt(quantity)
  return { line: BigInt(line), name, category, quantity: units, hold: hold === 'yes' }
}

/** The rules of the columns, in the order in which the problems of a line are reported. */
const rules: Readonly<Record<string, string>> = {
  name: 'must have 1 to 200 characters',
  category: 'must have 1 to 200 characters',
  description: 'must have at most 2000 characters',
  quantity: 'must be an integer from 0 to 1000000000',
  hold: 'must be yes, no or empty',
}

/** Returns whether a cell follows the rule of its column. `cell` is undefined if the file does not have the column. */
function isValid(column: string, cell: string | undefined): boolean {
  if (cell === undefined) return true
  if (column === 'hold') return ['', 'yes', 'no'].includes(cell)
  if (column === 'quantity') {
    return cell === '' || (/^(?:0|[1-9]\d{0,9})$/.test(cell) && BigInt(cell) <= UNITS_MAX)
  }
  const { length } = [...cell]
  const isRequired = column !== 'description'
  const max = isRequired ? NAME_CHARS_MAX : DESCRIPTION_CHARS_MAX
  return length >= (isRequired ? 1 : 0) && length <= max && !cell.includes('\0')
}

/** Returns a cell for a message: quoted, on one line, and truncated if it is long. */
function quotedCell(cell: string): string {
  const start = cell.slice(0, CELL_CHARS_SHOWN)
  return (
    escapeControls(JSON.stringify(start)) +
    (start === cell ? '' : ` (the first ${CELL_CHARS_SHOWN} characters)`)
  )
}

/** Returns a text with escapes for control characters and for characters that change the direction of text. */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
