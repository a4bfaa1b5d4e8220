import { escapeControls } from '../values/control-characters.ts'
import { message } from '../values/message.ts'
import { shownCell } from './cell.ts'
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
const CELL_NAME = / r="([A-Z]{1,8})(\d{1,15})"/
const CELL_NAMES = / r="([A-Z]{1,8})(\d{1,15})"/g
/** An error such as #N/A, which the library reads as an empty cell. */
const ERROR_CELL = /(<c [^<>]*)\bt="e"/g
/** A formula without its value: the library reads it as an empty cell, too. */
const WITHOUT_VALUE = /(?:<\/f>|<f [^<>]*\/>)(?:<v ?\/>|<v><\/v>)?<\/c>/
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
 * Returns a workbook with its errors as texts. Throws UnreadableFile if a sheet is too large to be read, or has a cell
 * whose value is missing.
 */
async function checkSheets(
  source: CatalogueSource,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { strFromU8, strToU8, unzipSync, zipSync } = await import('fflate')
  const name = escapeControls(source.name)
  const sheets = unzipSync(bytes, { filter: part => SHEET_PART.test(part.name) })
  const withErrors: Record<string, Uint8Array> = {}
  for (const [part, content] of Object.entries(sheets)) {
    const text = strFromU8(content)
    let [rows, columns] = [0, 0]
    for (const [, column = '', row = ''] of text.matchAll(CELL_NAMES)) {
      rows = Math.max(rows, Number(row))
      columns = Math.max(columns, columnNumber(column))
    }
    if (rows * columns > CELLS_MAX)
      throw tooLarge(source, message`has a cell in row ${rows} or column ${columns}, with too many before it`)
    const missing = WITHOUT_VALUE.exec(text)
    if (missing) {
      const at = text.lastIndexOf('<c ', missing.index)
      const [, column = '', row = ''] = text.slice(at).match(CELL_NAME) ?? []
      const place = message`the cell ${column + row} (${part.slice('xl/worksheets/'.length)})`
      const advice = message`correct it, and save the workbook with a spreadsheet program`
      throw new UnreadableFile(message`${name}: ${place} has a formula without its value: ${advice}.`)
    }
    if (text.search(ERROR_CELL) >= 0) withErrors[part] = strToU8(text.replaceAll(ERROR_CELL, '$1t="str"'))
  }
  if (Object.keys(withErrors).length === 0) return bytes
  return zipSync({ ...unzipSync(bytes), ...withErrors }, { level: 0 })
}

/** Returns the number of a column: 1 for A, 27 for AA. */
function columnNumber(name: string): number {
  return [...name].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
}

async function readSheets(source: CatalogueSource, bytes: Uint8Array<ArrayBuffer>) {
  // Loaded here, because most files are CSV.
  const { default: readWorkbook } = await import('read-excel-file/universal')
  const { buffer } = await checkSheets(source, bytes)
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
  const text = value instanceof Date ? value.toISOString().slice(0, 10) : String(value)
  return `"${text
    .split(/[\r\n]+/)
    .join(' ')
    .replaceAll('"', '""')}"`
}
