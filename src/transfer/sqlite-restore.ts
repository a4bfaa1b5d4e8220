import { copyFile } from 'node:fs/promises'
import type { OnProgress } from '../database/migrate.ts'
import { type ChainEntry, type ChainGap, chainEntryAfterGap } from '../database/numbering/chain.ts'
import { knownHead, moveHead, readHead } from '../database/numbering/head.ts'
import { numberAllBatches } from '../database/numbering/numbering.ts'
import { SqliteConnection } from '../database/sqlite/connection.ts'
import { databaseFile } from '../database/sqlite/database-file.ts'
import { migrateSqlite } from '../database/sqlite/engine.ts'
import { sql } from '../database/statement.ts'
import { draftOf } from '../files/draft.ts'
import { makePrivate, publishFile } from '../files/private-file.ts'
import { upsertMetadataRow } from '../shop/kernel/metadata.ts'
import { deleteDatabase, refuseUsed } from './sqlite-copy.ts'
import type { StoreTable } from './tables.ts'

/**
 * The number of positions, and of ids of every noun, that a restored store skips. The lost store must not have issued
 * more than this number of any of them after its backup.
 */
export const SKIPPED_BY_RESTORE = 1_000_000n
/** The name in the table `metadata` of the instant at which the last backup began. */
export const LAST_BACKUP = 'last-backup'

const raiseCounters = sql()('UPDATE counter SET last = last + $count')
const insertGap = sql()('INSERT INTO chain_gap (after_position, to_position, at) VALUES ($after, $to, $at)')

/** A restored database that has not replaced anything yet. Disposing it deletes it, unless it was published. */
export interface RestoredDraft extends AsyncDisposable {
  /** The positions that no event has. */
  readonly gap: ChainGap
  /** The last entry of the audit log: the end of the gap, or an event that had no position in the backup. */
  readonly head: ChainEntry
  /** Makes the database durable, and makes it the database of the data directory. */
  publish(): void
}

interface RestoreOptions {
  readonly tables: readonly StoreTable[]
  /** The current instant in the stored form. */
  readonly at: string
  /** The position of the last event according to the manifest, if the manifest has it. */
  readonly head: string | undefined
  /** When the backup began. The restored store has this as its last backup. */
  readonly madeAt: string
  readonly onProgress?: OnProgress
}

/**
 * Copies the database of a backup into a data directory, under a temporary name, migrates it, and skips the positions
 * and ids that may have been issued after the backup. The caller holds the lock of the directory. Throws TargetInUse as
 * refuseUsed does, UnsupportedVersion, and an Error if the database ends with an event other than `head`.
 */
export async function restoreSqlite(
  backup: string,
  directory: string,
  { tables, at, head, madeAt, onProgress }: RestoreOptions,
): Promise<RestoredDraft> {
  const file = databaseFile(directory)
  await refuseUsed(file, tables)
  const draft = draftOf(file)
  try {
    await copyFile(backup, draft)
    makePrivate(draft)
    using connection = new SqliteConnection(draft, { readonly: false, isDraft: true })
    await migrateSqlite(connection, onProgress)
    const { position = 0n } = connection.one(readHead) ?? {}
    if (head !== undefined && head !== `${position}`)
      throw new Error(`it ends with event ${position}, and not with event ${head} as its manifest says`)
    connection.run(upsertMetadataRow, { name: LAST_BACKUP, value: madeAt })
    const skipped = await skipIssued(connection, SKIPPED_BY_RESTORE, at)
    return {
      ...skipped,
      publish: () => {
        // If the empty store left a write-ahead log, SQLite would apply this log to the new database.
        deleteDatabase(file)
        publishFile(draft, file)
      },
      [Symbol.asyncDispose]: async () => deleteDatabase(draft),
    }
  } catch (error) {
    deleteDatabase(draft)
    throw error
  }
}

/**
 * Skips `count` positions of the event log and `count` ids of every noun, so that nothing which the lost store issued
 * is issued again. The gap becomes part of the hash chain.
 */
async function skipIssued(
  connection: SqliteConnection,
  count: bigint,
  at: string,
): Promise<Pick<RestoredDraft, 'gap' | 'head'>> {
  const before = knownHead(connection.one(readHead))
  const gap = { after: before.position, to: before.position + count, at }
  const head = chainEntryAfterGap(before, gap)
  connection.database.run('BEGIN')
  connection.run(insertGap, { ...gap })
  connection.run(moveHead, { position: head.position, hash: head.hash })
  connection.run(raiseCounters, { count })
  // A store on PostgreSQL may have given these events other positions after the backup, so they come after the gap.
  const last = await numberAllBatches(connection)
  connection.database.run('COMMIT')
  return { gap, head: last }
}
