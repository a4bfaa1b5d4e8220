/** The length of a day without a change of the clocks, in milliseconds. */
export const DAY_MS = 86_400_000

/**
 * Returns the name of a zone of the IANA time zone database as it is written there, such as `Europe/Vienna`; undefined
 * if there is no such zone.
 */
export function timeZoneName(text: string): string | undefined {
  // An offset such as +02:00 is not a zone: the days of a shop follow its daylight saving time.
  if (!/^[A-Za-z]/.test(text)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

// Swedish dates and times have the form of ISO 8601.
const ISO_LOCALE = 'sv-SE'

/** Returns a function that returns the date of an instant (milliseconds) in a zone: `2026-11-26`. */
export function datesIn(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat(ISO_LOCALE, { timeZone, dateStyle: 'short' })
  return ms => format.format(ms)
}

/** Returns a function that returns the date and time of an instant (milliseconds) in a zone: `2026-11-26 08:30:00`. */
export function localTimesIn(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat(ISO_LOCALE, { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return ms => format.format(ms)
}

/** The clocks of a zone: what they show at an instant (milliseconds), and when they show it. */
interface Clocks {
  /** Returns an instant as the clocks show it, to the minute: `2026-11-22T08:30`. */
  readonly localTime: (ms: number) => string
  /**
   * Returns the instant at which the clocks show a local time such as `2026-11-22T08:30`; NaN for any other text. Of
   * two such instants, it is the first. A time that a change of the clocks skips is taken as if they had not been
   * changed: a day whose midnight is skipped begins with the change.
   */
  readonly instantOf: (local: string) => number
}

/** Returns the clocks of a zone. */
export function clocksIn(timeZone: string): Clocks {
  const localTimes = localTimesIn(timeZone)
  /** Returns how far the clocks are ahead of UTC. */
  const offsetAt = (ms: number): number => {
    const offset = Date.parse(`${localTimes(ms).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000
    // The years before 1000 have another form, and nobody has set a clock by them.
    return Number.isNaN(offset) ? 0 : offset
  }
  return {
    localTime: ms => new Date(ms + offsetAt(ms)).toISOString().slice(0, 16),
    instantOf: local => {
      const asUtc = Date.parse(`${local}Z`)
      if (Number.isNaN(asUtc)) return asUtc
      const [before, after] = [offsetAt(asUtc - DAY_MS), offsetAt(asUtc + DAY_MS)]
      const isShownAt = (offset: number): boolean => offsetAt(asUtc - offset) === offset
      return asUtc - (isShownAt(before) || !isShownAt(after) ? before : after)
    },
  }
}
