import { durationMs } from '../../values/duration.ts'
import { parseInstantMs } from '../../values/instant.ts'

/** The forms that `readPeriodStart` and `readPeriodEnd` accept, for messages. */
export const PERIOD_FORMS =
  'yesterday, today, a date (2026-11-21), an instant (2026-11-21T09:30:00Z), or a time before now (90m, 12h, 3d, 2w)'

/**
 * Returns the first millisecond of a period, in milliseconds since 1970. `yesterday`, `today` and dates begin at
 * midnight in the time zone of this process. A duration such as `3d` is subtracted from `nowMs`. Returns undefined for
 * a text that is neither one of these nor an instant.
 */
export function readPeriodStart(text: string, nowMs: number): number | undefined {
  return readEdge(text, nowMs, 0)
}

/**
 * Returns the exclusive end of a period in milliseconds since 1970: for `yesterday`, `today` and dates, the midnight at
 * the end of that day. Returns undefined for the same texts as `readPeriodStart`.
 */
export function readPeriodEnd(text: string, nowMs: number): number | undefined {
  return readEdge(text, nowMs, 1)
}

function readEdge(text: string, nowMs: number, dayOffset: number): number | undefined {
  const beforeMs = durationMs(text, 'mhdw')
  if (beforeMs !== undefined) return nowMs - beforeMs
  const now = new Date(nowMs)
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  if (text === 'today') return new Date(year, month, day + dayOffset).getTime()
  if (text === 'yesterday') return new Date(year, month, day - 1 + dayOffset).getTime()
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!date) return parseInstantMs(text)
  // Date would turn February 30 into March 2, and the year 50 into 1950.
  if (parseInstantMs(`${text}T00:00:00Z`) === undefined || Number(date[1]) < 100) return undefined
  return new Date(Number(date[1]), Number(date[2]) - 1, Number(date[3]) + dayOffset).getTime()
}

/** Returns an instant as local date and time, to the second: `2026-11-21 09:30:00`. */
export function localTime(instant: string): string {
  const at = new Date(instant)
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  const date = `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
  return `${date} ${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:${twoDigits(at.getSeconds())}`
}

/** Returns the name of the time zone of this process: `Europe/Berlin`. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
