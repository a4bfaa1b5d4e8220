import type { ReservedSQL } from 'bun'
import { INT64_MAX } from '../../values/int64.ts'
import type { ChainEntry } from '../numbering/chain.ts'
import { knownHead } from '../numbering/head.ts'
import { numberNextBatches } from '../numbering/numbering.ts'
import { sql } from '../statement.ts'
import { failureOf } from './failure.ts'
import { PostgresWriter } from './writer.ts'

/** The interval at which a process looks for events that another process committed but did not number. */
const IDLE_MS = 1000
/** How long a woken sequencer waits, so that it numbers more events in one transaction, in milliseconds. */
const PAUSE_MS = 10
/** The interval at which a process looks while another one numbers the events, in milliseconds. */
const FOLLOW_MS = 30

/** What a sequencer does after a step: the next step at once or soon, or nothing until it is woken. */
type Next = 'step' | 'look' | 'wait'

type RunInTransaction = <T>(work: (connection: ReservedSQL) => Promise<T>) => Promise<T>

const look = sql<{ position: bigint; waiting: bigint }>()(`
  SELECT position, (SELECT count(*) FROM (SELECT id FROM event_batch LIMIT 1) AS batch) AS waiting
  FROM chain_end WHERE name = 'head'`)

// This UPDATE locks the row of the head: one process numbers at a time, and the next one sees its positions.
const lockHead = sql<ChainEntry>()(
  `UPDATE chain_end SET position = position WHERE name = 'head' RETURNING position, hash`,
)

/** The head before the first look. */
const NOT_SEEN = -1n

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
 * lock on one row, so an event consumer that continues after its last position misses nothing. Events of one subject
 * are numbered in the order of the subject's version. `onMoved` is called when the head has moved, whichever process
 * moved it.
 *
 * Any number of processes may run the sequencer at once. While one of them moves the head, the others only look.
 */
export function startSequencer(
  inTransaction: RunInTransaction,
  onMoved: () => void,
  onError: (error: unknown) => void,
): Sequencer {
  let isClosing = false
  let woken = Promise.withResolvers<void>()
  let seenHead = NOT_SEEN
  let isFailing = false

  /** Numbers what waits, unless another process has done so since the last look. */
  async function step(): Promise<Next> {
    const { head, next } = await inTransaction(async connection => {
      const database = new PostgresWriter(connection)
      const { position = 0n, waiting = 0n } = (await database.one(look)) ?? {}
      if (waiting === 0n) return { head: position, next: 'wait' as const }
      const isMovedByOther = position !== seenHead && seenHead !== NOT_SEEN
      if (isMovedByOther) return { head: position, next: 'look' as const }
      const { head, isPartial } = await numberNextBatches(database, knownHead(await database.one(lockHead)))
      await database.written()
      return { head: head.position, next: isPartial ? ('step' as const) : ('wait' as const) }
    })
    if (head !== seenHead) onMoved()
    seenHead = head
    return next
  }

  async function run(): Promise<void> {
    while (!isClosing) {
      woken = Promise.withResolvers()
      let next: Next = 'wait'
      try {
        do next = await step()
        while (next === 'step')
        isFailing = false
      } catch (error) {
        // A lock timeout is normal: another process numbers. Others are reported when they begin: an outage causes one
        // each second.
        if (!isClosing && !isFailing && failureOf(error) !== 'locked') onError(error)
        isFailing = failureOf(error) !== 'locked'
      }
      if (next === 'wait' && !isClosing) await Promise.race([woken.promise, Bun.sleep(IDLE_MS)])
      if (!isClosing) await Bun.sleep(next === 'look' ? FOLLOW_MS : PAUSE_MS)
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
