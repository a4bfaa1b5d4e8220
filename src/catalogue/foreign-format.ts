import { message } from '../values/message.ts'

const EXCEL = message`open it in Excel, and save it with "Save As" as "Excel Workbook (.xlsx)" or "CSV UTF-8"`
const UNPACK = message`unpack it first`
const AS_CSV = message`save its table as CSV with the program that made it`

interface ForeignFormat {
  /** The first bytes, as characters of Latin-1. */
  readonly start: string
  /** A text that occurs soon after them. */
  readonly has?: string
  readonly name: string
  readonly advice: string
}

/** The formats that people mistake for CSV, by their first bytes. The first that fits is the right one. */
const formats: readonly ForeignFormat[] = [
  {
    start: 'PK\x03\x04',
    has: 'opendocument.spreadsheet',
    name: message`a LibreOffice spreadsheet (ODS)`,
    advice: message`open it in LibreOffice, and save it as "Excel 2007-365 (.xlsx)"`,
  },
  {
    start: 'PK\x03\x04',
    has: '[Content_Types].xml',
    name: message`a damaged Excel workbook or another Office file`,
    advice: EXCEL,
  },
  {
    start: 'PK\x03\x04',
    has: 'Index/',
    name: message`a Numbers spreadsheet`,
    advice: message`open it in Numbers, and choose "File > Export To > Excel"`,
  },
  {
    start: 'PK\x03\x04',
    name: message`a ZIP archive`,
    advice: message`${UNPACK}; if it is a spreadsheet, ${AS_CSV}`,
  },
  {
    start: '\xd0\xcf\x11\xe0',
    name: message`an Excel workbook (XLS, or XLSX with a password)`,
    advice: EXCEL,
  },
  { start: '\x1f\x8b', name: message`compressed with gzip`, advice: UNPACK },
  { start: 'BZh', name: message`compressed with bzip2`, advice: UNPACK },
  { start: '\xfd7zXZ', name: message`compressed with xz`, advice: UNPACK },
  { start: '\x28\xb5\x2f\xfd', name: message`compressed with zstd`, advice: UNPACK },
  { start: '7z\xbc\xaf', name: message`a 7-Zip archive`, advice: UNPACK },
  { start: 'Rar!', name: message`a RAR archive`, advice: UNPACK },
  { start: '%PDF-', name: message`a PDF document`, advice: AS_CSV },
  { start: '{\\rtf', name: message`an RTF document`, advice: message`save it as plain text` },
  { start: 'SQLite format 3', name: message`an SQLite database`, advice: AS_CSV },
  { start: '\x89PNG', name: message`a picture`, advice: AS_CSV },
  { start: '\xff\xd8\xff', name: message`a picture`, advice: AS_CSV },
  {
    start: '<!doctype',
    name: message`an HTML page`,
    advice: message`download the file itself, or open it in a spreadsheet and save it as CSV`,
  },
  {
    start: '<html',
    name: message`an HTML page`,
    advice: message`download the file itself, or open it in a spreadsheet and save it as CSV`,
  },
  {
    start: '<?xml',
    name: message`an XML document`,
    advice: message`open it in a spreadsheet, and save it as CSV`,
  },
]

/** Returns what a file is and how to get its text, from its first bytes; undefined if it may be a text of rows. */
export function foreignFormat(bytes: Uint8Array): { name: string; advice: string } | undefined {
  // Not by the decoder for Latin-1, which is the one for Windows-1252.
  const text = String.fromCharCode(...bytes)
  const start = text.trimStart().slice(0, 16).toLowerCase()
  return formats.find(
    format =>
      (text.startsWith(format.start) || (format.start.startsWith('<') && start.startsWith(format.start))) &&
      (format.has === undefined || text.includes(format.has)),
  )
}
