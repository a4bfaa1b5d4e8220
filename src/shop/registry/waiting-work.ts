import type { Reader } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { parseInstantMs } from '../../values/instant.ts'

/** A count of deliveries that stops here takes a few milliseconds. */
const COUNTED_MAX = 10_000

const readCounts = sql<{
  unnumbered: bigint
  working: bigint
  failing: bigint
  disabled: bigint
  deliveries: bigint
  oldest: string | null
}>()(`
  SELECT (SELECT count(*) FROM event_batch) AS unnumbered,
    (SELECT count(*) FROM webhook WHERE enabled = 1 AND failures = 0) AS working,
    (SELECT count(*) FROM webhook WHERE enabled = 1 AND failures > 0) AS failing,
    (SELECT count(*) FROM webhook WHERE enabled = 0) AS disabled,
    count(*) AS deliveries, min(created_at) AS oldest
  FROM (SELECT created_at FROM delivery WHERE state = 'pending'
    AND webhook_id IN (SELECT id FROM webhook WHERE enabled = 1) LIMIT ${COUNTED_MAX}) AS pending`)

/** What a store has still to do, and the state of its webhooks. */
export interface WaitingWork {
  /** The commits whose events have no position yet. */
  readonly unnumbered: number
  readonly webhooks: Readonly<Record<'working' | 'failing' | 'disabled', number>>
  /** The deliveries that will be attempted again. */
  readonly deliveries: number
  /** When the oldest of them was first attempted, in milliseconds since 1970. */
  readonly oldestDeliveryMs: number | undefined
}

export async function readWaitingWork(reader: Reader): Promise<WaitingWork> {
  const row = await reader.one(readCounts)
  const {
    unnumbered = 0n,
    working = 0n,
    failing = 0n,
    disabled = 0n,
    deliveries = 0n,
    oldest = null,
  } = row ?? {}
  return {
    unnumbered: Number(unnumbered),
    webhooks: { working: Number(working), failing: Number(failing), disabled: Number(disabled) },
    deliveries: Number(deliveries),
    oldestDeliveryMs: oldest === null ? undefined : parseInstantMs(oldest),
  }
}
