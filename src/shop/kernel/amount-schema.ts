import { AMOUNT_MAX } from '../../values/currency.ts'
import { int64Between } from '../../values/int64-schema.ts'

/** An amount in minor units of the currency of the store, such as cents. */
export const amount = int64Between(0n, AMOUNT_MAX)
