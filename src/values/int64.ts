export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

const CANONICAL = /^(?:0|-?[1-9][0-9]{0,18})$/

export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX
}

/**
 * Returns the 64-bit integer in a text in canonical decimal form: no plus sign, no leading zero, no blank.
 * Returns undefined for any other text, and for a number that does not fit into 64 bits.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined
  const value = BigInt(text)
  return isInt64(value) ? value : undefined
}
