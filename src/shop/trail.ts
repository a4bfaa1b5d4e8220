import { type Reading, sql } from '../engine/engine.ts'
import { type EventRecord, type Link, linkAfter } from '../model/audit.ts'
import { JsonText, writeJson } from '../model/json.ts'
import { eventColumns, findChain } from './events.ts'

const ENTRIES_A_READING = 1000
/** The maximum number of faults in a report. */
const FAULTS_MAX = 20

interface TrailRow extends EventRecord, Link {}

/** The result of verifying the whole audit log. */
export interface TrailReport {
  readonly entries: bigint
  /** The last entry that retention has deleted; position 0 if it has deleted none. */
  readonly horizon: Link
  readonly head: Link
  /** The first 20 faults, as sentences. */
  readonly faults: readonly string[]
}

const readEntries = sql<TrailRow>(`
  SELECT hash, ${eventColumns} FROM event WHERE position > $1 AND position <= $2
  ORDER BY position LIMIT ${ENTRIES_A_READING}`)

// One statement sees the log and the ends of its chain as of the same commit, even during writes.
const readStrays = sql<{ position: bigint }>(`
  SELECT position FROM event
  WHERE position > (SELECT position FROM chain WHERE place = 'head')
    OR position <= (SELECT position FROM chain WHERE place = 'horizon')
  ORDER BY position LIMIT ${FAULTS_MAX}`)

const readHash = sql<{ hash: string }>('SELECT hash FROM event WHERE position = $1')

/**
 * Verifies the hash chain of the audit log from its start to its current head: finds entries that were changed, deleted
 * or inserted. `seal` is a chain entry that was saved earlier: the log up to it must be unchanged.
 */
export async function verifyTrail(reading: Reading, seal?: Link): Promise<TrailReport> {
  const { horizon, head } = await findChain(reading)
  const faults: string[] = []
  let entries = 0n
  let last = horizon
  for await (const row of trail(reading, horizon.position, head.position)) {
    entries++
    faults.push(...misfit(last, row))
    last = row
  }
  if (last.position < head.position) faults.push(missing(last.position + 1n, head.position))
  else if (last.hash !== head.hash) faults.push('The head of the chain does not match the last entry.')
  for (const { position } of await reading.many(readStrays)) {
    faults.push(`Entry ${position} is outside the chain: it was inserted.`)
  }
  if (seal) faults.push(...(await brokenSeal(reading, seal, horizon)))
  return { entries, horizon, head, faults: faults.slice(0, FAULTS_MAX) }
}

/** Yields every entry of the audit log as a line of JSON, oldest first, with all values that its hash covers. */
export async function* exportTrail(reading: Reading): AsyncGenerator<string> {
  const { horizon, head } = await findChain(reading)
  for await (const row of trail(reading, horizon.position, head.position)) {
    const { position, hash, id, type, subject, subjectVersion, at, keyId, requestId, data } = row
    const entry = { position, hash, id, type, subject, subjectVersion, at, keyId, requestId }
    yield writeJson({ ...entry, data: new JsonText(data) })
  }
}

async function* trail(reading: Reading, after: bigint, to: bigint): AsyncGenerator<TrailRow> {
  for (let from = after; ; ) {
    const rows = await reading.many(readEntries, from, to)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    from = last.position
  }
}

function misfit(last: Link, row: TrailRow): string[] {
  // After a gap, there is no previous hash to check the first entry against.
  if (row.position > last.position + 1n) return [missing(last.position + 1n, row.position - 1n)]
  if (linkAfter(last, row).hash === row.hash) return []
  return [`Entry ${row.position} (${row.type} of ${row.subject}) was changed: its hash does not match.`]
}

function missing(from: bigint, to: bigint): string {
  return from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`
}

async function brokenSeal(reading: Reading, seal: Link, horizon: Link): Promise<string[]> {
  if (seal.position === horizon.position && seal.hash === horizon.hash) return []
  if (seal.position <= horizon.position) {
    return [`The seal of entry ${seal.position} cannot be checked: the entry has been deleted.`]
  }
  const row = await reading.one(readHash, seal.position)
  if (row?.hash === seal.hash) return []
  return [`The audit log up to entry ${seal.position} does not match the seal.`]
}
