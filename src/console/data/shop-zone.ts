import { localTimesIn } from '../../values/time-zone.ts'

/** The time zone of the shop, in which the console shows every time: its days are those of the summary. */
export const shopZone =
  document.querySelector<HTMLMetaElement>('meta[name="petstore-time-zone"]')?.content ?? 'UTC'

const localTimes = localTimesIn(shopZone)

/** Returns how far the clocks of the shop are ahead of UTC at an instant, in milliseconds. */
function offsetAt(ms: number): number {
  const offset = Date.parse(`${localTimes(ms).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000
  // The years before 1000 have another form, and nobody has set a clock by them.
  return Number.isNaN(offset) ? 0 : offset
}

/** Returns an instant (milliseconds) as the clocks of the shop show it, to the minute: `2026-11-22T08:30`. */
export function localTime(ms: number): string {
  return new Date(ms + offsetAt(ms)).toISOString().slice(0, 16)
}

/** Returns the day of an instant (milliseconds) in the shop: `2026-11-22`. */
export function localDay(ms: number): string {
  return localTime(ms).slice(0, 10)
}

/**
 * Returns the instant (milliseconds) at which the clocks of the shop show a local time such as `2026-11-22T08:30`;
 * NaN for any other text. A time that a change of the clocks skips is taken as if they had not been changed.
 */
export function instantOf(local: string): number {
  const asUtc = Date.parse(`${local}Z`)
  return Number.isNaN(asUtc) ? asUtc : asUtc - offsetAt(asUtc - offsetAt(asUtc))
}

const DAY_MS = 86_400_000

/** Returns the day that is a number of days after another one. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Returns the instant at which a day begins in the shop, for a request. `earlierMs` is how much earlier it must be. */
export function startOfDay(day: string, earlierMs = 0): string {
  return new Date(instantOf(`${day}T00:00`) - earlierMs).toISOString()
}

/** Returns the day in a text such as `2026-11-22`; an empty text for any other text. */
export function dayIn(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}
