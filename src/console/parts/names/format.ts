import { storeNowMs } from '../../data/shop-clock.ts'
import { withMinus } from '../../data/shop-currency.ts'
import { shopZone } from '../../data/shop-zone.ts'
import { locale } from '../../words/language.ts'
import { countText, t } from '../../words/sentences.tsx'

const counts = new Intl.NumberFormat(locale)
const changes = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' })
const instants = new Intl.DateTimeFormat(locale, {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: shopZone,
})
const dates = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: shopZone })
const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: shopZone })
const fullDates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: shopZone })
const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: shopZone })
const fullDays = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const days = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Formats a number with thousands separators. */
export function formatCount(count: bigint | number): string {
  return withMinus(counts.format(count))
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
  return t('{weekday}, {date}', { weekday: weekdays.format(date), date: fullDates.format(date) })
}

/** Formats a difference with its sign: `+3`, `−2`. */
export function formatChange(change: bigint): string {
  return withMinus(changes.format(change))
}

/** Formats a difference of units with its sign: `+3 units`, `−1 unit`. */
export function formatUnitsChange(change: bigint): string {
  const text = formatChange(change)
  return change === 1n || change === -1n
    ? t('{change} unit', { change: text })
    : t('{change} units', { change: text })
}

/** Formats a number of units: `1 unit`, `2 units`. */
export function formatUnits(units: bigint): string {
  return countText(units, '{count} unit', '{count} units')
}

/** Formats a number of articles: `1 article`, `2 articles`. */
export function formatArticles(articles: number): string {
  return countText(articles, '{count} article', '{count} articles')
}

/** Formats a day such as `2026-11-22` for the names of files and for periods: `22.11.2026` in German. */
export function formatIsoDay(isoDay: string): string {
  const [year = '', month = '', day = ''] = isoDay.split('-')
  return t('{year}-{month}-{day}', { year, month, day })
}

/** Formats a day such as `2026-11-22` as `formatInstant` does: `22 Nov 2026`, `22.11.2026`. */
export function formatFullDay(isoDay: string): string {
  return fullDays.format(new Date(`${isoDay}T00:00:00Z`))
}

/** Formats a day such as `2026-11-22` without the year. */
export function formatDay(day: string): string {
  return days.format(new Date(`${day}T00:00:00Z`))
}

/** Formats how many days of the shop ago something was: `today`, `yesterday`, `3 days ago`. */
export function formatDaysAgo(days: number): string {
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-Math.max(days, 0), 'day')
}

/** Formats how long ago an instant is: `just now`, `5 minutes ago`. */
export function formatAge(instant: string, nowMs = storeNowMs()): string {
  const seconds = Math.round((nowMs - Date.parse(instant)) / 1000)
  if (seconds < 10) return t('just now')
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  if (seconds < 60) return ago.format(-seconds, 'second')
  if (seconds < 3600) return ago.format(-Math.round(seconds / 60), 'minute')
  if (seconds < 86_400) return ago.format(-Math.round(seconds / 3600), 'hour')
  return ago.format(-Math.round(seconds / 86_400), 'day')
}
