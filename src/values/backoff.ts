/** The three forms of a date (RFC 9110, section 5.6.7). `Date.parse` alone would also accept a text such as -1. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** Returns a pause in milliseconds that starts at `firstMs` and doubles with each failure, up to `maxMs`. */
export function backoffMs(firstMs: number, failures: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs)
}

/**
 * Returns the delay in Retry-After (RFC 9110, section 10.2.3) in milliseconds. The header contains seconds or an HTTP
 * date; for anything else, the function returns undefined.
 */
export function retryAfterMs(field: string | null | undefined, nowMs: number): number | undefined {
  const text = field?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text) * 1000
  if (!httpDates.some(form => form.test(text))) return undefined
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
