import { int64Between } from '../../values/int64-schema.ts'
import { STOCK_MAX } from '../kernel/limits.ts'

/** A number of units of one pet. */
export const stockUnits = int64Between(0n, STOCK_MAX)
