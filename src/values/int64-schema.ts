import { z } from 'zod'
import { INT64_MAX, INT64_MIN } from './int64.ts'

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
