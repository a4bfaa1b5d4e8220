import { existsSync, rmSync } from 'node:fs'
import { sqliteMigrations } from '../database/migrations/migrations.ts'
import { numberAllBatches } from '../database/numbering/numbering.ts'
import { SqliteConnection } from '../database/sqlite/connection.ts'
import { databaseFile, refuseLoss } from '../database/sqlite/database-file.ts'
import { migrateSqlite, versionOf } from '../database/sqlite/engine.ts'
import { draftOf } from '../files/draft.ts'
import { publishFile, reserveFile } from '../files/private-file.ts'
import { type CopySource, type CopyTarget, TargetInUse } from './copy.ts'
import { findUsedTable, type StoreTable } from './tables.ts'

/** The page cache while rows are written. They come in the order of the key, so few pages change at a time. */
const CACHE_KIB = 16 * 1024

/**
 * Opens the store of a data directory for reading, even if another process has it open: in one read transaction, or
 * with `inSlices`, in one for each statement, so that a reader that pauses does not keep the write-ahead log. Throws
 * UnsupportedVersion.
 */
export function openSqliteSource(directory: string, { inSlices = false } = {}): CopySource {
  refuseLoss(databaseFile(directory))
  const reader = new SqliteConnection(databaseFile(directory), { readonly: true })
  const close = async (): Promise<void> => reader.close()
  try {
    if (!inSlices) reader.database.run('BEGIN')
    sqliteMigrations.requireCurrent(versionOf(reader))
  } catch (error) {
    reader.close()
    throw error
  }
  return { reader, [Symbol.asyncDispose]: close }
}

/**
 * Opens a new database file in a data directory, under a temporary name until it is published. The caller holds the
 * lock of the directory. If `isServed` is true, a store will serve the copy, so its events without a position are
 * numbered. A backup keeps them as they are. Throws TargetInUse as refuseUsed does.
 */
export async function openSqliteTarget(
  directory: string,
  tables: readonly StoreTable[],
  { isServed }: { isServed: boolean } = { isServed: true },
): Promise<CopyTarget> {
  const file = databaseFile(directory)
  await refuseUsed(file, tables)
  const draft = draftOf(file)
  reserveFile(draft)
  let connection = new SqliteConnection(draft, { readonly: false, isDraft: true })
  const dispose = async (): Promise<void> => {
    connection.close()
    deleteDatabase(draft)
  }
  try {
    const { database } = connection
    database.run(`PRAGMA cache_size = -${CACHE_KIB}`)
    await migrateSqlite(connection)
    // An index that is built at the end is sorted once, and needs no page cache of its size.
    const indexes = database
      .query<{ name: string; sql: string }, []>(
        `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`,
      )
      .all()
    database.run('BEGIN')
    for (const { name } of indexes) database.run(`DROP INDEX "${name}"`)
    return {
      write: statement => connection.run(statement),
      readBack: async () => {
        for (const { sql } of indexes) database.run(sql)
        database.run('COMMIT')
        connection.close()
        connection = new SqliteConnection(draft, { readonly: true })
        return connection
      },
      publish: async () => {
        connection.close()
        if (isServed) await numberEvents(draft)
        // If the empty store left a write-ahead log, SQLite would apply this log to the new database.
        deleteDatabase(file)
        publishFile(draft, file)
      },
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function numberEvents(file: string): Promise<void> {
  using connection = new SqliteConnection(file, { readonly: false, isDraft: true })
  connection.database.run('BEGIN')
  await numberAllBatches(connection)
  connection.database.run('COMMIT')
}

/**
 * Throws TargetInUse unless a database file is absent, is empty, or contains an unused store of this version. A
 * write-ahead log without its database is refused too.
 */
export async function refuseUsed(file: string, tables: readonly StoreTable[]): Promise<void> {
  if (!existsSync(file)) {
    if (!existsSync(`${file}-wal`)) return
    throw new TargetInUse(`${file}-wal exists without its database.`)
  }
  using reader = new SqliteConnection(file, { readonly: true })
  const found = reader.database
    .query<{ tables: bigint }, []>('SELECT count(*) AS tables FROM sqlite_master')
    .get()
  if (found?.tables === 0n) return
  const version = versionOf(reader)
  if (version !== sqliteMigrations.version) {
    throw new TargetInUse(`${file} has tables of version ${version}, not ${sqliteMigrations.version}.`)
  }
  const used = await findUsedTable(reader, tables)
  if (used !== undefined) throw new TargetInUse(`Its table ${used} has rows.`)
}

/** Deletes a database file and the files that are kept next to it. */
export function deleteDatabase(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm', '-run']) rmSync(file + suffix, { force: true })
}
