import { clocksIn } from '../../values/time-zone.ts'

/** The time zone of the shop, in which the console shows every time: its days are those of the summary. */
export const shopZone =
  document.querySelector<HTMLMetaElement>('meta[name="petstore-time-zone"]')?.content ?? 'UTC'

export const { localTime, instantOf } = clocksIn(shopZone)

/** Returns the day of an instant (milliseconds) in the shop: `2026-11-22`. */
export function localDay(ms: number): string {
  return localTime(ms).slice(0, 10)
}

/** Returns the instant at which a day begins in the shop, for a request. `earlierMs` is how much earlier it must be. */
export function startOfDay(day: string, earlierMs = 0): string {
  return new Date(instantOf(`${day}T00:00`) - earlierMs).toISOString()
}

/** Returns the day in a text such as `2026-11-22`; an empty text for any other text. */
export function dayIn(text: string): string {
  // The day before, or after, must be a day too, and its instant one that a request can have.
  const isDay = /^[12]\d{3}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
  return isDay ? text : ''
}
