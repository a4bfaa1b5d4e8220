import { waitForPositions } from '../../support/received-events.ts'
import type { TestStore } from '../../support/store.ts'

/** A history with a single event of a rare type, at the position `rareAt`. */
export interface LongHistory {
  readonly rareType: 'petstore.webhook.disabled'
  readonly rareAt: bigint
  readonly head: bigint
}

/**
 * Adds a long history to a store: events of one type, and at the end one event of another type. Returns the history.
 * The rows bypass the counters of the store, so nothing may be written through the store afterwards.
 */
export async function fillHistory(store: Pick<TestStore, 'database'>, events: number): Promise<LongHistory> {
  await waitForPositions(store)
  const [row] = await store.database(
    "SELECT position, (SELECT max(id) FROM event) AS id FROM chain_end WHERE name = 'head'",
  )
  const [position, id] = [BigInt(String(row?.position)), BigInt(String(row?.id ?? 0n))]
  const rareAt = position + BigInt(events)
  const data = '{"id":1,"name":"Old"}'
  await store.database(`INSERT INTO event (id, position, hash, type, subject, subject_version, data, request_id, at)
    WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < ${events})
    SELECT ${id} + n, ${position} + n, '', CASE WHEN n = ${events} THEN 'petstore.webhook.disabled'
      ELSE 'petstore.category.created' END, 'categories/1', 1, '${data}', 'test', '2026-11-21T09:30:00.000Z' FROM one`)
  await store.database(`UPDATE chain_end SET position = ${rareAt} WHERE name = 'head'`)
  return { rareType: 'petstore.webhook.disabled', rareAt, head: rareAt }
}
