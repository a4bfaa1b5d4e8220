import type { Reader } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { formatInstant, storedInstant } from '../../values/instant.ts'

/** How far clocks of machines usually differ, in milliseconds. */
const USUAL_DIFFERENCE_MS = 60_000

// Retention deletes events, never orders. The latest order need not be the last one, if a clock went wrong.
const newestChange = sql<{ at: string | null }>()(`
  SELECT max(at) AS at FROM (
    SELECT at FROM (SELECT at FROM event ORDER BY id DESC LIMIT 1) AS newest_event
    UNION ALL SELECT max(created_at) FROM orders WHERE complete = 0
    UNION ALL SELECT max(created_at) FROM orders WHERE complete = 1
  ) AS newest`)

/** Returns when the newest event or order was stored, in the stored form; null if there is none. */
export async function newestChangeAt(reader: Reader): Promise<string | null> {
  return (await reader.one(newestChange))?.at ?? null
}

/**
 * Returns a sentence without its end if a clock is behind the newest event or order, such as after a power failure
 * without a battery: what is sold then is dated before it. Returns undefined otherwise.
 */
export async function clockBehind(reader: Reader, nowMs: number): Promise<string | undefined> {
  const at = await newestChangeAt(reader)
  if (at === null || at <= storedInstant(nowMs + USUAL_DIFFERENCE_MS)) return undefined
  const now = formatInstant(storedInstant(nowMs))
  return `the newest event or order is dated ${formatInstant(at)}, but the clock is at ${now}: set the clock`
}
