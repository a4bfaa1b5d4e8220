const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i

/**
 * Returns the milliseconds since 1970 of an RFC 3339 date-time (section 5.6) in the years 1 to 9999; undefined for a
 * leap second and for any other text.
 */
export function instantMs(text: string): number | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    sign,
    offsetHours = '0',
    offsetMinutes = '0',
  ] = match
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59 || !isDate(`${year}-${month}-${day}`))
    return undefined
  const local = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`,
  )
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  const ms = local - (sign === '-' ? -offsetMs : offsetMs)
  return ms >= YEAR_1_MS && ms < YEAR_10000_MS ? ms : undefined
}

const YEAR_1_MS = Date.parse('0001-01-01T00:00:00Z')
const YEAR_10000_MS = Date.parse('+010000-01-01T00:00:00Z')

/** Returns whether a text is a valid calendar date, such as `2026-02-28`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}
