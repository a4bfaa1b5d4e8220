import type { SqliteConnection } from '../sqlite/connection.ts'
import { sql } from '../statement.ts'
import { type ChainEntry, type EventRecord, nextChainEntry } from './chain.ts'
import { knownHead, moveHead, readHead } from './head.ts'
import { readChanges, TotalSums } from './totals.ts'

/** The maximum number of events that are read and numbered at a time. */
export const EVENTS_PER_STEP_MAX = 1000

interface UnnumberedEvent extends EventRecord {
  /** The changes of the totals, as text; null if the event changes none. */
  readonly totals: string | null
}

export const findUnnumbered = sql<UnnumberedEvent>()(`
  SELECT id, type, subject, subject_version AS "subjectVersion", data, key_id AS "keyId", request_id AS "requestId", at,
    traceparent, totals
  FROM event WHERE position IS NULL ORDER BY subject, subject_version, id LIMIT ${EVENTS_PER_STEP_MAX}`)

const setPosition = sql()('UPDATE event SET position = $position, hash = $hash, totals = NULL WHERE id = $id')

interface Numbered {
  readonly entries: readonly (ChainEntry & { readonly id: bigint })[]
  /** The new head. */
  readonly last: ChainEntry
  readonly sums: TotalSums
}

/**
 * Returns the positions and chain entries of the events that `findUnnumbered` has found. They are numbered in the order
 * of their ids, but the events of one subject in the order of its versions. If `found` has EVENTS_PER_STEP_MAX
 * events, they keep the order in which they were found: by subject and version.
 */
export function numberEvents(head: ChainEntry, found: readonly UnnumberedEvent[]): Numbered {
  const ordered = found.length < EVENTS_PER_STEP_MAX ? sortByIdAndVersion(found) : found
  let last = head
  const sums = new TotalSums()
  const entries = ordered.map(event => {
    last = nextChainEntry(last, event)
    if (event.totals !== null) sums.add(readChanges(event.totals))
    return { id: event.id, position: last.position, hash: last.hash }
  })
  return { entries, last, sums }
}

/**
 * In a database that was copied from PostgreSQL, numbers the events without a position, because SQLite has no
 * sequencer. The caller owns the transaction.
 */
export function numberCopiedEvents(connection: SqliteConnection): void {
  for (;;) {
    const found = connection.many(findUnnumbered)
    if (found.length === 0) return
    const head = knownHead(connection.one(readHead))
    const { entries, last, sums } = numberEvents(head, found)
    for (const { id, position, hash } of entries) connection.run(setPosition, { id, position, hash })
    for (const { statement, parameters } of sums.take()) connection.run(statement, parameters)
    connection.run(moveHead, { position: last.position, hash: last.hash })
  }
}

/**
 * Sorts events by id, which is nearly the order of time. Then the events of one subject exchange places, so that they
 * are in the order of their versions. `bySubject` is sorted by subject and version.
 */
function sortByIdAndVersion(bySubject: readonly UnnumberedEvent[]): UnnumberedEvent[] {
  const queues = Map.groupBy(bySubject, ({ subject }) => subject)
  const places = bySubject.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return places.flatMap(({ subject }) => queues.get(subject)?.shift() ?? [])
}
