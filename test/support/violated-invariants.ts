import { invariants, totalsInvariant } from '../../src/shop/registry/invariants.ts'
import { waitForPositions } from './received-events.ts'
import type { TestStore } from './store.ts'

/**
 * The invariants of a store that keeps all events, once every event has its position. Each query returns the rows that
 * violate its invariant.
 */
const everyInvariant: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(invariants).map(([name, { text }]) => [name, text])),
  'the totals are the sums of the rows': totalsInvariant.text,
  'every order that was placed and not cancelled exists, and was placed once': `
    SELECT subject FROM event WHERE type = 'petstore.order.placed'
      AND subject NOT IN (SELECT subject FROM event WHERE type = 'petstore.order.cancelled')
    GROUP BY subject HAVING count(*) <> 1
      OR subject NOT IN (SELECT 'orders/' || CAST(id AS TEXT) FROM orders)`,
  'every order has its event': `
    SELECT id FROM orders WHERE 'orders/' || CAST(id AS TEXT) NOT IN
      (SELECT subject FROM event WHERE type = 'petstore.order.placed')`,
  'every movement has its event': `
    SELECT pet_id, version FROM movement WHERE ('inventory/' || CAST(pet_id AS TEXT), version) NOT IN
      (SELECT subject, subject_version FROM event WHERE type = 'petstore.inventory.changed')`,
  'every event is listed under its pet': `
    SELECT id FROM event WHERE coalesce(pet_id, 0) <> CASE
      WHEN subject LIKE 'pets/%' THEN CAST(substr(subject, 6) AS BIGINT)
      WHEN subject LIKE 'inventory/%' THEN CAST(substr(subject, 11) AS BIGINT)
      WHEN subject LIKE 'orders/%' AND data LIKE '%"petId":' || CAST(pet_id AS TEXT) || ',%' THEN pet_id
      WHEN subject LIKE 'orders/%' THEN -1 ELSE 0 END`,
}

/** The longest time that the sequencer may take to assign positions to committed events. */
const NUMBERED_MS_MAX = 10_000

/** Returns the violated invariants of a store, each with the number of violating rows; [] if there are none. */
export async function violatedInvariants(store: Pick<TestStore, 'database'>): Promise<string[]> {
  const broken: string[] = []
  await waitForPositions(store, NUMBERED_MS_MAX)
  for (const [invariant, query] of Object.entries(everyInvariant)) {
    const rows = await store.database(query)
    if (rows.length > 0) broken.push(`${invariant}: broken in ${rows.length} rows`)
  }
  return broken
}
