import type { Reader } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'

/**
 * The maximum number of events of a pet that one read scans, because another filter may reject all of them. It is more
 * than the longest page.
 */
const PET_EVENTS_PER_READ_MAX = 500

const findLastAscending = sql<{ readonly position: bigint }>()(`
  SELECT position FROM event WHERE pet_id = $petId AND position >= $from AND position <= $to
  ORDER BY position LIMIT 1 OFFSET ${PET_EVENTS_PER_READ_MAX - 1}`)

const findLastDescending = sql<{ readonly position: bigint }>()(`
  SELECT position FROM event WHERE pet_id = $petId AND position <= $from AND position >= $to
  ORDER BY position DESC LIMIT 1 OFFSET ${PET_EVENTS_PER_READ_MAX - 1}`)

/**
 * Returns the position at which one read of the events of a pet ends. The read goes from one position to another, in
 * either direction. It ends at `to`, or earlier at the last event that it may scan.
 */
export async function findPetReadEnd(
  reader: Reader,
  petId: bigint,
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Promise<bigint> {
  const last = await reader.one(from <= to ? findLastAscending : findLastDescending, { petId, from, to })
  return last?.position ?? to
}
