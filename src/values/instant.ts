import { DAY_MS } from './time-zone.ts'

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

const YEAR_1_MS = Date.parse('0001-01-01T00:00:00.000Z')
const YEAR_9999_END_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Returns the milliseconds since 1970 of an RFC 3339 date-time (section 5.6), without finer fractions. Returns
 * undefined for any other text, for leap seconds, for dates that do not exist, and for years outside 0001..9999 (in
 * UTC).
 */
export function parseInstantMs(value: string): number | undefined {
  const match = RFC3339.exec(value)
  if (!match) return undefined
  const part = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  if (hour > 23 || minute > 59 || second > 59 || part(9) > 23 || part(10) > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  date.setUTCHours(hour, minute, second, milliseconds)
  const offsetMs = (part(9) * 60 + part(10)) * 60_000 * (match[8] === '-' ? -1 : 1)
  const ms = date.getTime() - offsetMs
  return ms >= YEAR_1_MS && ms <= YEAR_9999_END_MS ? ms : undefined
}

/** Returns an instant as text for a response: in UTC, with milliseconds only if they are not zero. */
export function formatInstantMs(ms: number): string {
  return storedInstant(ms).replace('.000Z', 'Z')
}

let lastMs = 0
let lastText = new Date(lastMs).toISOString()

/** Returns an instant in the stored form: text in UTC, always with milliseconds, so that the texts sort by time. */
export function storedInstant(ms: number): string {
  // The last text is cached, because the same millisecond is formatted many times.
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastText
}

/** Converts an instant from the stored form to the form of a response, which has no `.000`. */
export function formatInstant(stored: string): string {
  return stored.endsWith('.000Z') ? `${stored.slice(0, -5)}Z` : stored
}

/** Returns the stored form of an RFC 3339 text from a valid request. Throws for any other text. */
export function toStoredInstant(text: string): string {
  const ms = parseInstantMs(text)
  if (ms === undefined) throw new Error('an instant passed validation but cannot be parsed')
  return storedInstant(ms)
}

export const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Returns the first millisecond of an instant or a date; undefined for any other text. */
export function startMs(text: string): number | undefined {
  return parseInstantMs(DATE.test(text) ? `${text}T00:00:00Z` : text)
}

/**
 * Returns the milliseconds at which a period begins: at an instant, or at the start of a date. Throws for any other
 * text.
 */
export function periodStartMs(text: string): number {
  const ms = startMs(text)
  if (ms === undefined) throw new Error('an instant or a date passed validation but cannot be parsed')
  return ms
}

/**
 * Returns the milliseconds at which a period ends: at an instant, or at the end of a date. Throws for any other text.
 */
export function periodEndMs(text: string): number {
  return periodStartMs(text) + (DATE.test(text) ? DAY_MS : 0)
}
