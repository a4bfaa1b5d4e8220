import { sql, type Tx } from '../engine/engine.ts'
import type { EventType } from '../model/event.ts'
import { writeJson } from '../model/json.ts'
import type { Context } from './context.ts'

const insertEvent = sql(`
  INSERT INTO event (id, position, type, subject, subject_version, data, key_id, request_id, at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)

/**
 * Records that something happened, in the transaction in which it does: the outbox, the feed and the audit trail in
 * one row. `data` is the resource after the change; for `deleted` and `cancelled`, as it was last.
 */
export async function recordEvent(
  tx: Tx,
  context: Context,
  type: EventType,
  subject: string,
  subjectVersion: bigint,
  data: object,
): Promise<void> {
  const id = await tx.nextId('event')
  await tx.run(
    insertEvent,
    id,
    tx.positionAtInsert(id),
    type,
    subject,
    subjectVersion,
    writeJson(data),
    context.caller.keyId,
    context.requestId,
    context.now,
  )
}
