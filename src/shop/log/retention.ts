import type { Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { SWEPT_MAX } from '../kernel/limits.ts'
import { findLogBounds } from './bounds.ts'

const readOldest = sql<{ position: bigint; hash: string; at: string }>()(`
  SELECT position, hash, at FROM event WHERE position > $floor ORDER BY position LIMIT ${SWEPT_MAX}`)

const removeEvents = sql()('DELETE FROM event WHERE position > $floor AND position <= $last')

const raiseFloor = sql()(
  `UPDATE chain_end SET position = $position, hash = $hash WHERE name = 'floor' AND position = $floor`,
)

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
