import type { Reader } from '../database/engine.ts'
import { postgresMigrations, sqliteMigrations } from '../database/migrations/migrations.ts'
import { PostgresConnection } from '../database/postgres/connection.ts'
import type { DatabaseAddress } from '../database/postgres/database-url.ts'
import { lockForMigration } from '../database/postgres/migrations.ts'
import { findPrimary } from '../database/postgres/primary.ts'
import { SqliteConnection } from '../database/sqlite/connection.ts'
import { databaseFile, expectNoCommit, refuseWrongFiles } from '../database/sqlite/database-file.ts'
import { sqliteVersion } from '../database/sqlite/engine.ts'
import { endRun } from '../database/sqlite/log-number.ts'
import { dynamicSql, type Statement, sql } from '../database/statement.ts'
import { readMetadata } from '../shop/kernel/metadata.ts'
import { openConnection } from './postgres-copy.ts'
import { deleteRows, insertRows, type StoreTable } from './tables.ts'

/** What a store has after a reset, in addition to the rows of a new store. */
interface ResetScope {
  /** Whether the API keys remain valid. */
  readonly keepsKeys: boolean
  /** Rows of the table `metadata` to insert. */
  readonly metadata: Readonly<Record<string, string>>
}

/** Thrown if a store cannot be reset. The message is a sentence. */
export class NotResettable extends Error {}

/** A connection with an open transaction. */
interface Writer extends Reader {
  run(statement: Statement<never, never>): Promise<number> | number
}

const readKeyCounter = sql<{ last: bigint }>()(`SELECT last FROM counter WHERE noun = 'key'`)
const countSessions = sql<{ sessions: bigint }>()(`
  SELECT count(*) AS sessions FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'petstore%'`)

/**
 * Replaces all rows of the store in a data directory with the rows of a new store and the rows that `scope` names, and
 * makes its file small again; returns the error if it cannot, such as beside a process that reads the store. The caller
 * holds the lock of the directory. Throws UnsupportedVersion, and an Error if another process writes to the database or
 * if the files of the directory do not belong together.
 */
export async function resetSqlite(
  directory: string,
  tables: readonly StoreTable[],
  scope: ResetScope,
): Promise<unknown> {
  refuseWrongFiles(directory)
  const file = databaseFile(directory)
  sqliteMigrations.requireCurrent(sqliteVersion(directory))
  // It reads the file itself, so it must come before the connection.
  expectNoCommit(file)
  {
    using connection = new SqliteConnection(file, { readonly: false })
    connection.database.run('BEGIN IMMEDIATE')
    await replaceRows(connection, tables, scope, table => deleteRows(table))
    connection.database.run('COMMIT')
    try {
      connection.database.run('VACUUM')
    } catch (error) {
      return error
    }
  }
  try {
    endRun(file)
  } catch (error) {
    return error
  }
  return undefined
}

/**
 * Replaces all rows of the store in a database with the rows of a new store and the rows that `scope` names, in one
 * transaction. Throws NotResettable if a process of the store is connected, or if the database has no store. Throws
 * UnsupportedVersion, and the errors of findPrimary and of the driver.
 */
export async function resetPostgres(
  { hosts }: DatabaseAddress,
  tables: readonly StoreTable[],
  scope: ResetScope,
): Promise<void> {
  const { pool, connection } = await openConnection(await findPrimary(hosts))
  const database = new PostgresConnection(connection)
  try {
    await connection.unsafe('BEGIN ISOLATION LEVEL READ COMMITTED')
    const version = await lockForMigration(connection)
    if (version === 0) throw new NotResettable('The database has no store.')
    postgresMigrations.requireCurrent(version)
    const { sessions = 0n } = (await database.one(countSessions)) ?? {}
    if (sessions > 0n) {
      throw new NotResettable(
        'A process of the store is connected to the database: stop every process first.',
      )
    }
    await replaceRows(database, tables, scope, truncate)
    await connection.unsafe('TRUNCATE execution')
    await connection.unsafe('COMMIT')
  } finally {
    // The server rolls back what a closed connection has not committed.
    await pool.close({ timeout: 0 })
  }
}

function truncate({ name }: StoreTable): Statement<never> {
  return dynamicSql(() => `TRUNCATE "${name}"`)
}

/** Replaces the rows of all tables with the rows of a new store and the rows that `scope` names. */
async function replaceRows(
  writer: Writer,
  tables: readonly StoreTable[],
  { keepsKeys, metadata }: ResetScope,
  deletion: (table: StoreTable) => Statement<never>,
): Promise<void> {
  const keyCounter = await writer.one(readKeyCounter)
  // The currency is a choice of the owner, which a start makes only once.
  const currency = await readMetadata(writer, 'currency')
  for (const table of tables) {
    if (keepsKeys && table.name === 'api_key') continue
    await writer.run(deletion(table))
    if (table.freshRows.length > 0) await writer.run(insertRows(table, table.freshRows))
    const kept = { ...metadata, ...(currency !== undefined && { currency }) }
    const rows = Object.entries(kept).map(([name, value]) => ({ name, value }))
    if (table.name === 'metadata' && rows.length > 0) await writer.run(insertRows(table, rows))
  }
  if (keepsKeys && keyCounter) {
    await writer.run(
      dynamicSql(place => `UPDATE counter SET last = ${place(keyCounter.last)} WHERE noun = 'key'`),
    )
  }
}
