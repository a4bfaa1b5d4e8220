import { DAY_MS } from '../../values/time-zone.ts'

/** Days of the shop, such as `2026-11-22`. An empty text leaves that end open. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** Returns the day that is a number of days after another one. */
export function dayAfter(day: string, days: number): string {
  return new Date(startMs(day) + days * DAY_MS).toISOString().slice(0, 10)
}

function startMs(day: string): number {
  return Date.parse(`${day}T00:00Z`)
}

/** Returns the number of days from one day to a later one, without the later one. */
export function daysBetween(day: string, later: string): number {
  return (startMs(later) - startMs(day)) / DAY_MS
}

/** Returns the week of a day, from Monday to Sunday (ISO 8601). */
export function weekOf(day: string): Period {
  const sinceMonday = (new Date(startMs(day)).getUTCDay() + 6) % 7
  const from = dayAfter(day, -sinceMonday)
  return { from, to: dayAfter(from, 6) }
}

/** Returns the days of the month of a day. */
export function monthOf(day: string): Period {
  const from = `${day.slice(0, 7)}-01`
  const next = dayAfter(from, 31)
  return { from, to: dayAfter(`${next.slice(0, 7)}-01`, -1) }
}

/**
 * Returns the days with which those of a period that have begun are compared: as many, at the start of the period
 * before. A shorter month is compared as a whole, and so is the month before a month that is over. Returns undefined
 * if the period has not begun. `today` is the day in the shop.
 */
export function periodBefore({ from, to }: Period, today: string): Period | undefined {
  if (from > today || from < '1001') return undefined
  const last = to < today ? to : today
  const month = monthOf(from)
  if (from === month.from && to === month.to) {
    const before = monthOf(dayAfter(from, -1))
    const end = dayAfter(before.from, daysBetween(from, last))
    return to < today || end > before.to ? before : { from: before.from, to: end }
  }
  const start = dayAfter(from, -daysBetween(from, to) - 1)
  return start < '1000' ? undefined : { from: start, to: dayAfter(start, daysBetween(from, last)) }
}
