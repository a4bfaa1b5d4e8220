import { escapeControls } from '../values/control-characters.ts'
import { message } from '../values/message.ts'
import { NUMBER_END, shownCell } from './cell.ts'
import { type CatalogueSource, UnreadableFile } from './file-text.ts'

const MIB = 1024 * 1024
/** The maximum size of a workbook, and of what it contains: a small file can unpack to all memory. */
const WORKBOOK_MIB_MAX = 20
const CONTENT_MIB_MAX = 60
/** The maximum number of cells up to the last row and column, because a sheet is read as a full rectangle. */
const CELLS_MAX = 2_000_000
const ROWS_PER_CHUNK = 1000

const ZIP_START = 'PK\x03\x04'
const WORKBOOK_PART = 'xl/workbook.xml'
const SHEET_PART = /^xl\/worksheets\/[^/]+\.xml$/
const CELL_NAMES = /\sr=["']([A-Z]{1,8})(\d{1,15})["']/g
/** The prefix of an XML namespace, which some programs write. */
const PREFIX = /(<\/?)[\w.-]+:(?=[cfv][\s/>])/g
/** An error such as #N/A, which the library reads as an empty cell. */
const ERROR_CELL = /(<c\s[^<>]*)\bt=["']e["']/g
/** A formula without a value, which the library reads as an empty cell, too. Its attributes, and an empty value. */
const WITHOUT_VALUE =
  /<c(\s[^<>]*)>\s*<f(?:[\s/][^<>]*)?>(?:[^<]*<\/f>)?\s*(<v(?:[\s/][^<>]*)?>\s*(?:<\/v>\s*)?)?<\/c>/g
/** The start of the text that a formula without a value gets, before the name of its cell. */
const NO_VALUE = '\uE000'
const AS_CSV = message`save it as "CSV UTF-8"`

type Cell = string | number | boolean | Date | null

/**
 * Yields the bytes of a file; those of an Excel workbook (XLSX) as CSV, with a line for each row of its first sheet.
 * Throws UnreadableFile for a workbook that is too large or damaged.
 */
export async function* tableBytes(
  source: CatalogueSource,
  onNotice: (notice: string) => void,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  let isZip: boolean | undefined
  for await (const chunk of source.chunks()) {
    if (isZip === false) {
      yield chunk
      continue
    }
    chunks.push(new Uint8Array(chunk))
    size += chunk.length
    if (isZip === undefined && size >= ZIP_START.length) isZip = startsLikeZip(chunks)
    if (isZip === false) yield* chunks.splice(0)
    if (isZip && size > WORKBOOK_MIB_MAX * MIB)
      throw tooLarge(source, message`has more than ${WORKBOOK_MIB_MAX} MiB`)
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  if (isZip && (await isWorkbook(source, bytes))) yield* linesOf(source, bytes, onNotice)
  else yield bytes
}

function startsLikeZip(chunks: readonly Uint8Array[]): boolean {
  const start = chunks.flatMap(chunk => [...chunk.subarray(0, ZIP_START.length)]).slice(0, ZIP_START.length)
  return String.fromCharCode(...start) === ZIP_START
}

function tooLarge({ name }: CatalogueSource, reason: string): UnreadableFile {
  return new UnreadableFile(`${escapeControls(name)} ${reason}: ${AS_CSV}.`)
}

/** Returns whether a ZIP archive is a workbook, from the list of its parts. Nothing is unpacked. */
async function isWorkbook(source: CatalogueSource, bytes: Uint8Array): Promise<boolean> {
  const { unzipSync } = await import('fflate')
  let contentBytes = 0
  let hasWorkbook = false
  try {
    unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        contentBytes += originalSize
        hasWorkbook ||= name === WORKBOOK_PART
        return false
      },
    })
  } catch {
    // Then it is refused as a ZIP archive, with what else it may be.
    return false
  }
  if (hasWorkbook && contentBytes > CONTENT_MIB_MAX * MIB)
    throw tooLarge(source, message`contains more than ${CONTENT_MIB_MAX} MiB`)
  return hasWorkbook
}

/**
 * Returns a workbook with texts for its errors and for the values that are missing. Throws UnreadableFile if a sheet is
 * too large to be read.
 */
async function checkedSheets(
  source: CatalogueSource,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { strFromU8, strToU8, unzipSync, zipSync } = await import('fflate')
  const sheets = unzipSync(bytes, { filter: part => SHEET_PART.test(part.name) })
  const changed: Record<string, Uint8Array> = {}
  for (const [part, content] of Object.entries(sheets)) {
    const text = strFromU8(content).replaceAll(PREFIX, '$1')
    let [rows, columns] = [0, 0]
    for (const [, column = '', row = ''] of text.matchAll(CELL_NAMES)) {
      rows = Math.max(rows, Number(row))
      columns = Math.max(columns, columnNumber(column))
    }
    if (rows * columns > CELLS_MAX)
      throw tooLarge(source, message`has a cell in row ${rows} or column ${columns}, with too many before it`)
    const shown = text.replaceAll(WITHOUT_VALUE, withMissing).replaceAll(ERROR_CELL, '$1t="str"')
    if (shown !== text) changed[part] = strToU8(shown)
  }
  if (Object.keys(changed).length === 0) return bytes
  return zipSync({ ...unzipSync(bytes), ...changed }, { level: 0 })
}

/** Returns a cell with a text for its missing value. The value of a formula that results in a text may be empty. */
function withMissing(cell: string, attributes: string, empty: string | undefined): string {
  if (empty !== undefined && /\st=["']str["']/.test(attributes)) return cell
  const [, name = ''] = /\sr=["'](\w+)["']/.exec(attributes) ?? []
  return `<c r="${name}" t="str"><v>${NO_VALUE}${name}</v></c>`
}

/** Returns the number of a column: 1 for A, 27 for AA. */
function columnNumber(name: string): number {
  return [...name].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
}

async function readSheets(source: CatalogueSource, bytes: Uint8Array<ArrayBuffer>) {
  // Loaded here, because most files are CSV.
  const { default: readWorkbook } = await import('read-excel-file/universal')
  const { buffer } = await checkedSheets(source, bytes)
  return await readWorkbook(buffer)
}

async function* linesOf(
  source: CatalogueSource,
  bytes: Uint8Array<ArrayBuffer>,
  onNotice: (notice: string) => void,
): AsyncGenerator<Uint8Array> {
  const name = escapeControls(source.name)
  const sheets = await readSheets(source, bytes).catch(error => {
    if (error instanceof UnreadableFile) throw error
    const reason = escapeControls(error instanceof Error ? error.message : String(error))
    throw new UnreadableFile(message`${name} cannot be read as an Excel workbook (${reason}): ${AS_CSV}.`)
  })
  const [first, ...others] = sheets
  const unread = others.filter(({ data }) => data.length > 0).map(({ sheet }) => shownCell(sheet))
  if (first && unread.length > 0)
    onNotice(message`${name}: only the sheet ${shownCell(first.sheet)} is read, not ${unread.join(', ')}`)
  // Safe: the library makes no other values without a schema.
  const rows = (first?.data ?? []) as readonly (readonly Cell[])[]
  const isMissing = (cell: Cell): boolean => typeof cell === 'string' && cell.startsWith(NO_VALUE)
  const missing = rows.find(row => row.some(isMissing))?.find(isMissing)
  if (first && missing) {
    const place = message`the cell ${String(missing).slice(1)} (${shownCell(first.sheet)})`
    const advice = message`correct it, and save the workbook with a spreadsheet program`
    throw new UnreadableFile(message`${name}: ${place} has a formula without its value: ${advice}.`)
  }
  const encoder = new TextEncoder()
  for (let from = 0; from < rows.length; from += ROWS_PER_CHUNK) {
    const lines = rows.slice(from, from + ROWS_PER_CHUNK).map(row => `${row.map(csvCell).join(',')}\n`)
    yield encoder.encode(lines.join(''))
  }
}

/** Returns a cell as CSV, on one line so that the lines have the numbers of the rows. */
function csvCell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = value instanceof Date ? value.toISOString().slice(0, 10) : textOf(value)
  return `"${text
    .split(/[\r\n]+/)
    .join(' ')
    .replaceAll('"', '""')}"`
}

/** Returns a number with the 15 digits that Excel keeps: a longer one has lost digits, which its exponent shows. */
function textOf(value: string | number): string {
  if (typeof value === 'string') return value
  const digits = value.toPrecision(15)
  if (value >= 1e15) return digits
  return String(Number(digits)) + (Number.isInteger(Number(digits)) ? '' : NUMBER_END)
}
