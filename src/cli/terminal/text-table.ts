import { writeJson } from '../../values/json.ts'
import { escapeControls } from './terminal.ts'

const GAP = '  '
/** A column is not made narrower than this, unless its values are. */
const COLUMN_WIDTH_MIN = 6
/** The width of a column of objects or lists if the other columns need the rest of the line. */
const NESTED_WIDTH_MIN = 12
const ELLIPSIS = '…'
/** Members of events and audit entries that are the same in each row, or mean nothing to a person. */
const OMITTED = ['specversion', 'source', 'datacontenttype', 'sequence', 'hash']
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

type TextRow = Readonly<Record<string, unknown>>

/** Returns a value in one line for a terminal: text without quotes, everything else as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return escapeControls(typeof value === 'string' ? value : writeJson(value))
}

/** Returns a text that fits into `width` columns of a terminal. A text that is cut ends with an ellipsis. */
export function fitText(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text
  let fitted = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += Bun.stringWidth(segment)
    if (used > width - 1) break
    fitted += segment
  }
  return width < 1 ? '' : fitted + ELLIPSIS
}

/**
 * Returns the lines of a table. The id is the first column, and integers are aligned to the right. Columns without any
 * value are left out, and so are OMITTED ones.
 */
export function tableLines(columns: readonly string[], rows: readonly TextRow[], width: number): string[] {
  const names = new Set(['id', ...columns, ...rows.flatMap(row => Object.keys(row))])
  const shown = [...names].filter(
    name => !OMITTED.includes(name) && rows.some(row => row[name] !== undefined),
  )
  const cells = rows.map(row => shown.map(name => cellText(row[name])))
  const head = shown.map(cellText)
  const isNested = shown.map(name => rows.some(row => typeof row[name] === 'object'))
  const widths = fitWidths(columnWidths([head, ...cells]), isNested, width)
  const isNumber = shown.map(name => rows.every(row => ['bigint', 'undefined'].includes(typeof row[name])))
  return [head, ...cells].map(line => {
    const padded = line.map((text, column) => pad(text, widths[column] ?? 0, isNumber[column]))
    return fitText(padded.join(GAP), width).trimEnd()
  })
}

/** Returns a line for each row. All cells of a column have the same width in a terminal, and no cell is cut. */
export function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const widths = columnWidths(rows)
  return rows.map(row =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
}

/** Returns aligned lines, one for each member of an object. Without a width, no value is cut. */
export function memberLines(object: TextRow, width = Number.POSITIVE_INFINITY): string[] {
  const members = Object.entries(object).filter(([, value]) => value !== undefined)
  const nameWidth = Math.max(0, ...members.map(([name]) => Bun.stringWidth(cellText(name)))) + 1
  return members.map(([name, value]) =>
    fitText(`${pad(`${cellText(name)}:`, nameWidth)} ${cellText(value)}`, width).trimEnd(),
  )
}

function columnWidths([head = [], ...rows]: readonly (readonly string[])[]): number[] {
  return head.map((name, column) =>
    Math.max(Bun.stringWidth(name), ...rows.map(row => Bun.stringWidth(row[column] ?? ''))),
  )
}

function pad(text: string, width: number, isRight = false): string {
  const fitted = fitText(text, width)
  const space = ' '.repeat(Math.max(0, width - Bun.stringWidth(fitted)))
  return isRight ? space + fitted : fitted + space
}

/** Returns the widths of columns. Columns of objects and lists shrink first, then the widest, until the line fits. */
function fitWidths(natural: readonly number[], isNested: readonly boolean[], width: number): number[] {
  const space = width - GAP.length * (natural.length - 1)
  const flat = natural.reduce((sum, one, column) => (isNested[column] ? sum : sum + one), 0)
  const left = Math.floor((space - flat) / isNested.filter(Boolean).length)
  const widths = natural.map((one, column) =>
    isNested[column] ? Math.min(one, Math.max(left, NESTED_WIDTH_MIN)) : one,
  )
  for (;;) {
    const widest = Math.max(...widths)
    const excess = widths.reduce((sum, one) => sum + one, -space)
    if (excess <= 0 || widest <= COLUMN_WIDTH_MIN) return widths
    const second = Math.max(COLUMN_WIDTH_MIN, ...widths.filter(one => one < widest))
    widths[widths.indexOf(widest)] = Math.max(widest - excess, Math.min(second, widest - 1))
  }
}
