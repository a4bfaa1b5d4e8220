import type { InventoryItem } from './api-types.ts'
import type { Client } from './client.ts'
import { ApiError } from './errors.ts'

/** How often a level is written at most while sales change the stock. */
const ATTEMPTS_MAX = 5

/**
 * Sets the level at which a pet should be reordered, and returns its stock; null removes the level. The store takes it
 * together with the quantity, so it is written with the ETag of the quantity that was read: if a sale comes between,
 * both are read again.
 */
export async function setReorderLevel(
  client: Pick<Client, 'getInventoryItem' | 'setInventory'>,
  petId: bigint,
  reorderAt: bigint | null,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<InventoryItem> {
  for (let attempt = 1; ; attempt++) {
    const { data, etag } = await client.getInventoryItem({ petId }, options)
    try {
      const body = { quantity: data.quantity, reorderAt }
      return (await client.setInventory({ petId, body }, { ...options, ifMatch: etag })).data
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
