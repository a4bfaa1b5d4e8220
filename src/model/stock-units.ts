import { STOCK_MAX } from './import-limits.ts'
import { int64Between } from './int64.ts'

/** A number of units of one pet. */
export const stockUnits = int64Between(0n, STOCK_MAX)
