import { StoreError } from '../../contract/error.ts'
import type { Input, Page } from '../../contract/operation.ts'
import type { Reader } from '../../database/engine.ts'
import { dynamicSql } from '../../database/statement.ts'
import { formatInstant } from '../../values/instant.ts'
import { JsonText } from '../../values/json.ts'
import { sequenceText } from '../../values/sequence.ts'
import type { QueryContext } from '../kernel/context.ts'
import { LIMIT_DEFAULT, padded } from '../kernel/paging.ts'
import { assertWithinLog, findLogBounds, gapAround, type LogBounds } from '../log/bounds.ts'
import { auditOnlyTypes, eventTypes } from '../log/event-types.ts'
import { type SequencedEvent, sequencedColumns } from '../log/recording.ts'
import type { events } from './operations.ts'
import { findPetReadEnd } from './pet-events.ts'
import type { Event } from './schema.ts'

/**
 * The maximum number of positions that a read scans, unless the read is about one pet. This maximum bounds the cost of
 * a search for a rare type.
 */
const POSITIONS_PER_READ_MAX = 2000n

/** A page of events: every matching event after the requested position, up to `to`. */
export interface EventPage {
  readonly events: readonly SequencedEvent[]
  readonly to: bigint
  /** Whether `to` is the head, so that no event came after it. */
  readonly isAtHead: boolean
}

const TYPES_MAX = eventTypes.length + auditOnlyTypes.length

const selectEventPage = (after: bigint, to: bigint, { petId, types }: EventFilter, limit: number) =>
  dynamicSql<SequencedEvent>(
    place => `
    SELECT ${sequencedColumns} FROM event WHERE position > ${place(after)} AND position <= ${place(to)}
      ${petId === undefined ? '' : `AND pet_id = ${place(petId)}`}
      AND type IN (${padded(types, [TYPES_MAX]).map(place).join(', ')})
    ORDER BY position LIMIT ${place(BigInt(limit))}`,
  )

/** The filter of a read of events. */
interface EventFilter {
  readonly types: readonly string[]
  /** The id of a pet: only events about the pet, its stock and its orders pass the filter. */
  readonly petId?: bigint | undefined
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
  const rows = await reader.many(selectEventPage(after, to, filter, limit + 1))
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
  input: Input<typeof events.listEvents>,
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
  const { id, type, subject, at, position, data, traceparent } = event
  const trace = traceparent === null ? '' : `,"traceparent":"${traceparent}"`
  // Only the source comes from outside. `data` is JSON; the other values contain only characters that need no escape.
  return (
    `{"specversion":"1.0","id":"${id}","source":${JSON.stringify(source)},"type":"${type}",` +
    `"subject":"${subject}","time":"${formatInstant(at)}","datacontenttype":"application/json",` +
    `"sequence":"${sequenceText(position)}"${trace},"data":${data}}`
  )
}
