const PERCENT = /^([+-]?)(\d{1,4})(?:[.,](\d{1,2}))?$/
/** A hundredth of a percent is the unit in which a percentage is exact. */
const WHOLE = 10_000n
const PERCENT_MAX = 1000n * 100n

/**
 * Returns a price, in minor units, after a change by percent: `10`, `-2.5` or `-2,5`. Halves of a minor unit are
 * rounded up. Returns undefined for a text that is no percentage from -100 to 1000.
 */
export function priceAfter(price: bigint, percent: string): bigint | undefined {
  const [, sign, whole, decimals = ''] = PERCENT.exec(percent.trim()) ?? []
  if (whole === undefined) return undefined
  const hundredths = BigInt(whole) * 100n + BigInt(decimals.padEnd(2, '0'))
  const change = sign === '-' ? -hundredths : hundredths
  if (change < -WHOLE || change > PERCENT_MAX) return undefined
  return (price * (WHOLE + change) + WHOLE / 2n) / WHOLE
}
