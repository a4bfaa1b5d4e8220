import { STOCK_MAX } from '../shop/kernel/limits.ts'
import { escapeControls } from '../values/control-characters.ts'
import { message } from '../values/message.ts'

const CELL_CHARS_SHOWN = 100

/** A blank around a value: all white space of Unicode, and the blanks without a width that are pasted with a text. */
const BLANK = /[\s\u0085\u180e\u200b\u2060]/

/** The blank after a number of a workbook with decimals: its mark is a point, whatever the texts of the file show. */
export const NUMBER_END = '\u2060'

/** The apostrophe that marks a text for a spreadsheet, which would take it for a formula otherwise. */
const TEXT_MARK = /^'(?='*[=+\-@\t\r])/
/** The start of a text that a spreadsheet takes for a formula, or that would lose an apostrophe when it is read. */
const FORMULA = /^'*[=+\-@\t\r]/

/** A text as Excel keeps it, and as many tills write it: `="0041"`. */
const KEPT_TEXT = /^="((?:[^"]|"")*)"$/

/**
 * Returns a cell without blanks around it, without the apostrophe before the first character of a formula, and without
 * the signs around a text such as `="0041"`.
 */
export function cellValue(cell: string): string {
  const value = trimmed(cell, BLANK)
  const kept = KEPT_TEXT.exec(value)?.[1]?.replaceAll('""', '"')
  return trimmed(kept ?? value.replace(TEXT_MARK, ''), BLANK)
}

/** Returns a text without the characters at its start and its end that a pattern matches. */
export function trimmed(text: string, outer: RegExp): string {
  let from = 0
  let to = text.length
  while (from < to && outer.test(text.charAt(from))) from++
  while (to > from && outer.test(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** Returns whether `cellValue` would change a text. */
export function isChangedByImport(text: string): boolean {
  return cellValue(text) !== text
}

/** Returns a text for a spreadsheet. If it looks like a formula, it gets an apostrophe, which `cellValue` removes. */
export function escapedFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The words for yes and no that Excel, Numbers, LibreOffice and Sheets write, in the languages of most users. */
const YES = new Set(
  'yes y true 1 x on ✓ ✔ ja j wahr oui vrai sí si verdadero vero sim verdadeiro waar sant sand tak prawda ano pravda'.split(
    ' ',
  ),
)
const NO = new Set(
  'no n false 0 off nein falsch non faux falso não nao nee onwaar nej falskt falsk nie fałsz ne nepravda'.split(
    ' ',
  ),
)

/** Returns the value of a cell such as `yes`, `TRUE`, `0` or `nein`; undefined if it is neither yes nor no. */
export function yesOrNo(value: string): boolean | undefined {
  const word = value.normalize('NFC').toLowerCase()
  return YES.has(word) ? true : NO.has(word) ? false : undefined
}

/** Digits in groups of three, with a separator that is no decimal sign: a blank, an apostrophe, or one that repeats. */
const GROUPED = /^\d{1,3}(?:([ \u00a0\u2009\u202f'’])\d{3}(?:\1\d{3})*|([.,])\d{3}(?:\2\d{3})+)$/

/** What people write after a number of units. */
const UNIT = /(?<=\d)\s*(?:stk|stck|stück|st|pcs|pc|pieces|pièces|pces|uds|ud|x)\.?$/i

/**
 * Returns the units in a cell; undefined if the cell is not a number of units, or may be two numbers: `1,000` is a
 * thousand for some people, and one for others.
 */
export function unitsIn(value: string): bigint | undefined {
  const whole = value.replace(UNIT, '').replace(/^(\d+)[.,]0{1,2}$/, '$1')
  const digits = GROUPED.test(whole) ? whole.replaceAll(/\D/g, '') : whole
  if (!/^(?:0|[1-9]\d{0,9})$/.test(digits)) return undefined
  const units = BigInt(digits)
  return units <= STOCK_MAX ? units : undefined
}

/** Returns a barcode as a scanner types it: digits without the blanks and the `.0` that people and programs add. */
export function barcodeIn(value: string): string {
  return /^(\d+)(?:[.,]0)?$/.exec(value.replaceAll(/[ \u00a0]/g, ''))?.[1] ?? value
}

/** Returns a cell for a message: quoted, on one line, and truncated if it is long. */
export function shownCell(cell: string): string {
  const start = cell.slice(0, CELL_CHARS_SHOWN)
  return (
    message`"${escapeControls(JSON.stringify(start)).slice(1, -1)}"` +
    (start === cell ? '' : message` (the first ${CELL_CHARS_SHOWN} characters)`)
  )
}
