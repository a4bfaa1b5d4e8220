import type { Reader } from '../engine/engine.ts'
import { type Place, sql } from '../engine/statement.ts'
import { padded } from './paging.ts'

/** A block of the index of events by pet has 1,024 positions: see the migrations event-pet and event-blocks. */
const BLOCK_BITS = 10n
const POSITIONS_PER_BLOCK = 1n << BLOCK_BITS
/** The maximum number of blocks that the second read counts: two million positions, in a few milliseconds. */
const BLOCKS_PER_READ_MAX = 2000n
/** The number of blocks that the first read counts. If a pet has many events, these blocks contain enough of them. */
const BLOCKS_FIRST = 32n
/** The minimum number of events of a pet that one read scans if another filter may reject some of them. */
export const WANTED_IF_FILTERED = 500

// Without the plus, SQLite converts the expression of the index to the type of n, and cannot search the index for it.
const countByBlock = sql<PetBlock>()(`
  WITH RECURSIVE block (n) AS (
    SELECT CAST($firstBlock AS BIGINT) UNION ALL SELECT n + 1 FROM block WHERE n < $lastBlock)
  SELECT n, (SELECT count(*) FROM event WHERE position >> ${BLOCK_BITS} = +n AND pet_id = $petId
    AND position >= $low AND position <= $high) AS events
  FROM block ORDER BY n`)

interface PetBlock {
  readonly n: bigint
  readonly events: bigint
}

/** The part of the history that contains the next events of a pet. */
export interface PetWindow {
  readonly petId: bigint
  /** The blocks of the index with events of the pet. */
  readonly blocks: readonly bigint[]
  /** The last position, in the direction of the read, up to which the pet has no events outside these blocks. */
  readonly end: bigint
}

/**
 * Returns the window with the next events of a pet from one position to another, in either direction. Its blocks have
 * at least `wanted` events, or are all blocks with events of the pet in a bounded part of the history.
 */
export async function findPetWindow(
  reader: Reader,
  petId: bigint,
  { from, to, wanted }: { readonly from: bigint; readonly to: bigint; readonly wanted: number },
): Promise<PetWindow> {
  const isAscending = from <= to
  const target = blockOf(to)
  const range = { petId, low: isAscending ? from : to, high: isAscending ? to : from }
  const blocks: bigint[] = []
  let events = 0n
  let next = blockOf(from)
  let last = next
  for (const size of [BLOCKS_FIRST, BLOCKS_PER_READ_MAX]) {
    last = isAscending ? smaller(next + size - 1n, target) : larger(next - size + 1n, target)
    const [firstBlock, lastBlock] = isAscending ? [next, last] : [last, next]
    const counted = await reader.many(countByBlock, { ...range, firstBlock, lastBlock })
    for (const block of isAscending ? counted : counted.toReversed()) {
      if (block.events === 0n) continue
      blocks.push(block.n)
      events += block.events
      if (events >= BigInt(wanted)) return windowTo(block.n)
    }
    if (last === target) break
    next = isAscending ? last + 1n : last - 1n
  }
  return windowTo(last)

  function windowTo(block: bigint): PetWindow {
    const first = block << BLOCK_BITS
    const end = isAscending ? smaller(first + POSITIONS_PER_BLOCK - 1n, to) : larger(first, to)
    return { petId, blocks, end }
  }
}

/** Returns the condition that an event of the pet is in one of these blocks. */
export function windowCondition({ petId, blocks }: PetWindow, place: Place): string {
  const places = padded(blocks, [1, 4, 20, 101, WANTED_IF_FILTERED]).map(place)
  return `position >> ${BLOCK_BITS} IN (${places.join(', ')}) AND pet_id = ${place(petId)}`
}

function blockOf(position: bigint): bigint {
  return position >> BLOCK_BITS
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
