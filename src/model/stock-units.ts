import { int64Between } from './int64.ts'

/** The maximum number of units of one pet. */
export const STOCK_MAX = 1_000_000_000n

/** A number of units of one pet. */
export const stockUnits = int64Between(0n, STOCK_MAX)
