import type { Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { findLogBounds } from './bounds.ts'

/** The maximum number of rows that one command deletes, because it shares the writer with all other commands. */
const SWEPT_MAX = 1000
/** The maximum time that a settled (delivered or failed) delivery is kept. */
export const DELIVERY_RETENTION_MS = 30 * 24 * 3_600_000

const readOldest = sql<{ position: bigint; hash: string; at: string }>()(`
  SELECT position, hash, at FROM event WHERE position > $floor ORDER BY position LIMIT ${SWEPT_MAX}`)

const removeEvents = sql()('DELETE FROM event WHERE position > $floor AND position <= $last')

const raiseFloor = sql()(
  `UPDATE chain_end SET position = $position, hash = $hash WHERE name = 'floor' AND position = $floor`,
)

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

/**
 * Deletes the oldest events that happened before an instant, at most 1,000, and returns their number. Only events at
 * the start of the audit log are deleted, so no event is missing between the remaining ones. The hash of the last
 * deleted event is stored with the retention floor.
 */
export async function sweepEvents(tx: Tx, { before }: { before: string }): Promise<number> {
  const { floor } = await findLogBounds(tx)
  const oldest = await tx.many(readOldest, { floor })
  const firstKept = oldest.findIndex(({ at }) => at >= before)
  const last = firstKept < 0 ? oldest.at(-1) : oldest[firstKept - 1]
  if (!last) return 0
  const { position, hash } = last
  // Another process has swept these events in the meantime.
  if ((await tx.run(raiseFloor, { floor, position, hash })) === 0) return 0
  return tx.run(removeEvents, { floor, last: position })
}

/**
 * Deletes deliveries that were settled before an instant, and deliveries of one deleted webhook, a bounded number per
 * call. Returns their number.
 */
export async function sweepDeliveries(tx: Tx, { before }: { before: string }): Promise<number> {
  const settled = await tx.many(findSettled, { before })
  await removeDeliveries(tx, settled)
  for (let after = -1n; ; ) {
    const next = await tx.one(findNextWebhook, { after })
    if (!next) return settled.length
    after = next.webhookId
    if (await tx.one(findWebhookId, { webhookId: after })) continue
    const orphans = await tx.many(findDeliveriesOfWebhook, { webhookId: after })
    await removeDeliveries(tx, orphans)
    return settled.length + orphans.length
  }
}

async function removeDeliveries(tx: Tx, deliveries: readonly { id: bigint }[]): Promise<void> {
  for (const { id: deliveryId } of deliveries) {
    await tx.run(removeAttempts, { deliveryId })
    await tx.run(removeDelivery, { deliveryId })
  }
}
