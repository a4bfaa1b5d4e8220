import type { SQL } from 'bun'

/** Events numbered in one transaction, at most. */
const EVENTS_A_STEP_MAX = 1000
/** How often a process looks for events that another process committed and did not number. */
const IDLE_MS = 1000

/**
 * Gives committed events their positions: 1, 2, 3, ... without a gap. Ids are taken before commit, so they become
 * visible out of order; positions are given after it, under a lock on one row, so a reader that remembers the last
 * position it saw misses nothing. Any number of processes may run it at once.
 * Events of one subject are numbered in the order of the subject's version.
 */
export function sequence(
  pool: SQL,
  onFault: (error: unknown) => void,
): { wake(): void; close(): Promise<void> } {
  let closing = false
  let woken = Promise.withResolvers<void>()

  async function run(): Promise<void> {
    while (!closing) {
      try {
        while ((await step(pool)) === EVENTS_A_STEP_MAX) {}
      } catch (error) {
        if (!closing) onFault(error)
      }
      if (!closing) await Promise.race([woken.promise, Bun.sleep(IDLE_MS)])
      woken = Promise.withResolvers()
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

/** Numbers what is committed and has no position yet, oldest first; answers how many events that were. */
async function step(pool: SQL): Promise<number> {
  return await pool.begin('ISOLATION LEVEL READ COMMITTED', async connection => {
    // The lock: whoever holds the head row numbers, the next sees what that one numbered.
    const [head] = await connection.unsafe<{ last: bigint }[]>(
      `UPDATE counter SET last = last WHERE noun = 'position' RETURNING last`,
    )
    if (!head) throw new Error('the table counter has no row for position')
    const waiting = await connection.unsafe<Waiting[]>(
      `SELECT id, subject FROM event WHERE position IS NULL
       ORDER BY subject, subject_version, id LIMIT ${EVENTS_A_STEP_MAX}`,
    )
    if (waiting.length === 0) return 0
    const ordered = waiting.length < EVENTS_A_STEP_MAX ? byIdThenVersion(waiting) : waiting
    const rows = ordered.map(({ id }, index) => `(${id}::bigint, ${head.last + BigInt(index) + 1n}::bigint)`)
    await connection.unsafe(
      `UPDATE event SET position = numbered.position
       FROM (VALUES ${rows.join(',')}) AS numbered (id, position) WHERE event.id = numbered.id`,
    )
    await connection.unsafe(`UPDATE counter SET last = $1 WHERE noun = 'position'`, [
      head.last + BigInt(waiting.length),
    ])
    return waiting.length
  })
}

interface Waiting {
  readonly id: bigint
  readonly subject: string
}

/**
 * From the order of subject and version to the order of ids, which is nearly that of time: each subject keeps the
 * places that its ids have, and fills them in the order of its versions.
 */
function byIdThenVersion(bySubject: readonly Waiting[]): Waiting[] {
  const queues = Map.groupBy(bySubject, ({ subject }) => subject)
  const places = bySubject.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return places.flatMap(({ subject }) => queues.get(subject)?.shift() ?? [])
}
