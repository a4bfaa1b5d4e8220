import { ApiError, type Client } from '../../client/petstore-client.ts'
import type { Sending } from './change.ts'

/** How often a level is written at most while sales change the stock. */
const ATTEMPTS_MAX = 5

/**
 * Sets the level at which a pet should be reordered; null removes it. The store takes it together with the quantity, so
 * it is written with the ETag of the quantity that was read: if a sale comes between, both are read again.
 */
export async function setReorderLevel(
  client: Client,
  petId: bigint,
  reorderAt: bigint | null,
  { signal }: Pick<Sending, 'signal'>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { data, etag } = await client.getInventoryItem({ petId }, { signal })
    try {
      await client.setInventory(
        { petId, body: { quantity: data.quantity, reorderAt } },
        { signal, ifMatch: etag },
      )
      return
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
