import type { Slips } from './slip.ts'
import { apiSlips } from './slips/api.ts'
import { shopSlips } from './slips/shop.ts'
import { moreShopSlips } from './slips/shop-more.ts'
import { webhooksSlips } from './slips/webhooks.ts'

/** All slips made by hand. */
export const tables: readonly Slips[] = [apiSlips, shopSlips, moreShopSlips, webhooksSlips]
