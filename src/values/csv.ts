import { writeJson } from './json.ts'

/**
 * Returns the line of a record (RFC 4180), with a line feed as its end. A value that is not a text is JSON. Excel reads
 * semicolons in countries whose decimal sign is a comma.
 */
export function csvLine(values: readonly unknown[], delimiter: ',' | ';' = ','): string {
  return `${values.map(csvField).join(delimiter)}\n`
}

function csvField(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : writeJson(value)
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Returns a text in the form in which Excel keeps it, `="0041"`, if Excel would read a number, a date or a truth value:
 * it makes 41 of 0041, 200000 of 2E5, and a day of 3/10. An apostrophe or a tab would be a part of the text.
 */
export function excelText(text: string): string {
  const words = text.match(/\p{L}+/gu) ?? []
  // The words of a number or a date: an exponent, am and pm, and the name of a month in any language.
  const isConverted = words.every(word => word.length >= 3 || /^(?:e|[ap]m?)$/i.test(word))
  const isTruth = /^(?:true|false)$/i.test(text)
  if (text.startsWith("'") || !(isTruth || (isConverted && /\p{Nd}/u.test(text)))) return text
  return `="${text.replaceAll('"', '""')}"`
}
