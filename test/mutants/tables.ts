import type { Slips } from './slip.ts'
import { catalogueSlips } from './slips/catalogue.ts'
import { cliSlips } from './slips/cli.ts'
import { clientSlips } from './slips/client.ts'
import { sandboxSlips } from './slips/sandboxes.ts'
import { shopSlips } from './slips/shop.ts'
import { storeSlips } from './slips/store-wiring.ts'

/** All slips made by hand. */
export const tables: readonly Slips[] = [
  shopSlips,
  clientSlips,
  catalogueSlips,
  cliSlips,
  sandboxSlips,
  storeSlips,
]
