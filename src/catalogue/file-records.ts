import { CsvError, parse } from 'csv-parse/browser/esm/sync'
import { escapeControls } from '../values/control-characters.ts'
import { message } from '../values/message.ts'
import { cellValue, shownCell } from './cell.ts'
import { linesOf, UnreadableFile, withoutLineEnd } from './file-text.ts'

/** The maximum length of a record and of a line, so that no file makes a program use all memory. */
export const RECORD_CHARS_MAX = 65_536
/** The maximum number of lines of one record in a file with tabs and without quoting. */
const TAB_LINES_MAX = 100
/** The delimiters that a file may have. If several fit the header equally well, the first of them is used. */
const DELIMITERS = [',', ';', '\t', '|'] as const
/** The line ends that a file may have, even mixed. */
const LINE_ENDS = ['\r\n', '\n', '\r']
/** A line without a value: blanks, delimiters and empty quotes. */
const BLANK_LINE = /^[\s\ufeff,;|"]*$/
/** The line that gives Excel the delimiter. */
const SEPARATOR_LINE = /^\s*"?sep=(.?)"?[\s,;|]*$/i
/** A cell in quotes, in which each quote is doubled. */
const QUOTED = /^"((?:[^"]|"")*)"$/
/** A text between two quotes, or the rest of a line after a quote. */
const QUOTED_PART = /"[^"]*(?:"|$)/g
/** The maximum number of lines with a value up to the header. */
const PREAMBLE_LINES_MAX = 10
/** The maximum number of lines that are kept while the header is looked for. Most of them can be blank. */
const KEPT_LINES_MAX = 1000
/** Excel writes quotes only around a cell that has one of these. */
const NEEDS_QUOTES = /[,\t\r\n]|""/

/** What the reader of a file must know to find its header. */
interface KnownColumns {
  /** Returns the column that a name means. */
  readonly meantBy: (cell: string) => string | undefined
  /** Returns whether a text is the own name of a column. */
  readonly isOwnName: (cell: string) => boolean
  readonly required: readonly string[]
}

/** A line that is divided by a delimiter. */
interface Separated {
  readonly delimiter: string
  /** The number of own names of columns. */
  readonly own: number
  readonly meant: ReadonlySet<string>
}

export interface FileRecord {
  /** The number of its first line. */
  readonly line: number
  readonly cells: readonly string[]
  /** The lines of the record, with their line ends. */
  readonly text: string
  /** What is wrong with its quotes. */
  readonly problem?: string
}

/**
 * Divides lines into records, without blank ones; the first is the header. Commas, semicolons and `|` separate cells by
 * RFC 4180, but a quote inside a cell that does not begin with one is an ordinary character. In a file with tabs,
 * quotes are ordinary characters, unless its header is in quotes, or a cell is as Excel writes it.
 */
export class FileRecords {
  /** The line before the header that names the delimiter, with its line end; otherwise empty. */
  separatorLine = ''
  delimiter: string | undefined
  /** The number of lines with a value above the header. */
  skippedLines = 0
  readonly #name: string
  readonly #columns: KnownColumns
  /** The lines from the first one with a value on, until the header is found among them. */
  #preamble: string[] = []
  #hasQuotes = true
  #linesEnded = 0
  #lines: string[] = []
  #width = 0
  /** The lines of a file with tabs that may be one record, because a cell begins with a quote. */
  #open: FileRecord[] = []

  constructor(name: string, columns: KnownColumns) {
    this.#name = escapeControls(name)
    this.#columns = columns
  }

  /** Returns the records that the next lines complete. Throws UnreadableFile for a record that is too long. */
  push(lines: readonly string[]): FileRecord[] {
    return this.#records(lines, false)
  }

  /** Returns the last records. Throws UnreadableFile for a quote that is not closed. */
  end(lines: readonly string[]): FileRecord[] {
    return [...this.#records(lines, true), ...this.#released()].filter(({ cells }) => widthOf(cells) > 0)
  }

  #records(lines: readonly string[], isEnd: boolean): FileRecord[] {
    const rest = this.delimiter === undefined ? this.#afterPreamble(lines, isEnd) : lines
    const found = this.#parsed(rest, isEnd)
    if (this.#width === 0 && found[0]) this.#width = widthOf(found[0].cells)
    const records = this.#hasQuotes ? found : found.flatMap(record => this.#tabRecord(record))
    return records.filter(({ cells }) => widthOf(cells) > 0)
  }

  /** Skips blank lines, the line with the delimiter, and titles. At the header, decides how the file is read. */
  #afterPreamble(lines: readonly string[], isEnd: boolean): readonly string[] {
    for (const [index, line] of lines.entries()) {
      const separator = SEPARATOR_LINE.exec(line)?.[1]
      if (
        this.#preamble.length > 0 ||
        !(BLANK_LINE.test(line) || (separator !== undefined && this.separatorLine === ''))
      ) {
        this.#preamble.push(...lines.slice(index))
        break
      }
      if (separator !== undefined && this.separatorLine === '') this.#separator(separator, line)
      this.#linesEnded++
    }
    const header = this.#headerIn(this.#preamble, isEnd)
    if (header === undefined) return []
    const rest = this.#preamble.splice(0)
    const line = rest[header] ?? ''
    const { delimiter, meant } = this.#separatorOf(line)
    const isKnown = meant.size > 0 || this.separatorLine !== ''
    this.delimiter = isKnown ? delimiter : delimiterOf(rest.slice(header))
    this.#hasQuotes = this.delimiter !== '\t' || this.#isQuotedHeader(line)
    this.skippedLines = rest.slice(0, header).filter(one => !BLANK_LINE.test(one)).length
    this.#linesEnded += header
    return rest.slice(header)
  }

  /**
   * Returns the index of the header; undefined if it may be in a line that is not read yet. It is the first line with a
   * value if that has the own name of a column or opens a quote. Otherwise it is the one of the first lines that has
   * all required columns, or else the most columns.
   */
  #headerIn(lines: readonly string[], isEnd: boolean): number | undefined {
    let best: { readonly index: number; readonly count: number } | undefined
    let filled = 0
    for (const [index, line] of lines.entries()) {
      if (best && index > KEPT_LINES_MAX) return best.index
      if (BLANK_LINE.test(line)) continue
      const { meant, own } = this.#separatorOf(line)
      const isFirst = filled++ === 0
      if (isFirst && (own > 0 || line.split('"').length % 2 === 0)) return index
      if (!best || meant.size > best.count) best = { index, count: meant.size }
      if (this.#columns.required.every(column => meant.has(column))) return index
      if (filled === PREAMBLE_LINES_MAX) return best.index
    }
    return isEnd ? best?.index : undefined
  }

  /** Returns the delimiter with which a line has the most own names of columns, or else means the most columns. */
  #separatorOf(line: string): Separated {
    const given = /sep=(.)/i.exec(this.separatorLine)?.[1]
    const { isOwnName, meantBy } = this.#columns
    const separated = (given === undefined ? DELIMITERS : [given]).map((delimiter): Separated => {
      const cells = line.split(delimiter).map(cell => cellValue(cell.replaceAll('"', '')))
      const meant = new Set(cells.map(meantBy).filter(column => column !== undefined))
      return { delimiter, own: cells.filter(isOwnName).length, meant }
    })
    const [best] = separated.toSorted(
      (one, other) => other.own - one.own || other.meant.size - one.meant.size,
    )
    return best ?? { delimiter: ',', own: 0, meant: new Set() }
  }

  #separator(separator: string, line: string): void {
    this.separatorLine = line
    if (DELIMITERS.some(delimiter => delimiter === separator)) return
    throw new UnreadableFile(
      message`${this.#name}:${this.#linesEnded + 1}: "sep=" must name a comma, a semicolon, a tab or |.`,
    )
  }

  #isQuotedHeader(line: string): boolean {
    return line.split('\t').some(cell => {
      const [, name] = QUOTED.exec(cell.trim()) ?? []
      return name !== undefined && this.#columns.meantBy(cellValue(name)) !== undefined
    })
  }

  #parsed(more: readonly string[], isEnd: boolean): FileRecord[] {
    const lines = this.#lines.length === 0 ? more : [...this.#lines, ...more]
    if (lines.length === 0) return []
    const { records, used, isOpen } = parsedLines(lines, this.delimiter ?? ',', this.#hasQuotes)
    const located = records.map(record => ({ ...record, line: record.line + this.#linesEnded }))
    this.#linesEnded += used
    this.#lines = lines.slice(used)
    const tooLong = located.find(({ text }) => withoutLineEnd(text).length > RECORD_CHARS_MAX)
    if (tooLong) throw this.#tooLong(tooLong.line)
    if (this.#lines.join('').length > RECORD_CHARS_MAX) throw this.#tooLong(this.#linesEnded + 1)
    if (isOpen && isEnd) {
      const place = `${this.#name}:${this.#linesEnded + 1}`
      const advice = message`remove it, or write two quotes for a quote in a cell in quotes`
      throw new UnreadableFile(
        message`${place}: a quote in ${shownCell(withoutLineEnd(this.#lines[0] ?? ''))} is not closed: ${advice}.`,
      )
    }
    return located
  }

  #tooLong(line: number): UnreadableFile {
    const reason = message`the record that starts here has more than ${RECORD_CHARS_MAX} characters`
    return new UnreadableFile(message`${this.#name}:${line}: ${reason}: is a quote not closed?`)
  }

  /**
   * Returns the records that a line of a file with tabs completes. A quote opens a cell of several lines only at the
   * start of the last cell of a line, and only if the first cell of a later line closes it, without a tab in between.
   * So a quote that is part of a name never makes one row of several.
   */
  #tabRecord(record: FileRecord): FileRecord[] {
    const last = record.cells.at(-1) ?? ''
    if (this.#open.length > 0) return this.#continued(record)
    if (!last.startsWith('"') || QUOTED.test(last)) return [this.#tabRow(record)]
    this.#open = [record]
    return []
  }

  #continued(record: FileRecord): FileRecord[] {
    const lines = [...this.#open, record]
    const [first = '', ...more] = record.cells
    if (more.length === 0 && !first.includes('"')) {
      this.#open = lines
      return lines.length < TAB_LINES_MAX ? [] : this.#released()
    }
    const joined = first.endsWith('"') ? readWithQuotes(lines) : undefined
    const areRows = lines.every(({ cells }) => cells.length === this.#width)
    if (!joined || joined.cells.length > this.#width || areRows)
      return [...this.#released(), ...this.#tabRecord(record)]
    this.#open = []
    return [joined]
  }

  /** Returns a row of one line. If it has too many cells, it is read with quotes, which may be around a tab. */
  #tabRow(record: FileRecord): FileRecord {
    const quoted = record.cells.length > this.#width ? readWithQuotes([record]) : undefined
    return quoted?.cells.length === this.#width ? quoted : withoutExcelQuotes(record)
  }

  /** Returns the lines that were held back, as rows of their own. */
  #released(): FileRecord[] {
    const lines = this.#open
    this.#open = []
    return lines.map(line => this.#tabRow(line))
  }
}

/** Returns the delimiter that divides the most of the first lines into as many cells as the first one. */
function delimiterOf(lines: readonly string[]): string {
  const filled = lines.filter(line => !BLANK_LINE.test(line)).slice(0, PREAMBLE_LINES_MAX)
  const scores = DELIMITERS.map(delimiter => {
    const [width = 1, ...widths] = filled.map(
      line => line.replaceAll(QUOTED_PART, '').split(delimiter).length,
    )
    return { delimiter, score: width === 1 ? -1 : widths.filter(one => one === width).length }
  })
  return scores.toSorted((one, other) => other.score - one.score)[0]?.delimiter ?? ','
}

/** Returns the header and the rows of a whole text, whose columns are `known`, and its delimiter. */
export function recordsOfText(
  name: string,
  text: string,
  known: readonly string[],
): { readonly records: readonly FileRecord[]; readonly delimiter: string } {
  const meantBy = (cell: string): string | undefined => known.find(column => column === cell.toLowerCase())
  const isOwnName = (cell: string): boolean => meantBy(cell) !== undefined
  const reader = new FileRecords(name, { meantBy, isOwnName, required: [] })
  const records = reader.end(linesOf(text))
  return { records, delimiter: reader.delimiter ?? ',' }
}

interface ParsedLines {
  readonly records: readonly FileRecord[]
  /** The number of lines that the records have. */
  readonly used: number
  /** Whether a quote is not closed in the lines after them. */
  readonly isOpen: boolean
}

function parsedLines(lines: readonly string[], delimiter: string, hasQuotes: boolean): ParsedLines {
  const records: FileRecord[] = []
  let used = 0
  // The parser counts a CRLF in a cell as two lines.
  let countedTwice = 0
  const onRecord = (cells: string[], info: { readonly lines: number }): null => {
    countedTwice += cells.reduce(
      (sum, cell) => sum + (cell.includes('\r\n') ? cell.split('\r\n').length - 1 : 0),
      0,
    )
    const from = used
    used = info.lines - countedTwice
    const text = used === from + 1 ? (lines[from] ?? '') : lines.slice(from, used).join('')
    records.push({ line: from + 1, text, ...(hasQuotes ? checkedQuotes(cells, text) : { cells }) })
    return null
  }
  try {
    parse(lines.join(''), {
      delimiter,
      recordDelimiter: LINE_ENDS,
      relaxColumnCount: true,
      relaxQuotes: true,
      onRecord,
      // Blanks may precede a quote. A tab is a blank too, so a file with tabs keeps them until `cellValue`.
      quote: hasQuotes ? '"' : null,
      ltrim: hasQuotes && delimiter !== '\t',
    })
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error
    return { records, used, isOpen: true }
  }
  return { records, used, isOpen: false }
}

/** Returns the lines of a file with tabs as one record with the quotes of RFC 4180; undefined if they are none. */
function readWithQuotes(lines: readonly FileRecord[]): FileRecord | undefined {
  const texts = lines.map(({ text }) => text)
  const { records, isOpen } = parsedLines(texts, '\t', true)
  const [record, ...others] = records
  if (!record || others.length > 0 || isOpen || record.problem !== undefined) return undefined
  return { ...record, line: lines[0]?.line ?? record.line }
}

/**
 * Returns cells after a check of their quotes: the parser leaves a cell as it is if text follows its closing quote.
 * Blanks are no such text; otherwise the record has a problem.
 */
function checkedQuotes(
  cells: readonly string[],
  text: string,
): { readonly cells: readonly string[]; readonly problem?: string } {
  if (!cells.some(cell => cell.startsWith('"'))) return { cells }
  const isQuoted = (content: string): boolean => text.includes(`"${content.replaceAll('"', '""')}"`)
  let problem: string | undefined
  const checked = cells.map(cell => {
    if (!cell.startsWith('"') || isQuoted(cell)) return cell
    const content = /^"(.*)"\s*$/s.exec(cell)?.[1]
    if (content !== undefined && isQuoted(content)) return content
    const advice = message`write two quotes for a quote in a cell in quotes`
    problem ??= message`has text after a closing quote, in ${shownCell(cell)}: ${advice}`
    return cell
  })
  return problem === undefined ? { cells: checked } : { cells, problem }
}

/** Returns a record of a file with tabs in which each cell that Excel has quoted is without its quotes. */
function withoutExcelQuotes(record: FileRecord): FileRecord {
  if (!record.text.includes('"')) return record
  const cells = record.cells.map(cell => {
    const [, content] = QUOTED.exec(cell) ?? []
    return content !== undefined && NEEDS_QUOTES.test(content) ? content.replaceAll('""', '"') : cell
  })
  return { ...record, cells }
}

/** Returns the number of cells up to the last one with a value. */
function widthOf(cells: readonly string[]): number {
  return cells.findLastIndex(cell => cellValue(cell) !== '') + 1
}
