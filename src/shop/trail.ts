import { type Reading, sql } from '../engine/engine.ts'
import { type EventRecord, type Link, linkAfter } from '../model/audit.ts'
import { JsonText, writeJson } from '../model/json.ts'
import { eventColumns, findChain } from './events.ts'

const ENTRIES_A_READING = 1000
/** Faults that are told one by one, at most. */
const FAULTS_MAX = 20

interface TrailRow extends EventRecord, Link {}

/** What a look at the whole audit trail found. */
export interface TrailReport {
  readonly entries: bigint
  /** The last entry that retention has taken; position 0 when it has taken none. */
  readonly horizon: Link
  readonly head: Link
  /** In words, the first twenty. */
  readonly faults: readonly string[]
}

const readEntries = sql<TrailRow>(`
  SELECT hash, ${eventColumns} FROM event WHERE position > $1 AND position <= $2
  ORDER BY position LIMIT ${ENTRIES_A_READING}`)

// One statement sees the trail and its end as one commit left them, whoever writes meanwhile.
const readStrays = sql<{ position: bigint }>(`
  SELECT position FROM event
  WHERE position > (SELECT position FROM chain WHERE place = 'head')
    OR position <= (SELECT position FROM chain WHERE place = 'horizon')
  ORDER BY position LIMIT ${FAULTS_MAX}`)

const readHash = sql<{ hash: string }>('SELECT hash FROM event WHERE position = $1')

/**
 * Follows the chain of the audit trail from its beginning to where it ends now: what was changed, taken out or put in
 * does not fit. `seal` is a link that was noted earlier: the trail up to there must still be the one it was.
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
  else if (last.hash !== head.hash) faults.push('The end of the chain is not that of the last entry.')
  for (const { position } of await reading.many(readStrays)) {
    faults.push(`Entry ${position} stands outside the chain: it was put in.`)
  }
  if (seal) faults.push(...(await brokenSeal(reading, seal, horizon)))
  return { entries, horizon, head, faults: faults.slice(0, FAULTS_MAX) }
}

/** Every entry of the trail as a line of JSON, oldest first, with all that its hash is made over. */
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
  // Behind a gap there is nothing to hold the first entry against.
  if (row.position > last.position + 1n) return [missing(last.position + 1n, row.position - 1n)]
  if (linkAfter(last, row).hash === row.hash) return []
  return [`Entry ${row.position} (${row.type} of ${row.subject}) was changed: its hash does not fit.`]
}

function missing(from: bigint, to: bigint): string {
  return from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`
}

async function brokenSeal(reading: Reading, seal: Link, horizon: Link): Promise<string[]> {
  if (seal.position === horizon.position && seal.hash === horizon.hash) return []
  if (seal.position <= horizon.position) {
    return [`The seal of entry ${seal.position} cannot be held against anything: it is kept no more.`]
  }
  const row = await reading.one(readHash, seal.position)
  if (row?.hash === seal.hash) return []
  return [`The trail up to entry ${seal.position} is not the one that was sealed.`]
}
