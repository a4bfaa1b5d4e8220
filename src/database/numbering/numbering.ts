import type { Tx } from '../engine.ts'
import type { NewEvent } from '../new-event.ts'
import { sql } from '../statement.ts'
import { type ChainEntry, nextChainEntry } from './chain.ts'
import { knownHead, moveHead, readHead } from './head.ts'
import { changesText, readChanges, TotalSums } from './totals.ts'

export const insertEvent = sql()(`
  INSERT INTO event (id, position, hash, type, subject, subject_version, pet_id, data, key_id, request_id, at,
    traceparent)
  VALUES ($id, $position, $hash, $type, $subject, $subjectVersion, $petId, $data, $keyId, $requestId, $at,
    $traceparent)`)

/** A row of the table `event_batch`: committed events that have no position yet. */
interface EventBatch {
  readonly id: bigint
  /** The events as JSON. */
  readonly events: string
  /** The changes of the totals by the events, as text; null if they change none. */
  readonly totals: string | null
}

/** The maximum number of events in a batch. It bounds the memory of the sequencer. */
export const EVENTS_PER_BATCH_MAX = 25

/** The maximum number of batches that are numbered at a time. */
const BATCHES_PER_STEP_MAX = 100

export const insertBatch = sql()('INSERT INTO event_batch (events, totals) VALUES ($events, $totals)')

const takeBatches = sql<EventBatch>()(`
  DELETE FROM event_batch WHERE id IN (SELECT id FROM event_batch ORDER BY id LIMIT ${BATCHES_PER_STEP_MAX})
  RETURNING id, events, totals`)

/** An event as JSON: its 64-bit integers are texts, because JSON.parse would round them. */
interface BatchedEvent extends Omit<NewEvent, 'id' | 'subjectVersion' | 'keyId' | 'petId'> {
  readonly id: string
  readonly subjectVersion: string
  readonly keyId: string | null
  readonly petId: string | null
}

/** Returns the columns of a batch. */
export function batchOf(events: readonly NewEvent[], totals: TotalSums): Omit<EventBatch, 'id'> {
  const changes = totals.takeChanges()
  return {
    events: JSON.stringify(events.map(batchedEvent)),
    totals: changes.length === 0 ? null : changesText(Object.fromEntries(changes)),
  }
}

function batchedEvent(event: NewEvent): BatchedEvent {
  const { id, subjectVersion, keyId, petId } = event
  return {
    ...event,
    id: `${id}`,
    subjectVersion: `${subjectVersion}`,
    keyId: keyId === null ? null : `${keyId}`,
    petId: petId === null ? null : `${petId}`,
  }
}

function readEvents({ events }: EventBatch): NewEvent[] {
  // Safe: batchOf wrote it.
  const batched = JSON.parse(events) as readonly BatchedEvent[]
  return batched.map(event => ({
    ...event,
    id: BigInt(event.id),
    subjectVersion: BigInt(event.subjectVersion),
    keyId: event.keyId === null ? null : BigInt(event.keyId),
    petId: event.petId === null ? null : BigInt(event.petId),
  }))
}

/**
 * Moves waiting batches into the table `event`, up to BATCHES_PER_STEP_MAX of them, and adds their changes to the
 * totals. Returns the new head of the chain, and whether further batches may wait. The caller owns the transaction, and
 * has locked the head.
 */
export async function numberNextBatches(
  database: Pick<Tx, 'many' | 'write'>,
  head: ChainEntry,
): Promise<{ head: ChainEntry; isPartial: boolean }> {
  const batches = await database.many(takeBatches)
  if (batches.length === 0) return { head, isPartial: false }
  const { events, last, sums } = numberEvents(head, batches)
  for (const event of events) database.write(insertEvent, { ...event })
  sums.writeTo(database)
  database.write(moveHead, { position: last.position, hash: last.hash })
  return { head: last, isPartial: batches.length === BATCHES_PER_STEP_MAX }
}

/** Numbers all waiting batches, as `numberNextBatches` does. Returns the head of the chain after them. */
export async function numberAllBatches(database: Pick<Tx, 'one' | 'many' | 'write'>): Promise<ChainEntry> {
  let last = knownHead(await database.one(readHead))
  for (let isPartial = true; isPartial; )
    ({ head: last, isPartial } = await numberNextBatches(database, last))
  return last
}

interface Numbered {
  readonly events: readonly (NewEvent & ChainEntry)[]
  /** The new head. */
  readonly last: ChainEntry
  readonly sums: TotalSums
}

/**
 * Gives the events of batches their positions and entries of the chain: in the order of the batches and of their places
 * in them, but the events of one subject in the order of its versions. `batches` must contain all waiting batches up to
 * an id, so that no earlier version of a subject is missing.
 *
 * The id of a batch is taken from one sequence after the transaction has read and locked what its events depend on. So
 * a change that began after the response to another change has the later position, whichever processes made them.
 */
export function numberEvents(head: ChainEntry, batches: readonly EventBatch[]): Numbered {
  const sums = new TotalSums()
  let last = head
  const inOrder = batches.toSorted((a, b) => compare(a.id, b.id))
  const events = exchangeByVersion(inOrder.flatMap(readEvents)).map(event => {
    last = nextChainEntry(last, event)
    return { ...event, ...last }
  })
  for (const { totals } of batches) if (totals !== null) sums.add(readChanges(totals))
  return { events, last, sums }
}

/** Lets the events of each subject exchange places, so that they are in the order of their versions. */
function exchangeByVersion(events: readonly NewEvent[]): NewEvent[] {
  const queues = Map.groupBy(events, ({ subject }) => subject)
  // Some events do not change their subject, so they have the version of an earlier one, and stay behind it.
  for (const queue of queues.values()) queue.sort((a, b) => compare(a.subjectVersion, b.subjectVersion))
  return events.flatMap(({ subject }) => queues.get(subject)?.shift() ?? [])
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
