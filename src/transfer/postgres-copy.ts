import { type ReservedSQL, SQL } from 'bun'
import { postgresMigrations } from '../database/migrations/migrations.ts'
import { numberAllBatches } from '../database/numbering/numbering.ts'
import { PostgresConnection } from '../database/postgres/connection.ts'
import type { DatabaseAddress, DatabaseHost } from '../database/postgres/database-url.ts'
import { failureOf, sqlState } from '../database/postgres/failure.ts'
import { hostOptions } from '../database/postgres/host-options.ts'
import { lockForMigration, runMigrations, storeVersionOf } from '../database/postgres/migrations.ts'
import { findPrimary, isPrimary } from '../database/postgres/primary.ts'
import { PostgresWriter } from '../database/postgres/writer.ts'
import { CommitUnconfirmed, type CopySource, type CopyTarget, NoSource, TargetInUse } from './copy.ts'
import { findUsedTable, type StoreTable } from './tables.ts'

/** The time within which a connection must be established, in seconds. */
const CONNECT_SECONDS_MAX = 5
/** The time that a connection waits for a process that starts a store on the database or copies to it. */
const LOCK_MS_MAX = 5000
/** The time after which the server ends the session of a copy that is frozen, in milliseconds. */
const FROZEN_MS_MAX = 60_000
const LOCK_NOT_AVAILABLE = '55P03'

/** A source on PostgreSQL, and whether it is a standby, which may be behind its primary. */
interface PostgresSource extends CopySource {
  readonly isStandby: boolean
}

/**
 * Opens a store for a copy, in one snapshot that later commits do not change, or with `inSlices`, in one for each
 * statement, so that a reader that pauses holds up no VACUUM. The store may be running, so its last events may have no
 * position yet. Throws UnsupportedVersion, NoSource, and the error of findPrimary if no host can be
 * read.
 */
export async function openPostgresSource(
  { hosts }: DatabaseAddress,
  { inSlices = false } = {},
): Promise<PostgresSource> {
  const { pool, connection } = await openConnection(await findReadable(hosts))
  const reader = new PostgresConnection(connection)
  const close = async (): Promise<void> => pool.close({ timeout: 0 })
  try {
    const isStandby = !(await isPrimary(connection))
    if (!inSlices) await connection.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const version = await storeVersionOf(reader)
    if (version === 0) throw new NoSource('The database has no store.')
    postgresMigrations.requireCurrent(version)
    return { reader, isStandby, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens an empty database as the target of a copy: one transaction creates the tables, writes the rows and reads them.
 * No store can start on the database meanwhile. Throws TargetInUse, and the errors of findPrimary and of the driver.
 */
export async function openPostgresTarget(
  { hosts }: DatabaseAddress,
  tables: readonly StoreTable[],
): Promise<CopyTarget> {
  const { pool, connection } = await openConnection(await findPrimary(hosts))
  const database = new PostgresConnection(connection)
  // The server rolls back what a closed connection has not committed.
  const close = async (): Promise<void> => pool.close({ timeout: 0 })
  try {
    await connection.unsafe('BEGIN ISOLATION LEVEL READ COMMITTED')
    const version = await lockForMigration(connection).catch(error => {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
      throw new TargetInUse('Another process is starting a store on it, or copying to it.')
    })
    if (version > 0 && version !== postgresMigrations.version) {
      throw new TargetInUse(`It has tables of version ${version}, not ${postgresMigrations.version}.`)
    }
    await runMigrations(connection)
    const used = await findUsedTable(database, tables)
    if (used !== undefined) throw new TargetInUse(`Its table ${used} has rows.`)
  } catch (error) {
    await close()
    throw error
  }
  return {
    write: statement => database.run(statement),
    readBack: async () => database,
    publish: async () => {
      await numberEvents(connection)
      await connection.unsafe('COMMIT').catch(error => {
        if (failureOf(error) !== 'lost') throw error
        throw new CommitUnconfirmed('The connection was lost during the commit.')
      })
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Numbers the copied events that have no position: the ids of new batches begin at 1, and must not meet theirs. */
async function numberEvents(connection: ReservedSQL): Promise<void> {
  const writer = new PostgresWriter(connection)
  await numberAllBatches(writer)
  await writer.written()
}

/** Opens a connection without the time limit of a request, in a pool of its own that the caller closes. */
export async function openConnection(host: DatabaseHost): Promise<{ pool: SQL; connection: ReservedSQL }> {
  const settings = {
    application_name: 'petstore copy',
    statement_timeout: 0,
    lock_timeout: LOCK_MS_MAX,
    idle_in_transaction_session_timeout: FROZEN_MS_MAX,
  }
  const pool = new SQL({
    ...hostOptions(host),
    max: 1,
    connectionTimeout: CONNECT_SECONDS_MAX,
    connection: settings,
  })
  try {
    return { pool, connection: await pool.reserve() }
  } catch (error) {
    await pool.close({ timeout: 0 })
    throw error
  }
}

/** Returns the primary, or else the first host that can be read. If no host can, throws the error of findPrimary. */
async function findReadable(hosts: readonly DatabaseHost[]): Promise<DatabaseHost> {
  try {
    return await findPrimary(hosts)
  } catch (error) {
    const results = await Promise.allSettled(
      hosts.map(async host => {
        const { pool } = await openConnection(host)
        await pool.close({ timeout: 0 })
      }),
    )
    const found = hosts[results.findIndex(({ status }) => status === 'fulfilled')]
    if (found) return found
    throw error
  }
}
