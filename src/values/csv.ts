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
