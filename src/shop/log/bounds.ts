import type { FieldError } from '../../contract/error.ts'
import type { Reader } from '../../database/engine.ts'
import type { ChainEntry, ChainGap } from '../../database/numbering/chain.ts'
import { sql } from '../../database/statement.ts'
import { eventHistoryExpired, positionBeyondHead, positionInGap } from './refusals.ts'

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

/** Returns both ends of the chain: its last deleted entry (the retention floor) and its last entry (`head`). */
export async function findChainEnds(reader: Reader): Promise<{ floor: ChainEntry; head: ChainEntry }> {
  const ends = await reader.many(selectChainEnds)
  return { floor: endOf(ends, 'floor'), head: endOf(ends, 'head') }
}

function endOf<Row extends { readonly name: string }>(rows: readonly Row[], name: 'head' | 'floor'): Row {
  const end = rows.find(row => row.name === name)
  if (!end) throw new Error(`the table chain_end has no row for the ${name}`)
  return end
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
  const gaps = rows.filter(({ name }) => name === 'gap').map(({ position, to }) => ({ after: position, to }))
  return { floor: endOf(rows, 'floor').position, head: endOf(rows, 'head').position, gaps }
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
