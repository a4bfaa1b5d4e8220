import { type FieldError, StoreError } from '../../contract/error.ts'
import type { Input, Page } from '../../contract/operation.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import type { ChainEntry, ChainGap, EventRecord } from '../../database/numbering/chain.ts'
import { changesText, type TotalChanges } from '../../database/numbering/totals.ts'
import { dynamicSql, sql } from '../../database/statement.ts'
import { formatInstant } from '../../values/instant.ts'
import { JsonText, writeJson } from '../../values/json.ts'
import type { Context, QueryContext } from '../context.ts'
import type { contract } from '../operations.ts'
import { LIMIT_DEFAULT, padded } from '../paging.ts'
import { eventHistoryExpired, positionBeyondHead, positionInGap } from '../refusals.ts'
import { findPetReadEnd } from './pet-events.ts'
import { type Event, sequenceText } from './schema.ts'
import { type AuditOnlyType, auditOnlyTypes, type EventType, eventTypes } from './types.ts'

/**
 * The maximum number of positions that a read scans, unless the read is about one pet. This maximum bounds the cost of
 * a search for a rare type.
 */
const POSITIONS_PER_READ_MAX = 2000n

/** A sequenced event, with the members that are published. */
export interface SequencedEvent extends Pick<EventRecord, 'id' | 'subject' | 'data' | 'at'> {
  readonly position: bigint
  readonly type: EventType | AuditOnlyType
}

/** A page of events: every matching event after the requested position, up to `to`. */
export interface EventPage {
  readonly events: readonly SequencedEvent[]
  readonly to: bigint
  /** Whether `to` is the head, so that no event came after it. */
  readonly isAtHead: boolean
}

export const sequencedColumns = 'id, position, type, subject, data, at'

/** The columns of an entry of the audit log, without its hash and the id of its pet. */
export const eventColumns = `${sequencedColumns}, subject_version AS "subjectVersion", key_id AS "keyId",
  request_id AS "requestId"` as const

const insertEvent = sql()(`
  INSERT INTO event (id, position, hash, type, subject, subject_version, pet_id, data, key_id, request_id, at,
    totals)
  VALUES ($eventId, $position, $hash, $type, $subject, $version, $petId, $data, $keyId, $requestId, $now, $totals)`)

const selectChainEnds = sql<ChainEntry & { readonly name: 'head' | 'floor' }>()(
  'SELECT name, position, hash FROM chain_end',
)

// One statement, because a stream reads the bounds after each commit.
const selectLogBounds = sql<{
  readonly name: 'head' | 'floor' | 'gap'
  readonly position: bigint
  readonly to: bigint
}>()(`
  SELECT name, position, position AS "to" FROM chain_end
  UNION ALL SELECT 'gap', after_position, to_position FROM chain_gap`)

const selectGaps = sql<ChainGap>()(
  'SELECT after_position AS "after", to_position AS "to", at FROM chain_gap ORDER BY after_position',
)

/** The positions of both ends of the log, and the gaps that restores have left in it. */
export interface LogBounds {
  /** The retention floor: events up to it have been deleted. */
  readonly floor: bigint
  readonly head: bigint
  readonly gaps: readonly Pick<ChainGap, 'after' | 'to'>[]
}

/** The maximum number of types that one read selects: all types. */
const TYPES_MAX = eventTypes.length + auditOnlyTypes.length

/** The positions that one read scans: those after `after`, up to `to`. */
interface ReadWindow {
  readonly after: bigint
  readonly to: bigint
}

const selectEventPage = ({ after, to }: ReadWindow, { petId, types }: EventFilter, limit: number) =>
  dynamicSql<SequencedEvent>(
    place => `
    SELECT ${sequencedColumns} FROM event WHERE position > ${place(after)} AND position <= ${place(to)}
      ${petId === undefined ? '' : `AND pet_id = ${place(petId)}`}
      AND type IN (${padded(types, [TYPES_MAX]).map(place).join(', ')})
    ORDER BY position LIMIT ${place(BigInt(limit))}`,
  )

/** The filter of a read of events. */
export interface EventFilter {
  readonly types: readonly string[]
  /** The id of a pet: only events about the pet, its stock and its orders pass the filter. */
  readonly petId?: bigint | undefined
}

/** A change to record. */
export interface NewEvent {
  readonly type: EventType | AuditOnlyType
  readonly subject: string
  /** The version of the subject after the change. */
  readonly version: bigint
  /** The pet that the change is about: the pet itself, its stock, or an order for it; null for anything else. */
  readonly petId: bigint | null
  /** The resource after the change, or its last state if it was deleted. */
  readonly data: object
  /** The changes of the totals by this change. */
  readonly totals?: TotalChanges
}

/**
 * Records an event in the transaction of its change, and returns the id of the event. The same row is the entry in the
 * feed, in the streams, in the queue of the webhooks and in the audit log.
 */
export async function recordEvent(
  tx: Tx,
  context: Context,
  { type, subject, version: subjectVersion, petId, data, totals }: NewEvent,
): Promise<bigint> {
  const { caller, requestId, now } = context
  const { keyId } = caller
  const eventId = await tx.nextId('event')
  const event = {
    id: eventId,
    type,
    subject,
    subjectVersion,
    data: writeJson(data),
    keyId,
    requestId,
    at: now,
  }
  const link = tx.numberEvent(event, totals)
  tx.write(insertEvent, {
    eventId,
    position: link?.position ?? null,
    hash: link?.hash ?? null,
    type,
    subject,
    version: subjectVersion,
    petId,
    data: event.data,
    keyId,
    requestId,
    now,
    totals: link || !totals ? null : changesText(totals),
  })
  return eventId
}

/** Returns both ends of the chain: its last deleted entry (the retention floor) and its last entry (`head`). */
export async function findChainEnds(reader: Reader): Promise<{ floor: ChainEntry; head: ChainEntry }> {
  const ends = await reader.many(selectChainEnds)
  const end = (name: 'head' | 'floor'): ChainEntry => {
    const entry = ends.find(found => found.name === name)
    if (!entry) throw new Error(`the table chain_end has no row for the ${name}`)
    return entry
  }
  return { floor: end('floor'), head: end('head') }
}

const findLastEvent = sql<{ at: string }>()(
  "SELECT at FROM event WHERE position = (SELECT position FROM chain_end WHERE name = 'head')",
)

/** Returns when the last event happened, in the stored form; undefined if it has been deleted, or there is none. */
export async function findLastEventAt(reader: Reader): Promise<string | undefined> {
  return (await reader.one(findLastEvent))?.at
}

/** Returns the gaps of the chain, in the order of their positions. */
export async function findChainGaps(reader: Reader): Promise<readonly ChainGap[]> {
  return reader.many(selectGaps)
}

/** Returns the bounds of the log, as of one commit. */
export async function findLogBounds(reader: Reader): Promise<LogBounds> {
  const rows = await reader.many(selectLogBounds)
  const end = (name: 'head' | 'floor'): bigint => {
    const row = rows.find(found => found.name === name)
    if (!row) throw new Error(`the table chain_end has no row for the ${name}`)
    return row.position
  }
  const gaps = rows.filter(({ name }) => name === 'gap').map(({ position, to }) => ({ after: position, to }))
  return { floor: end('floor'), head: end('head'), gaps }
}

/**
 * Returns the gap that contains a position; undefined if none does. The last position of a gap counts as outside the
 * gap, because a read that crosses the gap ends at that position.
 */
export function gapAround(
  position: bigint,
  { gaps }: Pick<LogBounds, 'gaps'>,
): Pick<ChainGap, 'after' | 'to'> | undefined {
  return gaps.find(({ after, to }) => position > after && position < to)
}

/**
 * Returns at most `limit` events after a position that pass a filter. The read scans a bounded number of positions, or,
 * with a filter by pet, a bounded number of events of that pet. Throws `event_history_expired` if an event after the
 * position has been deleted, or if the position is in a gap. Throws `invalid_parameter` if the position is beyond the
 * head.
 */
export async function readEventPage(
  reader: Reader,
  after: bigint,
  filter: EventFilter,
  limit: number,
): Promise<EventPage> {
  const ends = await findLogBounds(reader)
  assertWithinLog(after, ends)
  const to = await findReadEnd(reader, after, filter, ends)
  const rows = await reader.many(selectEventPage({ after, to }, filter, limit + 1))
  // Events that a sweep deleted during the read are missing from it, so the position is checked again.
  assertWithinLog(after, await findLogBounds(reader))
  if (rows.length <= limit) return { events: rows, to, isAtHead: to === ends.head }
  const events = rows.slice(0, limit)
  return { events, to: events.at(-1)?.position ?? after, isAtHead: false }
}

/** Returns the last position that a read scans. The read starts at the position after `after`. */
async function findReadEnd(
  reader: Reader,
  after: bigint,
  { petId }: EventFilter,
  bounds: LogBounds,
): Promise<bigint> {
  const { head } = bounds
  if (petId !== undefined) return findPetReadEnd(reader, petId, { from: after + 1n, to: head })
  const furthest = after + POSITIONS_PER_READ_MAX
  // A gap has nothing to scan, so a read crosses it at once.
  const last = gapAround(furthest, bounds)?.to ?? furthest
  return last < head ? last : head
}

/** Returns the page of the oldest stored events. Reads again if a sweep deletes some of them during the read. */
async function readOldest(reader: Reader, filter: EventFilter, limit: number): Promise<EventPage> {
  for (;;) {
    const { floor } = await findLogBounds(reader)
    try {
      return await readEventPage(reader, floor, filter, limit)
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'event_history_expired') throw error
    }
  }
}

/**
 * Returns one page of the feed. Throws `event_history_expired`, and `invalid_parameter` for a position beyond the head.
 */
export async function listEvents(
  reader: Reader,
  input: Input<typeof contract.listEvents>,
  { base }: QueryContext,
): Promise<Page<Event>> {
  const filter = { types: input.type ?? eventTypes, petId: input.petId }
  const limit = input.limit ?? LIMIT_DEFAULT
  const { events, to, isAtHead } =
    input.after === undefined
      ? await readOldest(reader, filter, limit)
      : await readEventPage(reader, input.after, filter, limit)
  // Each text conforms to the schema of this list. It is sent byte for byte.
  const items = events.map(event => new JsonText(envelopeText(event, base))) as unknown as Event[]
  return { items, next: String(to), isAtHead }
}

/**
 * Returns an event as it is sent: CloudEvents 1.0 in JSON, with the extension `sequence`. Its bytes are the same in
 * the feed, in a stream and in a delivery. The text is assembled by hand, because a busy stream does little else.
 */
export function envelopeText(event: SequencedEvent, source: string): string {
  const { id, type, subject, at, position, data } = event
  // Only the source comes from outside. `data` is JSON; the other values contain only characters that need no escape.
  return (
    `{"specversion":"1.0","id":"${id}","source":${JSON.stringify(source)},"type":"${type}",` +
    `"subject":"${subject}","time":"${formatInstant(at)}","datacontenttype":"application/json",` +
    `"sequence":"${sequenceText(position)}","data":${data}}`
  )
}

/**
 * Throws `event_history_expired` for a position before the retention floor or in a gap, and `invalid_parameter` beyond
 * the head. A client that knows a position in a gap has received events that the restored store never had.
 */
export function assertWithinLog(
  after: bigint,
  bounds: LogBounds,
  parameter: Pick<FieldError, 'in' | 'name'> = { in: 'query', name: 'after' },
): void {
  const { floor, head } = bounds
  if (after < floor) throw eventHistoryExpired(floor)
  const gap = gapAround(after, bounds)
  if (gap) throw positionInGap(gap)
  if (after > head) throw positionBeyondHead(parameter, after, head)
}
