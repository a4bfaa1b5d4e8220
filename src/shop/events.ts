import type { contract } from '../contract/contract.ts'
import type { Input, Page } from '../contract/operation.ts'
import { type Reading, sql, type Tx } from '../engine/engine.ts'
import type { EventRecord, Link } from '../model/audit.ts'
import { type FieldError, StoreError } from '../model/error.ts'
import { type Event, sequenceText } from '../model/event.ts'
import { type AuditOnlyType, auditOnlyTypes, type EventType, eventTypes } from '../model/event-type.ts'
import { sentInstant } from '../model/instant.ts'
import { JsonText, writeJson } from '../model/json.ts'
import type { Context, Question } from './context.ts'
import { LIMIT_DEFAULT, padded } from './lists.ts'

/** Positions that one reading looks through, at most: it bounds what a rare type costs. */
const POSITIONS_A_READING_MAX = 2000n

/** An event that has its place, as far as it is told. */
export interface PlacedEvent extends Pick<EventRecord, 'id' | 'subject' | 'data' | 'at'> {
  readonly position: bigint
  readonly type: EventType | AuditOnlyType
}

/** How far a reading came: `events` is all there is after `after` and up to `to`. */
export interface Stretch {
  readonly events: readonly PlacedEvent[]
  readonly to: bigint
  /** Whether nothing had happened beyond `to`. */
  readonly atHead: boolean
}

export const placedColumns = 'id, position, type, subject, data, at'

/** With who did it: what stands in the audit trail, and in its chain. */
export const eventColumns = `${placedColumns}, subject_version AS "subjectVersion", key_id AS "keyId",
  request_id AS "requestId"`

const insertEvent = sql(`
  INSERT INTO event (id, position, hash, type, subject, subject_version, data, key_id, request_id, at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

const findLinks = sql<Link & { readonly place: 'head' | 'horizon' }>(
  'SELECT place, position, hash FROM chain',
)

/** Types that one reading asks for, at most: all there are. */
const TYPES_MAX = eventTypes.length + auditOnlyTypes.length

const findStretch = sql<PlacedEvent>(`
  SELECT ${placedColumns} FROM event WHERE position > $1 AND position <= $2
    AND type IN (${Array.from({ length: TYPES_MAX }, (_, index) => `$${index + 4}`).join(', ')})
  ORDER BY position LIMIT $3`)

/**
 * Records that something happened, in the transaction in which it does: the outbox, the feed and the audit trail in
 * one row. `data` is the resource after the change; of what is gone, as it was last. Answers the id of the event.
 */
export async function recordEvent(
  tx: Tx,
  context: Context,
  type: EventType | AuditOnlyType,
  subject: string,
  subjectVersion: bigint,
  data: object,
): Promise<bigint> {
  const { caller, requestId, now } = context
  const id = await tx.nextId('event')
  const keyId = caller.keyId
  const event = { id, type, subject, subjectVersion, data: writeJson(data), keyId, requestId, at: now }
  const link = tx.link(event)
  await tx.run(
    insertEvent,
    id,
    link?.position ?? null,
    link?.hash ?? null,
    type,
    subject,
    subjectVersion,
    event.data,
    keyId,
    requestId,
    now,
  )
  return id
}

/** The two ends of the chain: the last link that is kept no more (`horizon`), and the last one there is. */
export async function findChain(reading: Reading): Promise<{ horizon: Link; head: Link }> {
  const links = await reading.many(findLinks)
  const at = (name: string): Link => {
    const link = links.find(({ place }) => place === name)
    if (!link) throw new Error(`the table chain has no row for the ${name}`)
    return link
  }
  return { horizon: at('horizon'), head: at('head') }
}

/** Their positions: where the trail begins and where it ends. */
export async function findEnds(reading: Reading): Promise<{ horizon: bigint; head: bigint }> {
  const { horizon, head } = await findChain(reading)
  return { horizon: horizon.position, head: head.position }
}

/**
 * Reads on after a position: at most `limit` events of these types, from a bounded number of positions.
 * Throws `event_history_expired` when something after it is kept no more, `invalid_parameter` beyond the head.
 */
export async function readStretch(
  reading: Reading,
  after: bigint,
  types: readonly string[],
  limit: number,
): Promise<Stretch> {
  const ends = await findEnds(reading)
  refuseOutside(after, ends)
  const to = after + POSITIONS_A_READING_MAX < ends.head ? after + POSITIONS_A_READING_MAX : ends.head
  const rows = await reading.many(findStretch, after, to, BigInt(limit + 1), ...padded(types, [TYPES_MAX]))
  // What was swept while this was being read is missing in it.
  refuseOutside(after, await findEnds(reading))
  if (rows.length <= limit) return { events: rows, to, atHead: to === ends.head }
  const events = rows.slice(0, limit)
  return { events, to: events.at(-1)?.position ?? after, atHead: false }
}

/** Reads from the oldest event that is kept: where a sweep comes between, from the one that is the oldest then. */
async function readOldest(reading: Reading, types: readonly string[], limit: number): Promise<Stretch> {
  for (;;) {
    const { horizon } = await findEnds(reading)
    try {
      return await readStretch(reading, horizon, types, limit)
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'event_history_expired') throw error
    }
  }
}

/** Reads one page of the feed. Throws `event_history_expired`, and `invalid_parameter` beyond the head. */
export async function listEvents(
  reading: Reading,
  input: Input<typeof contract.listEvents>,
  { base }: Question,
): Promise<Page<Event>> {
  const types = input.type ?? eventTypes
  const limit = input.limit ?? LIMIT_DEFAULT
  const { events, to, atHead } =
    input.after === undefined
      ? await readOldest(reading, types, limit)
      : await readStretch(reading, input.after, types, limit)
  // Texts that the schema of this list describes: they go out byte for byte.
  const items = events.map(event => new JsonText(envelopeText(event, base))) as unknown as Event[]
  return { items, next: String(to), atHead }
}

/**
 * An event as it is sent: CloudEvents 1.0 in JSON, with the extension `sequence`. Its bytes are the same in the feed,
 * in a stream and to a webhook. Written out by hand, since a busy stream writes nothing else.
 */
export function envelopeText(event: PlacedEvent, source: string): string {
  const { id, type, subject, at, position, data } = event
  // Only the source comes from outside; the others are letters, digits and signs that JSON takes as they are.
  return (
    `{"specversion":"1.0","id":"${id}","source":${JSON.stringify(source)},"type":"${type}",` +
    `"subject":"${subject}","time":"${sentInstant(at)}","datacontenttype":"application/json",` +
    `"sequence":"${sequenceText(position)}","data":${data}}`
  )
}

/** Throws `event_history_expired` before what is kept, `invalid_parameter` beyond the head. */
export function refuseOutside(
  after: bigint,
  { horizon, head }: { horizon: bigint; head: bigint },
  place: Pick<FieldError, 'in' | 'name'> = { in: 'query', name: 'after' },
): void {
  if (after < horizon) {
    throw new StoreError(
      'event_history_expired',
      `Events up to position ${horizon} are kept no more: go on after ${horizon}, and read anew what you hold.`,
    )
  }
  if (after <= head) return
  const message = `${place.name} is ${after}, but the last event has position ${head}.`
  throw new StoreError('invalid_parameter', message, {
    errors: [{ ...place, code: 'out_of_range', message }],
  })
}
