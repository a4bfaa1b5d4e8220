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

/** All slips made by hand, by the path of their table. */
export const tables: Readonly<Record<string, Slips>> = {
  'test/mutants/slips/api.ts': apiSlips,
  'test/mutants/slips/catalogue.ts': catalogueSlips,
  'test/mutants/slips/cli.ts': cliSlips,
  'test/mutants/slips/client.ts': clientSlips,
  'test/mutants/slips/engine.ts': engineSlips,
  'test/mutants/slips/guarantees.ts': guaranteeSlips,
  'test/mutants/slips/sandboxes.ts': sandboxSlips,
  'test/mutants/slips/shop.ts': shopSlips,
  'test/mutants/slips/shop-more.ts': moreShopSlips,
  'test/mutants/slips/store-wiring.ts': storeSlips,
  'test/mutants/slips/webhooks.ts': webhooksSlips,
}
