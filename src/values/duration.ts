const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/**
 * Returns the milliseconds of a duration such as `36h`: a number of at most five digits, and one of the letters in
 * `units`, which are among s, m, h, d and w. Returns undefined for any other text.
 */
export function durationMs(text: string, units: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([a-z])$/.exec(text) ?? []
  const ms = unitMs[unit]
  return ms !== undefined && units.includes(unit) ? Number(count) * ms : undefined
}
