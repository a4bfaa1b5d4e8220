import type { Reader } from '../../database/engine.ts'
import type { EventRecord } from '../../database/new-event.ts'
import {
  type ChainEntry,
  type ChainGap,
  chainEntryAfterGap,
  nextChainEntry,
} from '../../database/numbering/chain.ts'
import { sql } from '../../database/statement.ts'
import { JsonText, writeJson } from '../../values/json.ts'
import { findChainEnds, findChainGaps } from './bounds.ts'
import { eventColumns } from './recording.ts'

const ENTRIES_PER_READ = 1000
const PROBLEMS_MAX = 20

interface AuditLogRow extends EventRecord, ChainEntry {
  readonly petId: bigint | null
}

/** The result of verifying the whole audit log. */
export interface AuditReport {
  readonly entries: bigint
  /** The last entry that retention has deleted; position 0 if it has deleted none. */
  readonly floor: ChainEntry
  readonly head: ChainEntry
  /** The positions that restores have skipped, after the floor. */
  readonly gaps: readonly ChainGap[]
  /** The first 20 problems, as sentences. */
  readonly problems: readonly string[]
}

const readEntries = sql<AuditLogRow>()(`
  SELECT hash, pet_id AS "petId", ${eventColumns} FROM event WHERE position > $after AND position <= $to
  ORDER BY position LIMIT ${ENTRIES_PER_READ}`)

// One statement sees the log and the ends of its chain as of the same commit, even during writes.
const findUnchainedEntries = sql<{ position: bigint }>()(`
  SELECT position FROM event
  WHERE position > (SELECT position FROM chain_end WHERE name = 'head')
    OR position <= (SELECT position FROM chain_end WHERE name = 'floor')
  ORDER BY position LIMIT ${PROBLEMS_MAX}`)

const readHash = sql<{ hash: string }>()('SELECT hash FROM event WHERE position = $position')

/**
 * Verifies the hash chain of the audit log from the retention floor to its current head. These are problems: an entry
 * that was changed, deleted, inserted or listed under another pet; a head that does not match; an anchor that does not
 * match or cannot be checked. `anchor` is a chain entry that was saved earlier; the log up to it must be unchanged.
 */
export async function verifyAuditChain(reader: Reader, anchor?: ChainEntry): Promise<AuditReport> {
  const { floor, head } = await findChainEnds(reader)
  const gaps = await findGapsAfter(reader, floor)
  const problems: string[] = []
  let entries = 0n
  let last: ChainEntry = floor
  // The ends of the gaps are entries of the chain, too: one of them can be an anchor.
  const gapEnds = new Map<bigint, string>()
  const skipGaps = (): void => {
    for (const { end } of followingGaps(last, gaps)) {
      gapEnds.set(end.position, end.hash)
      last = end
    }
  }
  skipGaps()
  for await (const row of auditLog(reader, floor.position, head.position)) {
    entries++
    problems.push(...chainProblems(last, row))
    last = row
    skipGaps()
  }
  if (last.position < head.position) problems.push(missingEntries(last.position + 1n, head.position))
  else if (last.hash !== head.hash) problems.push('The head of the chain does not match the last entry.')
  for (const { position } of await reader.many(findUnchainedEntries)) {
    problems.push(`Entry ${position} is outside the chain: it was inserted.`)
  }
  if (anchor && gapEnds.get(anchor.position) !== anchor.hash)
    problems.push(...(await anchorProblems(reader, anchor, floor)))
  return { entries, floor, head, gaps: [...gaps.values()], problems: problems.slice(0, PROBLEMS_MAX) }
}

/**
 * Yields every entry of the audit log as a line of JSON, oldest first, with all values that its hash covers. A gap that
 * a restore left has a line of its own. Throws if retention deletes entries before they are read.
 */
export async function* exportAuditLog(reader: Reader): AsyncGenerator<string> {
  const { floor, head } = await findChainEnds(reader)
  const gaps = await findGapsAfter(reader, floor)
  yield* gapLines(floor, gaps)
  for await (const row of auditLog(reader, floor.position, head.position)) {
    const { position, hash, id, type, subject, subjectVersion, at, keyId, requestId, traceparent, data } = row
    const entry = { position, hash, id, type, subject, subjectVersion, at, keyId, requestId }
    const trace = traceparent !== null && { traceparent }
    yield writeJson({ ...entry, ...trace, data: new JsonText(data) })
    yield* gapLines(row, gaps)
  }
}

function* gapLines(entry: ChainEntry, gaps: Gaps): Generator<string> {
  for (const { gap, end } of followingGaps(entry, gaps)) yield writeJson({ ...end, gap })
}

async function* auditLog(reader: Reader, after: bigint, to: bigint): AsyncGenerator<AuditLogRow> {
  for (let from = after; ; ) {
    const rows = await reader.many(readEntries, { after: from, to })
    if (from < to && rows[0]?.position !== from + 1n) await assertNotDeleted(reader, from)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    from = last.position
  }
}

/** A reader without a snapshot may be overtaken by retention. The rest would look like a log that was changed. */
async function assertNotDeleted(reader: Reader, last: bigint): Promise<void> {
  const { floor } = await findChainEnds(reader)
  if (floor.position > last)
    throw new Error(
      `Entries ${last + 1n} to ${floor.position} were deleted during the export, because they expired. Export again.`,
    )
}

/** The gaps of the chain by the position before them. */
type Gaps = ReadonlyMap<bigint, ChainGap>

async function findGapsAfter(reader: Reader, floor: ChainEntry): Promise<Gaps> {
  const gaps = await findChainGaps(reader)
  return new Map(gaps.filter(({ after }) => after >= floor.position).map(gap => [gap.after, gap]))
}

/** Yields the gaps that follow an entry directly, with the chain entry that ends each of them. */
function* followingGaps(entry: ChainEntry, gaps: Gaps): Generator<{ gap: ChainGap; end: ChainEntry }> {
  for (let last = entry; ; ) {
    const gap = gaps.get(last.position)
    if (!gap) return
    last = chainEntryAfterGap(last, gap)
    yield { gap, end: last }
  }
}

function chainProblems(last: ChainEntry, row: AuditLogRow): string[] {
  // After missing entries, there is no previous hash to check the next entry against.
  if (row.position > last.position + 1n) return [missingEntries(last.position + 1n, row.position - 1n)]
  const entry = `Entry ${row.position} (${row.type} of ${row.subject})`
  if (nextChainEntry(last, row).hash !== row.hash) return [`${entry} was changed: its hash does not match.`]
  // The hash covers the values that determine the pet, but not the column pet_id, which only speeds up searches.
  return row.petId === listedUnderPet(row) ? [] : [`${entry} is listed under another pet, or under none.`]
}

/** Returns the pet if an event is about a pet, its stock or an order for it; null for any other event. */
function listedUnderPet({ subject, data }: EventRecord): bigint | null {
  const [, kind, id] = /^(pets|inventory|orders)\/(\d+)$/.exec(subject) ?? []
  const petId = kind === 'orders' ? /"petId":(\d+)/.exec(data)?.[1] : id
  return petId === undefined ? null : BigInt(petId)
}

function missingEntries(from: bigint, to: bigint): string {
  return from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`
}

async function anchorProblems(reader: Reader, anchor: ChainEntry, floor: ChainEntry): Promise<string[]> {
  if (anchor.position === floor.position && anchor.hash === floor.hash) return []
  if (anchor.position <= floor.position) {
    return [`The anchor of entry ${anchor.position} cannot be checked: the entry has been deleted.`]
  }
  const row = await reader.one(readHash, { position: anchor.position })
  if (row?.hash === anchor.hash) return []
  return [`The audit log up to entry ${anchor.position} does not match the anchor.`]
}
