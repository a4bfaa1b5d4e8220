import type { Tx } from '../../database/engine.ts'
import type { EventRecord, TotalChanges } from '../../database/new-event.ts'
import { writeJson } from '../../values/json.ts'
import type { Context } from '../kernel/context.ts'
import type { AuditOnlyType, EventType } from './event-types.ts'

/** A sequenced event, with the members that are published. */
export interface SequencedEvent extends Pick<EventRecord, 'id' | 'subject' | 'data' | 'at' | 'traceparent'> {
  readonly position: bigint
  readonly type: EventType | AuditOnlyType
}

export const sequencedColumns = 'id, position, type, subject, data, at, traceparent'

/** The columns of an entry of the audit log, without its hash and the id of its pet. */
export const eventColumns = `${sequencedColumns}, subject_version AS "subjectVersion", key_id AS "keyId",
  request_id AS "requestId"` as const

interface RecordedChange extends EventSubject {
  readonly type: EventType | AuditOnlyType
  /** The changes of the totals by this change. */
  readonly totals?: TotalChanges | undefined
}

/** What a change is about, after the change. */
export interface EventSubject extends Pick<EventRecord, 'subject' | 'subjectVersion'> {
  /** The pet that the change is about: the pet itself, its stock, or an order for it; null for anything else. */
  readonly petId: bigint | null
  /** The resource after the change, or its last state if it was deleted. */
  readonly data: object
}

/**
 * Records an event in the transaction of its change, and returns the id of the event. The same row is the entry in the
 * feed, in the streams, in the queue of the webhooks and in the audit log.
 */
export async function recordEvent(
  tx: Tx,
  context: Context,
  { type, subject, subjectVersion, petId, data, totals }: RecordedChange,
): Promise<bigint> {
  const { caller, requestId, now, traceparent = null } = context
  const id = await tx.nextId('event')
  const { keyId } = caller
  const event = {
    id,
    type,
    subject,
    subjectVersion,
    petId,
    data: writeJson(data),
    keyId,
    requestId,
    at: now,
    traceparent,
  }
  tx.appendEvent(event, totals)
  return id
}
