import type { SQL } from 'bun'
import { type ChainEntry, type EventRecord, nextChainEntry } from '../model/audit-chain.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { sql } from './statement.ts'
import { readChanges, TotalSums } from './totals.ts'

/** Maximum number of events numbered in one transaction. */
const EVENTS_PER_STEP_MAX = 1000
/** How often a process looks for events that another process committed but did not number. */
const IDLE_MS = 1000

/** A committed event without a position, with the changes of totals that it brings; null without any. */
interface UnnumberedEvent extends EventRecord {
  readonly totals: string | null
}

// The lock: the process that holds the head row numbers the events; the next process sees those positions.
const lockHead = sql<ChainEntry>()(
  `UPDATE chain_end SET position = position WHERE name = 'head' RETURNING position, hash`,
)

const findUnnumbered = sql<UnnumberedEvent>()(`
  SELECT id, type, subject, subject_version AS "subjectVersion", data, key_id AS "keyId", request_id AS "requestId", at,
    totals
  FROM event WHERE position IS NULL ORDER BY subject, subject_version, id LIMIT ${EVENTS_PER_STEP_MAX}`)

const moveHead = sql()(`UPDATE chain_end SET position = $position, hash = $hash WHERE name = 'head'`)

/**
 * Gives committed events their positions (1, 2, 3, ... without a gap) and chains them. Ids are taken before the commit,
 * so they become visible out of order. Positions are given after the commit, under a lock on one row, so a reader that
 * remembers the last position it saw misses nothing. Any number of processes may run the sequencer at once. Events of
 * one subject are numbered in the order of the subject's version. `onMoved` is called when the head has moved,
 * whichever process moved it.
 */
export function sequence(
  pool: SQL,
  onMoved: () => void,
  onFault: (error: unknown) => void,
): { wake(): void; close(): Promise<void> } {
  let closing = false
  let woken = Promise.withResolvers<void>()
  let seenHead = -1n

  async function drain(): Promise<void> {
    for (;;) {
      const { head, numbered } = await step(pool)
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
      } catch (error) {
        if (!closing) onFault(error)
      }
      if (!closing) await Promise.race([woken.promise, Bun.sleep(IDLE_MS)])
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

/** Numbers committed events that have no position yet, oldest first, and changes the totals. Returns the new head. */
async function step(pool: SQL): Promise<{ head: bigint; numbered: number }> {
  return await pool.begin('ISOLATION LEVEL READ COMMITTED', async transaction => {
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
 * Changes the order from (subject, version) to id, which is nearly the order of time. Each subject keeps the slots of
 * its ids and fills them in the order of its versions.
 */
function byIdThenVersion(bySubject: readonly UnnumberedEvent[]): UnnumberedEvent[] {
  const queues = Map.groupBy(bySubject, ({ subject }) => subject)
  const places = bySubject.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return places.flatMap(({ subject }) => queues.get(subject)?.shift() ?? [])
}
