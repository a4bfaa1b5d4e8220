import { type ReservedSQL, SQL } from 'bun'
import { migrate, type OnProgress, readCompatibleFrom } from '../migrate.ts'
import { postgresMigrations } from '../migrations/migrations.ts'
import { sql } from '../statement.ts'
import { PostgresConnection } from './connection.ts'
import type { DatabaseHost } from './database-url.ts'
import { sqlState } from './failure.ts'
import { hostOptions } from './host-options.ts'

const NO_TABLE = '42P01'
const NO_COLUMN = '42703'

const readVersion = sql<{ version: bigint | null }>()('SELECT max(version) AS version FROM migration')
const createVersions = 'CREATE TABLE IF NOT EXISTS migration (version BIGINT NOT NULL PRIMARY KEY)'
const insertFirstVersion = 'INSERT INTO migration (version) VALUES (0) ON CONFLICT DO NOTHING'
/** Locks the row of version 0, which always exists: some databases with the protocol of PostgreSQL lock no tables. */
const lockVersions = 'SELECT version FROM migration WHERE version = 0 FOR UPDATE'
const insertVersion = sql()('INSERT INTO migration (version) VALUES ($version)')

/** Tables that extensions create, as PostGIS does. */
const EXTENSION_TABLES: readonly string[] = ['spatial_ref_sys']
const TABLES_SHOWN = 3

/** Throws an Error if the database has tables, but no store: its tables are those of another program. */
async function refuseForeignTables(connection: SQL | ReservedSQL): Promise<void> {
  // The tables are read first: another process can create the store meanwhile.
  const tables = await connection.unsafe<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`,
  )
  const names = tables.map(({ name }) => name).filter(name => !EXTENSION_TABLES.includes(name))
  const isNew = names.every(name => name === 'migration')
  if (isNew || (await storeVersionOf(new PostgresConnection(connection))) > 0) return
  const others = names.length > TABLES_SHOWN ? `, and ${names.length - TABLES_SHOWN} more` : ''
  throw new Error(
    `it has tables of another program (${names.slice(0, TABLES_SHOWN).join(', ')}${others}) and no store: create a ` +
      'database for the store, and name it in DATABASE_URL',
  )
}

/**
 * Runs the missing migrations. Only one process migrates at a time; the others wait for the lock on a row of the
 * version table. Throws UnsupportedVersion.
 */
export async function migratePostgres(host: DatabaseHost, onProgress?: OnProgress): Promise<void> {
  // Without the time limits of requests: a migration of a large store takes minutes, and waits for its turn.
  await using pool = new SQL({ ...hostOptions(host), max: 1 })
  await refuseForeignTables(pool)
  await pool.unsafe(createVersions).catch(error => {
    // Two processes that create the table at once collide on its name, its row type or a catalog key. The table then
    // exists.
    if (!['42P07', '42710', '23505'].includes(sqlState(error))) throw error
  })
  await pool.unsafe(insertFirstVersion)
  await pool.begin(async transaction => {
    await transaction.unsafe(lockVersions)
    await runMigrations(transaction, onProgress)
  })
}

/**
 * Locks a row of the version table in a transaction, and creates the table if it is absent. Until the transaction ends,
 * no store can start on the database. Returns the number of the last migration; 0 for an empty database.
 */
export async function lockForMigration(transaction: SQL | ReservedSQL): Promise<number> {
  await refuseForeignTables(transaction)
  for (const text of [createVersions, insertFirstVersion, lockVersions]) await transaction.unsafe(text)
  return versionOf(new PostgresConnection(transaction))
}

/** Runs the missing migrations in a transaction that holds the lock of `lockVersions`. Throws UnsupportedVersion. */
export async function runMigrations(transaction: SQL | ReservedSQL, onProgress?: OnProgress): Promise<void> {
  const connection = new PostgresConnection(transaction)
  await migrate(
    {
      version: () => versionOf(connection),
      compatibleFrom: async () => {
        const version = await versionOf(connection)
        return version > postgresMigrations.version ? await readCompatibleFrom(connection) : undefined
      },
      apply: async (script, version, step) => {
        await transaction.unsafe(script)
        await step(connection)
        await connection.run(insertVersion, { version: BigInt(version) })
      },
    },
    postgresMigrations,
    onProgress,
  )
}

/** The maximum time for work that only one process does at a time, in milliseconds. */
const EXCLUSIVE_MS_MAX = 60_000

/** Runs work while this process holds a lock that each process takes for such work. */
export async function exclusively<T>(host: DatabaseHost, work: () => Promise<T>): Promise<T> {
  // The server ends the session of a process that is frozen, and so releases the lock.
  const connection = { idle_in_transaction_session_timeout: EXCLUSIVE_MS_MAX, lock_timeout: EXCLUSIVE_MS_MAX }
  await using pool = new SQL({ ...hostOptions(host), max: 1, connection })
  return await pool.begin(async transaction => {
    await transaction.unsafe(lockVersions)
    return work()
  })
}

/** Throws UnsupportedVersion if the tables of a database are those of a version that this program cannot serve. */
export async function requireUsableTables(connection: PostgresConnection): Promise<void> {
  const version = await storeVersionOf(connection)
  const isLater = version > postgresMigrations.version
  postgresMigrations.requireCurrent(version, isLater ? await readCompatibleFrom(connection) : undefined)
}

/** Returns the number of the last migration; 0 if none has run. Throws if the database has no version table. */
async function versionOf(connection: PostgresConnection): Promise<number> {
  const row = await connection.one(readVersion)
  return Number(row?.version ?? 0n)
}

/** Returns the number of the last migration; 0 if the database has no store. */
export async function storeVersionOf(connection: PostgresConnection): Promise<number> {
  return await versionOf(connection).catch(error => {
    if ([NO_TABLE, NO_COLUMN].includes(sqlState(error))) return 0
    throw error
  })
}
