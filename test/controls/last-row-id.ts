import { z } from 'zod'
import type { ReceivedEvent } from '../support/received-events.ts'
import type { TestStore } from '../support/store.ts'

const Row = z.object({
  id: z.bigint(),
  position: z.bigint().nullable(),
  subject: z.string(),
  type: z.string(),
})

/**
 * Broken on purpose: returns the events after a row id, not after a position. It misses events with lower ids that are
 * committed later.
 */
export async function readAfterRowId(store: TestStore, lastId: bigint): Promise<ReceivedEvent[]> {
  const rows = await store.database(
    `SELECT id, position, subject, type FROM event WHERE id > ${lastId} ORDER BY id`,
  )
  return Row.array()
    .parse(rows)
    .map(row => ({ ...row, position: row.position ?? 0n }))
}
