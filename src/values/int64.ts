import { z } from 'zod'

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

const CANONICAL = /^(?:0|-?[1-9][0-9]{0,18})$/

/**
 * Returns the 64-bit integer in a text in canonical decimal form: no plus sign, no leading zero, no blank.
 * Returns undefined for any other text, and for a number that does not fit into 64 bits.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined
  const value = BigInt(text)
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined
}

/** An OpenAPI `integer` with `format: int64`: a bigint in code, an exact JSON number on the wire. */
export const int64 = z.bigint().min(INT64_MIN).max(INT64_MAX).meta({ format: 'int64' })

/**
 * Returns the schema of an int64 between two inclusive bounds. Both bounds must be exact as JavaScript numbers, because
 * the description contains them.
 */
export function int64Between(min: bigint, max: bigint) {
  return z
    .bigint()
    .min(min)
    .max(max)
    .meta({ format: 'int64', minimum: Number(min), maximum: Number(max) })
}
