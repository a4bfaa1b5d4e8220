import type { Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import { SWEPT_MAX } from '../kernel/limits.ts'

/** The maximum time that a settled (delivered or failed) delivery is kept. */
export const DELIVERY_RETENTION_MS = 30 * DAY_MS

const findSettled = sql<{ id: bigint }>()(`
  SELECT id FROM delivery WHERE state <> 'pending' AND updated_at < $before ORDER BY updated_at LIMIT ${SWEPT_MAX}`)

const findNextWebhook = sql<{ webhookId: bigint }>()(`
  SELECT webhook_id AS "webhookId" FROM delivery WHERE webhook_id > $after ORDER BY webhook_id LIMIT 1`)

const findWebhookId = sql<{ id: bigint }>()('SELECT id FROM webhook WHERE id = $webhookId')

const findDeliveriesOfWebhook = sql<{ id: bigint }>()(
  `SELECT id FROM delivery WHERE webhook_id = $webhookId ORDER BY id LIMIT ${SWEPT_MAX}`,
)

const removeAttempts = sql()('DELETE FROM attempt WHERE delivery_id = $deliveryId')
const removeDelivery = sql()('DELETE FROM delivery WHERE id = $deliveryId')
// A delivery that was found may have been requested again meanwhile.
const removeSettled = sql()(
  `DELETE FROM delivery WHERE id = $deliveryId AND state <> 'pending' AND updated_at < $before`,
)

/**
 * Deletes deliveries that were settled before an instant, and deliveries of one deleted webhook, a bounded number per
 * call. Returns their number.
 */
export async function sweepDeliveries(tx: Tx, { before }: { before: string }): Promise<number> {
  const settled = await tx.many(findSettled, { before })
  for (const { id: deliveryId } of settled)
    if ((await tx.run(removeSettled, { deliveryId, before })) > 0)
      await tx.run(removeAttempts, { deliveryId })
  for (let after = -1n; ; ) {
    const next = await tx.one(findNextWebhook, { after })
    if (!next) return settled.length
    after = next.webhookId
    if (await tx.one(findWebhookId, { webhookId: after })) continue
    const orphans = await tx.many(findDeliveriesOfWebhook, { webhookId: after })
    for (const { id: deliveryId } of orphans) {
      await tx.run(removeAttempts, { deliveryId })
      await tx.run(removeDelivery, { deliveryId })
    }
    return settled.length + orphans.length
  }
}
