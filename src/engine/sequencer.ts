import type { ReservedSQL } from 'bun'
import { type ChainEntry, type EventRecord, nextChainEntry } from '../model/audit-chain.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { faultOf } from './postgres-fault.ts'
import { sql } from './statement.ts'
import { readChanges, TotalSums } from './totals.ts'

/** The maximum number of events numbered in one transaction. */
const EVENTS_PER_STEP_MAX = 1000
/** The interval at which a process looks for events that another process committed but did not number. */
const IDLE_MS = 1000
/** The pause before a step, in milliseconds: each step costs the database a commit. */
const PAUSE_MS = 10

/** Runs work in a transaction at READ COMMITTED. */
type RunInTransaction = <T>(work: (connection: ReservedSQL) => Promise<T>) => Promise<T>

/** A committed event without a position. */
interface UnnumberedEvent extends EventRecord {
  /** The changes of the totals, as text; null if the event changes none. */
  readonly totals: string | null
}

// This UPDATE locks the row of the head. The process that holds the lock numbers the events. The next process that gets
// the lock sees these positions.
const lockHead = sql<ChainEntry>()(
  `UPDATE chain_end SET position = position WHERE name = 'head' RETURNING position, hash`,
)

const findUnnumbered = sql<UnnumberedEvent>()(`
  SELECT id, type, subject, subject_version AS "subjectVersion", data, key_id AS "keyId", request_id AS "requestId", at,
    totals
  FROM event WHERE position IS NULL ORDER BY subject, subject_version, id LIMIT ${EVENTS_PER_STEP_MAX}`)

const moveHead = sql()(`UPDATE chain_end SET position = $position, hash = $hash WHERE name = 'head'`)

/**
 * Starts the sequencer, which gives committed events their positions (1, 2, 3, ... without a gap) and chains them. Ids
 * are taken before the commit, so they become visible out of order. Positions are assigned after the commit, under a
 * lock on one row, so an event consumer that continues after its last position misses nothing. Any number of processes
 * may run the sequencer at once. Events of one subject are numbered in the order of the subject's version. `onMoved` is
 * called when the head has moved, whichever process moved it.
 */
export function sequence(
  inTransaction: RunInTransaction,
  onMoved: () => void,
  onFault: (error: unknown) => void,
): { wake(): void; close(): Promise<void> } {
  let closing = false
  let woken = Promise.withResolvers<void>()
  let seenHead = -1n
  let isFailing = false

  async function drain(): Promise<void> {
    for (;;) {
      const { head, numbered } = await step(inTransaction)
      if (head !== seenHead) onMoved()
      seenHead = head
      if (numbered < EVENTS_PER_STEP_MAX) return
    }
  }

  async function run(): Promise<void> {
    while (!closing) {
      woken = Promise.withResolvers()
      try {
        await drain()
        isFailing = false
      } catch (error) {
        // While another process numbers events, it holds the lock. A database that is down fails once a second.
        if (!closing && !isFailing && faultOf(error) !== 'locked') onFault(error)
        isFailing = faultOf(error) !== 'locked'
      }
      if (!closing) await Promise.race([woken.promise, Bun.sleep(IDLE_MS)])
      // The events of the commands of the next moment share one transaction.
      if (!closing) await Bun.sleep(PAUSE_MS)
    }
  }

  const running = run()
  return {
    wake: () => woken.resolve(),
    close: async () => {
      closing = true
      woken.resolve()
      await running
    },
  }
}

/**
 * Numbers up to a thousand committed events that have no position yet, and changes the totals. Returns the new head,
 * and how many events were numbered.
 */
async function step(inTransaction: RunInTransaction): Promise<{ head: bigint; numbered: number }> {
  return await inTransaction(async transaction => {
    const connection = new PostgresConnection(transaction)
    const head = await connection.one(lockHead)
    if (!head) throw new Error('the table chain_end has no row for the head')
    const waiting = await connection.many(findUnnumbered)
    if (waiting.length === 0) return { head: head.position, numbered: 0 }
    const ordered = waiting.length < EVENTS_PER_STEP_MAX ? byIdThenVersion(waiting) : waiting
    let last = head
    const sums = new TotalSums()
    const rows = ordered.map(event => {
      last = nextChainEntry(last, event)
      if (event.totals !== null) sums.add(readChanges(event.totals))
      return `(${event.id}::bigint, ${last.position}::bigint, '${last.hash}')`
    })
    await transaction.unsafe(
      `UPDATE event SET position = linked.position, hash = linked.hash, totals = NULL
       FROM (VALUES ${rows.join(',')}) AS linked (id, position, hash) WHERE event.id = linked.id`,
    )
    for (const { statement, parameters } of sums.take()) await connection.run(statement, parameters)
    await connection.run(moveHead, { position: last.position, hash: last.hash })
    return { head: last.position, numbered: waiting.length }
  })
}

/**
 * Returns events that are sorted by subject and version in the order of their ids, which is nearly the order of time.
 * Only the events of one subject are in the order of their versions: they fill the places of their ids in that order.
 */
function byIdThenVersion(bySubject: readonly UnnumberedEvent[]): UnnumberedEvent[] {
  const queues = Map.groupBy(bySubject, ({ subject }) => subject)
  const places = bySubject.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return places.flatMap(({ subject }) => queues.get(subject)?.shift() ?? [])
}
