import { join } from 'node:path'
import { SqliteConnection } from '../../database/sqlite/connection.ts'
import { dynamicSql } from '../../database/statement.ts'
import { makeDirectory, writeWholeFile } from '../../files/private-file.ts'
import { newestChangeAt } from '../../shop/log/newest-change.ts'
import { backupSqlite } from '../../transfer/sqlite-backup.ts'
import { formatInstant, formatInstantMs } from '../../values/instant.ts'
import { CommandFailed, escapeControls, reasonOf } from '../terminal/terminal.ts'
import { findAuditProblem } from './audit-problem.ts'
import { DATABASE_FILE, describeFile, MANIFEST_FILE, manifestHead, manifestText } from './backup-manifest.ts'

/**
 * Makes the directory of a backup from a database that Litestream restored: a private copy without the tables of
 * Litestream. The instant of its newest change is that of the backup. Throws CommandFailed if the file is no intact
 * store.
 */
export async function unpackShipped(file: string, directory: string): Promise<void> {
  const name = escapeControls(file)
  try {
    makeDirectory(directory)
    const database = join(directory, DATABASE_FILE)
    const { signal } = new AbortController()
    const quiet = { signal, onBytes: () => {} }
    const { version, head } = await backupSqlite({ from: file, to: database }, quiet)
    const newest = await dropShippingTables(database)
    const problem = await findAuditProblem(directory)
    if (problem !== undefined) throw new Error(`its audit log is not intact: ${problem}`)
    const files = { [DATABASE_FILE]: await describeFile(database, quiet) }
    const createdAt = newest === null ? formatInstantMs(Date.now()) : formatInstant(newest)
    const manifest = {
      createdAt,
      engine: 'sqlite',
      databaseVersion: version,
      head: manifestHead(head),
      files,
    } as const
    writeWholeFile(join(directory, MANIFEST_FILE), manifestText(manifest), { replace: false })
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(`${name} cannot be restored: ${reasonOf(error)}.`)
  }
}

/** Drops the tables of Litestream. Returns the instant of the newest change in the stored form. */
async function dropShippingTables(database: string): Promise<string | null> {
  using connection = new SqliteConnection(database, { readonly: false, isDraft: true })
  const tables = connection.many(
    dynamicSql<{ name: string }>(
      () =>
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\\_litestream\\_%' ESCAPE '\\'`,
    ),
  )
  for (const { name } of tables) connection.database.run(`DROP TABLE "${name}"`)
  return await newestChangeAt(connection)
}
