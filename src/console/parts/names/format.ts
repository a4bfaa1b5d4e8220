import { storeNowMs } from '../../data/shop-clock.ts'
import { shopZone } from '../../data/shop-zone.ts'

const counts = new Intl.NumberFormat()
const changes = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' })
const instants = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: shopZone,
})
const dates = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: shopZone })
const weekdays = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: shopZone })
const fullDates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: shopZone })
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: shopZone })
const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Formats a number with thousands separators. */
export function formatCount(count: bigint | number): string {
  return counts.format(count)
}

/** Formats an RFC 3339 instant in the time zone of the shop. */
export function formatInstant(instant: string): string {
  return instants.format(new Date(instant))
}

/** Formats the day of an instant without the year, in the time zone of the shop. `atMs` is ms since 1970. */
export function formatDate(atMs: number): string {
  return dates.format(new Date(atMs))
}

/** Formats the time of day of an instant, in the time zone of the shop. `atMs` is ms since 1970. */
export function formatTime(atMs: number): string {
  return times.format(new Date(atMs))
}

/** Formats the day of an instant in the shop, with the day of the week: `Thursday, Nov 26, 2026`. */
export function formatShopDay(instant: string): string {
  const date = new Date(instant)
  return `${weekdays.format(date)}, ${fullDates.format(date)}`
}

/** Formats a difference with its sign: `+3`, `-2`. */
export function formatChange(change: bigint): string {
  return changes.format(change)
}

/** Formats a number with its noun: `1 pet`, `2 pets`. */
export function countText(count: bigint | number, singular: string, plural: string): string {
  return `${formatCount(count)} ${BigInt(count) === 1n ? singular : plural}`
}

/** Formats a number of units: `1 unit`, `2 units`. */
export function formatUnits(units: bigint): string {
  return countText(units, 'unit', 'units')
}

/** Formats a day such as `2026-11-22` without the year. */
export function formatDay(day: string): string {
  return days.format(new Date(`${day}T00:00:00Z`))
}

/** Formats how long ago an instant is: `just now`, `5 minutes ago`. */
export function formatAge(instant: string, nowMs = storeNowMs()): string {
  const seconds = Math.round((nowMs - Date.parse(instant)) / 1000)
  if (seconds < 10) return 'just now'
  const ago = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
  if (seconds < 60) return ago.format(-seconds, 'second')
  if (seconds < 3600) return ago.format(-Math.round(seconds / 60), 'minute')
  if (seconds < 86_400) return ago.format(-Math.round(seconds / 3600), 'hour')
  return ago.format(-Math.round(seconds / 86_400), 'day')
}
