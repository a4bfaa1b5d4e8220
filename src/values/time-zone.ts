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
