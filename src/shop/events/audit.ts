import type { Input, Page } from '../../contract/operation.ts'
import type { Reader } from '../../database/engine.ts'
import type { EventRecord } from '../../database/new-event.ts'
import { dynamicSql, sql } from '../../database/statement.ts'
import { formatInstant, periodEndMs, periodStartMs, storedInstant } from '../../values/instant.ts'
import { INT64_MAX } from '../../values/int64.ts'
import { JsonText } from '../../values/json.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import { LIMIT_DEFAULT, readCursor, writeCursor } from '../kernel/paging.ts'
import { findLogBounds, gapAround, type LogBounds } from '../log/bounds.ts'
import { eventColumns, type SequencedEvent } from '../log/recording.ts'
import type { AuditEntry } from './audit-schema.ts'
import type { events } from './operations.ts'
import { findPetReadEnd } from './pet-events.ts'
import { emptyPeriod } from './refusals.ts'

/**
 * The maximum number of positions that a page scans, unless the page is about one pet. This maximum bounds the cost of
 * a search for a rarely used key.
 */
const POSITIONS_PER_PAGE_MAX = 5000n
/**
 * A time longer than any command takes. If an entry is older than an instant by more than this time, all entries before
 * it are older than the instant.
 */
const COMMAND_MS_MAX = DAY_MS

const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

interface AuditRow extends SequencedEvent, Pick<EventRecord, 'keyId' | 'requestId'> {
  readonly hash: string
}

const findInstant = sql<{ at: string }>()('SELECT at FROM event WHERE position = $position')

/**
 * Returns a page of the audit log, newest first. Throws `invalid_cursor`, and `invalid_parameter` for an empty period.
 */
export async function listAudit(
  reader: Reader,
  input: Input<typeof events.listAudit>,
): Promise<Page<AuditEntry>> {
  const { limit = LIMIT_DEFAULT, petId, keyId, subject } = input
  const { since, untilMs } = periodOf(input)
  // An instant after the year 9999 has no stored form. The text `9999-12-31T24` sorts after every stored instant.
  const until =
    untilMs === undefined ? undefined : untilMs > LAST_MS ? '9999-12-31T24' : storedInstant(untilMs)
  const filters = { petId, keyId, subject, since, until }
  const list = { list: 'listAudit', filters, sort: { column: 'position', descending: true } }
  const bounds = await findLogBounds(reader)
  const { floor } = bounds
  const before = readCursor(list, input.cursor)?.tieKey ?? (await findListStart(reader, bounds, untilMs))
  const pet = petId ?? petIdIn(subject)
  const from = await findPageEnd(reader, pet, { before, bounds })
  const rows = await reader.many(
    dynamicSql<AuditRow>(place => {
      const where = [`position >= ${place(from)} AND position < ${place(before)}`]
      if (pet !== undefined) where.push(`pet_id = ${place(pet)}`)
      if (keyId !== undefined) where.push(`key_id = ${place(keyId)}`)
      if (subject !== undefined) where.push(`subject = ${place(subject)}`)
      if (since !== undefined) where.push(`at >= ${place(since)}`)
      if (until !== undefined) where.push(`at < ${place(until)}`)
      return `SELECT hash, ${eventColumns} FROM event WHERE ${where.join(' AND ')}
        ORDER BY position DESC LIMIT ${place(BigInt(limit + 1))}`
    }),
  )
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1)?.position : from
  const hasMore = last !== undefined && last > floor + 1n && !(await isTooOld(reader, last, since))
  return {
    items: items.map(entryOf),
    ...(hasMore && { next: writeCursor(list, { sortKey: last, tieKey: last }) }),
  }
}

/** Returns the lowest position that a page scans. The page starts at the position below `before`. */
async function findPageEnd(
  reader: Reader,
  pet: bigint | undefined,
  { before, bounds }: { readonly before: bigint; readonly bounds: LogBounds },
): Promise<bigint> {
  const first = bounds.floor + 1n
  if (pet !== undefined && before > first) {
    return findPetReadEnd(reader, pet, { from: before - 1n, to: first })
  }
  const furthest = before - POSITIONS_PER_PAGE_MAX
  // A gap has nothing to scan, so a page crosses it at once.
  const lowest = gapAround(furthest, bounds)?.after ?? furthest
  return lowest > bounds.floor ? lowest : first
}

/** Throws `invalid_parameter` for an empty period. `since` is in the stored form. */
function periodOf({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  const sinceMs = since === undefined ? undefined : periodStartMs(since)
  const untilMs = until === undefined ? undefined : periodEndMs(until)
  if (sinceMs !== undefined && untilMs !== undefined && untilMs <= sinceMs) throw emptyPeriod()
  return { since: sinceMs === undefined ? undefined : storedInstant(sinceMs), untilMs }
}

/**
 * Returns the position before which a list starts: the end of the log, or the first entry that is a day newer than the
 * end of the period. Commands do not end in the order in which they began, so an entry of the period can come after
 * entries that are up to a day newer.
 */
async function findListStart(
  reader: Reader,
  bounds: LogBounds,
  untilMs: number | undefined,
): Promise<bigint> {
  let [low, high] = [bounds.floor, bounds.head < INT64_MAX ? bounds.head + 1n : INT64_MAX]
  while (untilMs !== undefined && high - low > 1n) {
    const middle = outsideGaps((low + high) / 2n, { low, high }, bounds)
    const row = await reader.one(findInstant, { position: middle })
    if (row && Date.parse(row.at) >= untilMs + COMMAND_MS_MAX) high = middle
    else low = middle
  }
  return high
}

/**
 * Returns the position to compare next, between `low` and `high`: `center`, unless `center` is in a gap, which has no
 * events. In that case, returns the position of the event before the gap, or of the first event after the gap.
 */
function outsideGaps(
  center: bigint,
  { low, high }: { low: bigint; high: bigint },
  { gaps }: LogBounds,
): bigint {
  const gap = gaps.find(({ after, to }) => center > after && center <= to)
  if (!gap) return center
  if (gap.after > low) return gap.after
  return gap.to + 1n < high ? gap.to + 1n : high - 1n
}

/** Returns the id of the pet in a subject, for a search by the index on pets; undefined for other subjects. */
function petIdIn(subject: string | undefined): bigint | undefined {
  const [, id] = /^(?:pets|inventory)\/(\d{1,18})$/.exec(subject ?? '') ?? []
  return id === undefined ? undefined : BigInt(id)
}

function entryOf({ position, type, subject, at, keyId, requestId, data, hash }: AuditRow): AuditEntry {
  const entry = {
    position,
    type,
    subject,
    at: formatInstant(at),
    ...(keyId !== null && { keyId }),
    requestId,
    // The JSON text of the resource, as the verb wrote it. It is sent byte for byte.
    data: new JsonText(data),
    hash,
  }
  // Safe, because verbs record each type with the resource that the schema of the type names.
  return entry as unknown as AuditEntry
}

/** Returns whether all entries before this position are older than `since`; false without `since`. */
async function isTooOld(reader: Reader, position: bigint, since: string | undefined): Promise<boolean> {
  if (since === undefined) return false
  const row = await reader.one(findInstant, { position })
  return row !== undefined && row.at < storedInstant(Date.parse(since) - COMMAND_MS_MAX)
}
