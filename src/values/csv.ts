import { writeJson } from './json.ts'

/** Returns the line of a record (RFC 4180), with a line feed as its end. A value that is not a text is JSON. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\n`
}

function csvField(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : writeJson(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
