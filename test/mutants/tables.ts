import type { Slips } from './slip.ts'
import { shopSlips } from './slips/shop.ts'

/** All slips made by hand. */
export const tables: readonly Slips[] = [shopSlips]
