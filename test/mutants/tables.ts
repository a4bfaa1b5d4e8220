import type { Slips } from './slip.ts'
import { engineSlips } from './slips/engine.ts'
import { guaranteeSlips } from './slips/guarantees.ts'
import { shopSlips } from './slips/shop.ts'

/** All slips made by hand. */
export const tables: readonly Slips[] = [shopSlips, engineSlips, guaranteeSlips]
