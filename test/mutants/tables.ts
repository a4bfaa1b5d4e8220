import type { Slips } from './slip.ts'
import { catalogueSlips } from './slips/catalogue.ts'
import { cliSlips } from './slips/cli.ts'
import { clientSlips } from './slips/client.ts'
import { contractSlips } from './slips/contract.ts'
import { databaseSlips } from './slips/database.ts'
import { fileSlips } from './slips/files.ts'
import { guaranteeSlips } from './slips/guarantees.ts'
import { httpSlips } from './slips/http.ts'
import { openapiSlips } from './slips/openapi.ts'
import { sandboxSlips } from './slips/sandboxes.ts'
import { servingSlips } from './slips/serving.ts'
import { categorySlips } from './slips/shop/categories.ts'
import { eventSlips } from './slips/shop/events.ts'
import { importSlips } from './slips/shop/imports.ts'
import { inventorySlips } from './slips/shop/inventory.ts'
import { keySlips } from './slips/shop/keys.ts'
import { logSlips } from './slips/shop/log.ts'
import { orderSlips } from './slips/shop/orders.ts'
import { petSlips } from './slips/shop/pets.ts'
import { shopWebhookSlips } from './slips/shop/webhooks.ts'
import { shopSlips } from './slips/shop.ts'
import { transferSlips } from './slips/transfer.ts'
import { valueSlips } from './slips/values.ts'
import { webhookSlips } from './slips/webhooks.ts'

/** All slips made by hand, by the path of their table. */
export const tables: Readonly<Record<string, Slips>> = {
  'test/mutants/slips/catalogue.ts': catalogueSlips,
  'test/mutants/slips/cli.ts': cliSlips,
  'test/mutants/slips/client.ts': clientSlips,
  'test/mutants/slips/contract.ts': contractSlips,
  'test/mutants/slips/database.ts': databaseSlips,
  'test/mutants/slips/files.ts': fileSlips,
  'test/mutants/slips/guarantees.ts': guaranteeSlips,
  'test/mutants/slips/http.ts': httpSlips,
  'test/mutants/slips/openapi.ts': openapiSlips,
  'test/mutants/slips/sandboxes.ts': sandboxSlips,
  'test/mutants/slips/serving.ts': servingSlips,
  'test/mutants/slips/shop.ts': shopSlips,
  'test/mutants/slips/shop/categories.ts': categorySlips,
  'test/mutants/slips/shop/events.ts': eventSlips,
  'test/mutants/slips/shop/imports.ts': importSlips,
  'test/mutants/slips/shop/inventory.ts': inventorySlips,
  'test/mutants/slips/shop/keys.ts': keySlips,
  'test/mutants/slips/shop/log.ts': logSlips,
  'test/mutants/slips/shop/orders.ts': orderSlips,
  'test/mutants/slips/shop/pets.ts': petSlips,
  'test/mutants/slips/shop/webhooks.ts': shopWebhookSlips,
  'test/mutants/slips/transfer.ts': transferSlips,
  'test/mutants/slips/values.ts': valueSlips,
  'test/mutants/slips/webhooks.ts': webhookSlips,
}
