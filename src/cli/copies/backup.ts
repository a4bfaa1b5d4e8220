import { join } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import { UnmigratedDatabase } from '../../database/migrate.ts'
import { sqliteMigrations } from '../../database/migrations/migrations.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import { databaseFile, refuseWrongFiles } from '../../database/sqlite/database-file.ts'
import { syncFile } from '../../files/private-file.ts'
import { openPostgresSource } from '../../transfer/postgres-copy.ts'
import { type BackupFacts, backupSqlite } from '../../transfer/sqlite-backup.ts'
import { openSqliteTarget } from '../../transfer/sqlite-copy.ts'
import { storeTables } from '../../transfer/tables.ts'
import { DATABASE_FILE, MANIFEST_FILE, SECRET_KEY_FILE } from '../backup-files/backup-manifest.ts'
import { type CheckRecord, recordBackup } from '../backup-files/last-backup.ts'
import { makeBackup, type NewBackup } from '../backup-files/make-backup.ts'
import { refuseUsedDirectory } from '../backup-files/new-directory.ts'
import { readOwnSecretKey } from '../keys/secret-key.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import {
  CommandFailed,
  EXIT_DAMAGED,
  EXIT_USAGE,
  escapeControls,
  reasonOf,
  say,
} from '../terminal/terminal.ts'
import { showByteProgress, showHashProgress } from './byte-progress.ts'
import { copyWithProgress } from './copy-progress.ts'

interface BackupOptions extends PlaceOptions {
  readonly to?: string
  readonly withSecretKey?: boolean
}

const EXAMPLES = `
The store can be running or stopped. The backup is a directory with ${MANIFEST_FILE} and a SQLite database, even if
the store is on PostgreSQL. The manifest holds the position of the last event and the SHA-256 of each file. The backup
is complete, or it does not exist. The exit code is 4 if it is made, but the audit log of the store was changed.
"petstore sandboxes backup" backs up a host of sandboxes.

Examples:
  petstore backup --to backups/2026-11-22
  petstore backup --to /mnt/safe/petstore --with-secret-key
  petstore backup --to backups/today --database-url postgres://shop@db.example/shop`

const BACK_UP_FIRST =
  'To back it up before that, use the petstore that wrote it, or pg_dump. Nothing was backed up.'

/** Adds the command `backup`, which makes a backup of a running or stopped store. */
export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('back up a store, even while it runs')
    .option('--to <directory>', 'the directory of the backup: a new one, or an empty one')
    .option('--with-secret-key', 'include the key that encrypts webhook secrets')
  addPlaceOptions(command).addHelpText('after', EXAMPLES).action(runBackup)
}

async function runBackup({ to, data, databaseUrl, withSecretKey }: BackupOptions): Promise<void> {
  if (!to) throw new CommandFailed('Specify the directory of the backup with --to.', EXIT_USAGE)
  const config = existingStoreFrom({ data, databaseUrl })
  const name = escapeControls(to)
  refuseUsedDirectory(to, name)
  const startedMs = performance.now()
  using interruption = interruptedBySignals(`Nothing was left in ${name}.`)
  const { signal } = interruption
  try {
    const made = await makeBackup({
      to,
      signal,
      startHashing: showHashProgress,
      copyDatabase: draft => backupDatabase(config, draft, signal),
      secretKey: withSecretKey ? requireSecretKey(config) : undefined,
    })
    const { at, auditProblem } = made
    await record(config, { at, isAuditIntact: auditProblem === undefined })
    printReport(name, made, performance.now() - startedMs)
    if (!withSecretKey) warnOfMissingKey(config)
    if (auditProblem !== undefined)
      throw new CommandFailed(
        `The backup is made, but the audit log of the store was changed: ${escapeControls(auditProblem)} Run ` +
          '"petstore doctor", keep an older backup too, and see "Back up" in docs/running.md.',
        EXIT_DAMAGED,
      )
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    if (error instanceof UnmigratedDatabase) throw new CommandFailed(`${error.message} ${BACK_UP_FIRST}`)
    const reason = escapeControls(reasonOf(error))
    throw new CommandFailed(`The backup failed: ${reason}. Nothing was left in ${name}.`)
  }
}

/** Records the backup for the console. A backup that cannot be recorded is made all the same. */
async function record(config: Config, backup: Required<CheckRecord>): Promise<void> {
  try {
    await recordBackup(config, backup)
  } catch (error) {
    say(`The backup is made, but the console will not know of it: ${escapeControls(reasonOf(error))}`)
  }
}

async function backupDatabase(
  config: Config,
  directory: string,
  signal: AbortSignal,
): Promise<{ facts: BackupFacts; engine: 'sqlite' | 'postgres' }> {
  if (config.databaseUrl !== undefined) {
    const address = parseDatabaseUrl(config.databaseUrl, config.databasePassword)
    await using source = await openPostgresSource(address)
    const tables = storeTables()
    await using target = await openSqliteTarget(directory, tables, { isServed: false })
    const { head } = await copyWithProgress(source, target, tables, signal)
    return { facts: { version: sqliteMigrations.version, head }, engine: 'postgres' }
  }
  refuseWrongFiles(config.data)
  using bar = showByteProgress('Backup')
  const task = { from: databaseFile(config.data), to: join(directory, DATABASE_FILE) }
  const facts = await backupSqlite(task, { signal, onBytes: bar.onProgress })
  syncFile(task.to)
  return { facts, engine: 'sqlite' }
}

function requireSecretKey(config: Config): Uint8Array {
  const key = readOwnSecretKey(config)
  if (key === undefined)
    throw new CommandFailed('The store has no secret key yet: back it up without --with-secret-key.')
  return key
}

function printReport(name: string, { facts: { head }, bytes }: NewBackup, tookMs: number): void {
  const mib = (bytes / 1_048_576).toFixed(1)
  say(`Backed up ${mib} MiB to ${name} in ${(tookMs / 1000).toFixed(1)} s.`)
  if (head && head.position > 0n)
    say(`It ends with event ${head.position}; its anchor for "audit verify" is ${head.position}:${head.hash}`)
  say(`To restore it: petstore restore --from ${name} --to DIRECTORY`)
}

function warnOfMissingKey({ secretKey, databaseUrl, data }: Config): void {
  const key =
    secretKey !== undefined || databaseUrl !== undefined
      ? 'the file of PETSTORE_SECRET_KEY_FILE'
      : join(data, SECRET_KEY_FILE)
  say(`The backup has no key for webhook secrets: keep a copy of ${key}, or use --with-secret-key.`)
}
