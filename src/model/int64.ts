import { z } from 'zod'

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

const CANONICAL = /^(?:0|-?[1-9][0-9]{0,18})$/

/**
 * Reads the one decimal spelling of a 64-bit integer: no sign but a minus, no leading zero, no blank.
 * Answers undefined for any other text and for what does not fit into 64 bits.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined
  const value = BigInt(text)
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined
}

/** OpenAPI's `integer` of `format: int64`: a bigint here, an exact JSON number on the wire. */
export const int64 = z.bigint().min(INT64_MIN).max(INT64_MAX).meta({ format: 'int64' })

/** An int64 between two bounds, both included and both exact as JavaScript numbers: so they are described. */
export function int64Between(min: bigint, max: bigint) {
  return z
    .bigint()
    .min(min)
    .max(max)
    .meta({ format: 'int64', minimum: Number(min), maximum: Number(max) })
}
