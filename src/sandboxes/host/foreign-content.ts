import type { EventRecord } from '../../database/new-event.ts'
import { type ChainEntry, nextChainEntry } from '../../database/numbering/chain.ts'
import { moveHead } from '../../database/numbering/head.ts'
import type { SqliteConnection } from '../../database/sqlite/connection.ts'
import { sql } from '../../database/statement.ts'
import { SlicedWork, type TimeSlices } from '../../database/time-slices.ts'

/** What belongs to the owner of the original and not to the shop. A stored reply would be repeated to a stranger. */
const deletions = [
  sql()('DELETE FROM webhook'),
  sql()('DELETE FROM delivery'),
  sql()('DELETE FROM attempt'),
  sql()('DELETE FROM reply'),
  sql()('DELETE FROM staged_row'),
  sql()('DELETE FROM api_key WHERE id <> 1'),
  // These entries show the ends of keys, and URLs of receivers, which may contain a secret.
  sql()(`DELETE FROM event WHERE subject LIKE 'keys/%' OR subject LIKE 'webhooks/%'`),
]

/** The request id of each event of the copy, which has no trace: only the log of the original has the requests. */
const REQUEST_ID = 'snapshot'
const EVENTS_PER_PAGE = 200

const readFloor = sql<ChainEntry>()(`SELECT position, hash FROM chain_end WHERE name = 'floor'`)

const findEvents = sql<EventRecord & { readonly position: bigint }>()(`
  SELECT id, position, type, subject, subject_version AS "subjectVersion", data, key_id AS "keyId",
    request_id AS "requestId", at, traceparent
  FROM event WHERE position > $after ORDER BY position LIMIT ${EVENTS_PER_PAGE}`)

const moveEvent = sql()(
  'UPDATE event SET position = $position, hash = $hash, request_id = $requestId, traceparent = NULL WHERE id = $id',
)

/**
 * Removes from a copied store what belongs to the owner of the original: webhooks with their deliveries, keys, stored
 * replies, unfinished imports, and their entries in the audit log. The pets, orders and stock keep their history. Its
 * events get new positions without a gap, and a new hash chain. The caller owns the transaction.
 */
export async function removeOrigin(connection: SqliteConnection, slices: TimeSlices): Promise<void> {
  const work = new SlicedWork(slices)
  for (const deletion of deletions) connection.run(deletion)
  let last = connection.one(readFloor)
  if (!last) throw new Error('the table chain_end has no row for the floor')
  for (let after = last.position; ; ) {
    const events = connection.many(findEvents, { after })
    for (const { position, ...event } of events) {
      last = nextChainEntry(last, { ...event, requestId: REQUEST_ID, traceparent: null })
      connection.run(moveEvent, { id: event.id, ...last, requestId: REQUEST_ID })
      after = position
    }
    if (events.length < EVENTS_PER_PAGE) break
    if (work.isSliceOver) await work.next()
  }
  connection.run(moveHead, { ...last })
}
