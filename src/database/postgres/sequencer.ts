import type { ReservedSQL } from 'bun'
import { INT64_MAX } from '../../values/int64.ts'
import type { ChainEntry } from '../numbering/chain.ts'
import { knownHead, moveHead } from '../numbering/head.ts'
import { EVENTS_PER_STEP_MAX, findUnnumbered, numberEvents } from '../numbering/numbering.ts'
import { sql } from '../statement.ts'
import { PostgresConnection } from './connection.ts'
import { failureOf } from './failure.ts'

/** The interval at which a process looks for events that another process committed but did not number. */
const IDLE_MS = 1000
/** How long a woken sequencer waits, so that it numbers more events in one transaction, in milliseconds. */
const PAUSE_MS = 10

type RunInTransaction = <T>(work: (connection: ReservedSQL) => Promise<T>) => Promise<T>

// This UPDATE locks the row of the head. The process that holds the lock numbers the events. The next process that gets
// the lock sees these positions.
const lockHead = sql<ChainEntry>()(
  `UPDATE chain_end SET position = position WHERE name = 'head' RETURNING position, hash`,
)

/** No event is accepted that could get one of the last positions, so that every accepted event gets a position. */
const LAST_POSITION = INT64_MAX - 1_000_000n

export interface Sequencer {
  wake(): void
  /** Returns whether no position is left for further events. */
  isExhausted(): boolean
  close(): Promise<void>
}

/**
 * Starts the sequencer, which gives committed events their positions (1, 2, 3, ... without a gap) and chains them. Ids
 * are taken before the commit, so they become visible out of order. Positions are assigned after the commit, under a
 * lock on one row, so an event consumer that continues after its last position misses nothing. Any number of processes
 * may run the sequencer at once. Events of one subject are numbered in the order of the subject's version. `onMoved` is
 * called when the head has moved, whichever process moved it.
 */
export function startSequencer(
  inTransaction: RunInTransaction,
  onMoved: () => void,
  onError: (error: unknown) => void,
): Sequencer {
  let isClosing = false
  let woken = Promise.withResolvers<void>()
  let seenHead = -1n
  let isFailing = false

  async function drain(): Promise<void> {
    for (;;) {
      const { head, numbered } = await numberNextEvents(inTransaction)
      if (head !== seenHead) onMoved()
      seenHead = head
      if (numbered < EVENTS_PER_STEP_MAX) return
    }
  }

  async function run(): Promise<void> {
    while (!isClosing) {
      woken = Promise.withResolvers()
      try {
        await drain()
        isFailing = false
      } catch (error) {
        // A lock timeout is normal: another process is numbering events. Other failures are reported only when they
        // begin, because a database that is down causes one each second.
        if (!isClosing && !isFailing && failureOf(error) !== 'locked') onError(error)
        isFailing = failureOf(error) !== 'locked'
      }
      if (!isClosing) await Promise.race([woken.promise, Bun.sleep(IDLE_MS)])
      if (!isClosing) await Bun.sleep(PAUSE_MS)
    }
  }

  const running = run()
  return {
    wake: () => woken.resolve(),
    isExhausted: () => seenHead > LAST_POSITION,
    close: async () => {
      isClosing = true
      woken.resolve()
      await running
    },
  }
}

/** Numbers up to a thousand events, and adds their changes to the totals. Returns the position of the head. */
async function numberNextEvents(
  inTransaction: RunInTransaction,
): Promise<{ head: bigint; numbered: number }> {
  return await inTransaction(async transaction => {
    const connection = new PostgresConnection(transaction)
    const head = knownHead(await connection.one(lockHead))
    const waiting = await connection.many(findUnnumbered)
    if (waiting.length === 0) return { head: head.position, numbered: 0 }
    const { entries, last, sums } = numberEvents(head, waiting)
    const rows = entries.map(({ id, position, hash }) => `(${id}::bigint, ${position}::bigint, '${hash}')`)
    await transaction.unsafe(
      `UPDATE event SET position = linked.position, hash = linked.hash, totals = NULL
       FROM (VALUES ${rows.join(',')}) AS linked (id, position, hash) WHERE event.id = linked.id`,
    )
    for (const { statement, parameters } of sums.take()) await connection.run(statement, parameters)
    await connection.run(moveHead, { position: last.position, hash: last.hash })
    return { head: last.position, numbered: waiting.length }
  })
}
