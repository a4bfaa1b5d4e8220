import type { Slips } from './slip.ts'
import { apiSlips } from './slips/api.ts'
import { catalogueSlips } from './slips/catalogue.ts'
import { cliSlips } from './slips/cli.ts'
import { clientSlips } from './slips/client.ts'
import { engineSlips } from './slips/engine.ts'
import { guaranteeSlips } from './slips/guarantees.ts'
import { sandboxSlips } from './slips/sandboxes.ts'
import { shopSlips } from './slips/shop.ts'
import { moreShopSlips } from './slips/shop-more.ts'
import { storeSlips } from './slips/store-wiring.ts'
import { webhooksSlips } from './slips/webhooks.ts'

/** All slips made by hand. */
export const tables: readonly Slips[] = [
  ...[apiSlips, catalogueSlips, cliSlips, clientSlips, engineSlips, guaranteeSlips],
  ...[sandboxSlips, shopSlips, moreShopSlips, storeSlips, webhooksSlips],
]
