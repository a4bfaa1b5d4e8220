import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reader } from '../database/engine.ts'
import type { ChainEntry } from '../database/numbering/chain.ts'
import { readHead } from '../database/numbering/head.ts'
import { type Statement, sql } from '../database/statement.ts'
import {
  countRows,
  deleteRows,
  insertRows,
  ROWS_PER_PAGE,
  type StoreTable,
  selectPage,
  TableDigest,
  type TableRow,
} from './tables.ts'

/** A store that is read in one consistent snapshot. Disposing it ends the snapshot. */
export interface CopySource extends AsyncDisposable {
  readonly reader: Reader
}

/**
 * A new store that nobody sees before `publish`. Disposing it before that leaves the directory or database unchanged.
 */
export interface CopyTarget extends AsyncDisposable {
  write(statement: Statement<never>): Promise<unknown> | unknown
  /** Ends the writing, and returns a reader of the rows as they were stored. */
  readBack(): Promise<Reader>
  /** Makes the store durable and visible, as a whole. Throws CommitUnconfirmed if the outcome is unknown. */
  publish(): Promise<void>
}

/** Thrown if the target is in use, contains data, or has the tables of another version. The message is a sentence. */
export class TargetInUse extends Error {}

/** Thrown if the source has no store that this program reads. The message is a sentence. */
export class NoSource extends Error {}

/** Thrown if the rows that were read back are not those that were copied. The message is a sentence. */
export class CopyMismatch extends Error {}

/** Thrown if the connection was lost during the commit. The copy then exists completely, or not at all. */
export class CommitUnconfirmed extends Error {}

/** What a copy reports while it runs. */
export interface CopyProgress {
  /** Called once, before the first row is copied. */
  onCounted(rows: number): void
  onRows(step: 'copied' | 'verified', rows: number): void
  /** Called when the last row of a table has been copied or verified. */
  onTable(step: 'copied' | 'verified', table: string, rows: number): void
}

export interface CopyReport {
  readonly rows: number
  readonly tables: number
  /** The last entry of the audit log. */
  readonly head: ChainEntry
}

const readLastEvent = sql<ChainEntry>()('SELECT position, hash FROM event ORDER BY position DESC LIMIT 1')

/**
 * Copies all rows of all tables, reads the copies back, compares them with the source rows, and publishes the target.
 * `source` is disposed after its last row was read. Throws CopyMismatch, NoSource, the reason of `signal`, and errors
 * of the engines; the target is then unpublished, except perhaps after CommitUnconfirmed.
 */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  tables: readonly StoreTable[],
  { progress, signal }: { progress: CopyProgress; signal: AbortSignal },
): Promise<CopyReport> {
  let total = 0
  for (const table of tables) total += Number((await source.reader.one(countRows(table)))?.rows ?? 0n)
  progress.onCounted(total)
  const copied = new Map<StoreTable, TableDigest>()
  for (const table of tables) {
    if (table.freshRows.length > 0) await target.write(deleteRows(table))
    const write = (rows: readonly TableRow[]): unknown => target.write(insertRows(table, rows))
    copied.set(table, await readTable(source.reader, table, { step: 'copied', progress, signal, write }))
  }
  const chain = await chainOf(source.reader)
  // The verification does not read the source, and PostgreSQL ends a session that is idle for too long.
  await source[Symbol.asyncDispose]()
  const reader = await target.readBack()
  for (const [table, digest] of copied) {
    assertSameRows(table.name, digest, await readTable(reader, table, { step: 'verified', progress, signal }))
  }
  if ((await chainOf(reader)).text !== chain.text)
    throw new CopyMismatch('The audit log was not copied completely.')
  signal.throwIfAborted()
  await target.publish()
  return { rows: total, tables: tables.length, head: chain.head }
}

interface Reading {
  readonly step: 'copied' | 'verified'
  readonly progress: CopyProgress
  readonly signal: AbortSignal
  readonly write?: (rows: readonly TableRow[]) => unknown
}

/** Reads a table page by page, passes each page to `write`, and returns the digest of all rows. */
async function readTable(
  reader: Reader,
  table: StoreTable,
  { step, progress, signal, write }: Reading,
): Promise<TableDigest> {
  const digest = new TableDigest(table)
  let rows: readonly TableRow[] = []
  do {
    // SQLite reads and writes without a turn of the event loop, which a signal and the progress bar need.
    await nextTurn()
    signal.throwIfAborted()
    rows = await reader.many(selectPage(table, rows.at(-1)))
    if (rows.length === 0) break
    digest.add(rows)
    await write?.(rows)
    progress.onRows(step, rows.length)
  } while (rows.length === ROWS_PER_PAGE)
  progress.onTable(step, table.name, digest.rows)
  return digest
}

function assertSameRows(table: string, source: TableDigest, target: TableDigest): void {
  if (source.rows !== target.rows) {
    throw new CopyMismatch(`The table ${table} has ${source.rows} rows, but its copy has ${target.rows}.`)
  }
  if (source.checksum() !== target.checksum()) {
    throw new CopyMismatch(`The rows of the table ${table} differ from those of its copy.`)
  }
}

/** Returns the head of the hash chain, and a text with the head and the last event, for a comparison. */
async function chainOf(reader: Reader): Promise<{ head: ChainEntry; text: string }> {
  const head = await reader.one(readHead)
  if (!head) throw new NoSource('The table chain_end has no row for the head.')
  const last = await reader.one(readLastEvent)
  return { head, text: [head.position, head.hash, last?.position, last?.hash].join(':') }
}
