import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { databaseFile } from '../../database/sqlite/database-file.ts'
import { draftOf } from '../../files/draft.ts'
import { CommitUnconfirmed, TargetInUse } from '../../transfer/copy.ts'
import { openPostgresTarget } from '../../transfer/postgres-copy.ts'
import { openSqliteSource } from '../../transfer/sqlite-copy.ts'
import { type RestoredDraft, restoreSqlite, SKIPPED_BY_RESTORE } from '../../transfer/sqlite-restore.ts'
import { type StoreTable, storeTables } from '../../transfer/tables.ts'
import { storedInstant } from '../../values/instant.ts'
import {
  DATABASE_FILE,
  type Manifest,
  readManifest,
  SECRET_KEY_FILE,
  verifyBackup,
} from '../backup-files/backup-manifest.ts'
import { forgetBackups } from '../backup-files/last-backup.ts'
import { unpackShipped } from '../backup-files/shipped-database.ts'
import { unpackBackup } from '../backup-files/single-backup.ts'
import { secretKeyPath } from '../keys/secret-key.ts'
import { adminKeyPath } from '../store-access/admin-key-file.ts'
import { type CopyPlace, type FromAndTo, parsePlace } from '../store-access/copy-place.ts'
import { lockStopped } from '../store-access/stopped-store.ts'
import { configFrom } from '../store-access/store-config.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf, say } from '../terminal/terminal.ts'
import { showHashProgress } from './byte-progress.ts'
import { copySecretKey } from './copied-secret-key.ts'
import { copyWithProgress } from './copy-progress.ts'

interface Restore {
  /** What --from names: a directory, or a file. */
  readonly from: string
  readonly backup: string
  readonly manifest: Manifest
  readonly to: CopyPlace
  readonly signal: AbortSignal
}

const SKIPPED = SKIPPED_BY_RESTORE.toLocaleString('en')

const EXAMPLES = `
The target must be empty and unused; it has the whole store at the end, or nothing. The restored store skips ${SKIPPED}
ids and event positions, because the lost store may have issued them after the backup.
PETSTORE_DATABASE_PASSWORD_FILE applies to a URL without a password.

Examples:
  petstore restore --from backups/2026-11-22 --to ./data
  petstore restore --from petstore-backup-2026-11-22.db --to ./data
  petstore restore --from-litestream restored.db --to ./data
  petstore restore --from backups/2026-11-22 --to postgres://shop@db.example/shop`

/** Adds the command `restore`, which makes a store from a backup. */
export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('make a store from a backup, in an empty directory or database')
    .option('--from <backup>', 'the directory of the backup, or the file that the console saved')
    .option('--from-litestream <file>', 'the database that "litestream restore" wrote')
    .option('--to <place>', 'an empty or absent data directory, or the postgres:// URL of an empty database')
    .addHelpText('after', EXAMPLES)
    .action(runRestore)
}

async function runRestore(options: FromAndTo & { readonly fromLitestream?: string }): Promise<void> {
  const { fromLitestream, from = fromLitestream, to } = options
  if (!from || !to) throw new CommandFailed('Specify --from or --from-litestream, and --to.', EXIT_USAGE)
  if (options.from && fromLitestream)
    throw new CommandFailed('Specify one of --from and --from-litestream.', EXIT_USAGE)
  const place = parsePlace('--to', to, configFrom({}).databasePassword)
  const startedMs = performance.now()
  using interruption = interruptedBySignals('Nothing was restored; you can restore again.')
  const isShipped = fromLitestream !== undefined
  const { restore, draft } = await restoreBackup(from, place, interruption.signal, isShipped)
  printReport(restore, draft, performance.now() - startedMs)
}

/**
 * Makes a store from a backup. Throws CommandFailed if it cannot, and then nothing was restored. Throws
 * CommitUnconfirmed if a database does not say whether it was.
 */
export async function restoreBackup(
  from: string,
  to: CopyPlace,
  signal: AbortSignal,
  isShipped = false,
): Promise<{ restore: Restore; draft: RestoredDraft }> {
  try {
    using backup = await openBackup(from, to, isShipped ? unpackShipped : unpackBackup)
    const manifest = readManifest(backup.directory)
    const restore = { from, backup: backup.directory, manifest, to, signal }
    await verify(restore)
    const draft =
      to.kind === 'directory'
        ? await restoreToDirectory(restore, to.directory)
        : await restoreToDatabase(restore, to)
    return { restore, draft }
  } catch (error) {
    throw failureOf(error, to)
  }
}

/** Returns the directory of a backup: the given one, or one that is made from a file, and deleted at the end. */
async function openBackup(
  from: string,
  to: CopyPlace,
  unpack: typeof unpackBackup,
): Promise<{ directory: string } & Disposable> {
  if (!statSync(from, { throwIfNoEntry: false })?.isFile())
    return { directory: from, [Symbol.dispose]: () => {} }
  const directory =
    to.kind === 'directory' ? draftOf(roomIn(to.directory)) : mkdtempSync(join(tmpdir(), 'petstore-restore-'))
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  try {
    await unpack(from, directory)
  } catch (error) {
    remove()
    throw error
  }
  return { directory, [Symbol.dispose]: remove }
}

/** Returns a path on the same disk as a directory. What is beside a mount point is on another disk. */
function roomIn(directory: string): string {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return resolve(directory)
  try {
    accessSync(directory, constants.W_OK)
  } catch (error) {
    throw new CommandFailed(`The data directory ${directory} cannot be written: ${reasonOf(error)}.`)
  }
  // What a killed process leaves has the name of the database, so that no start takes the directory for a new shop.
  return `${databaseFile(directory)}.unpacked`
}

async function verify({ from, backup, manifest, signal }: Restore): Promise<void> {
  using hashing = showHashProgress(manifest.files[DATABASE_FILE].bytes)
  await verifyBackup(backup, manifest, { signal, onBytes: hashing.onBytes }, from)
}

async function restoreToDirectory(
  { backup, manifest, signal }: Restore,
  directory: string,
): Promise<RestoredDraft> {
  using _ = lockStopped(directory, 'Stop it, and restore to an empty directory. Nothing was restored.')
  const options = restoreOptions(manifest, storeTables())
  await using draft = await restoreSqlite(join(backup, DATABASE_FILE), directory, options)
  signal.throwIfAborted()
  const secretKey =
    manifest.files[SECRET_KEY_FILE] && copySecretKey(join(backup, SECRET_KEY_FILE), directory, 'restored')
  try {
    forgetBackups(directory)
    draft.publish()
  } catch (error) {
    secretKey?.undo()
    throw error
  }
  return draft
}

async function restoreToDatabase(
  { backup, manifest, signal }: Restore,
  { address }: Extract<CopyPlace, { kind: 'database' }>,
): Promise<RestoredDraft> {
  const tables = storeTables()
  // A target that cannot be used is refused at once. It is opened again when there are rows to write, because the
  // server ends a transaction that is idle for a minute.
  await (await openPostgresTarget(address, tables))[Symbol.asyncDispose]()
  const directory = mkdtempSync(join(tmpdir(), 'petstore-restore-'))
  try {
    const options = restoreOptions(manifest, tables)
    await using draft = await restoreSqlite(join(backup, DATABASE_FILE), directory, options)
    draft.publish()
    await using source = openSqliteSource(directory)
    await using target = await openPostgresTarget(address, tables)
    await copyWithProgress(source, target, tables, signal)
    return draft
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function restoreOptions(
  { head, createdAt }: Manifest,
  tables: readonly StoreTable[],
): Parameters<typeof restoreSqlite>[2] {
  return { tables, at: storedInstant(Date.now()), head: head?.position, madeAt: createdAt, onProgress: say }
}

function failureOf(error: unknown, { name }: CopyPlace): unknown {
  if (error instanceof CommandFailed) return error
  if (error instanceof TargetInUse) {
    return new CommandFailed(
      `The target ${name} must be empty and unused. ${error.message} Nothing was restored. ` +
        'To replace a store, move its data directory away first.',
    )
  }
  if (error instanceof CommitUnconfirmed) {
    return new CommandFailed(`${error.message} Check whether ${name} has rows before you restore again.`)
  }
  const reason = escapeControls(reasonOf(error))
  return new CommandFailed(`The restore to ${name} failed: ${reason}. Nothing was restored.`)
}

function printReport({ backup, manifest, to }: Restore, { gap, head }: RestoredDraft, tookMs: number): void {
  say(`Restored the store of ${manifest.createdAt} to ${to.name} in ${(tookMs / 1000).toFixed(1)} s.`)
  say(
    `Its last event is ${gap.after}; new events start at ${gap.to + 1n}, and new ids skip ${SKIPPED} numbers, ` +
      'so that none is given out twice.',
  )
  say(`The audit log ends with the anchor ${head.position}:${head.hash}`)
  for (const line of nextSteps(backup, manifest, to)) say(line)
}

function nextSteps(backup: string, { files }: Manifest, to: CopyPlace): string[] {
  const hasKey = files[SECRET_KEY_FILE] !== undefined
  if (to.kind === 'database') {
    const key = hasKey
      ? `a copy of ${escapeControls(join(backup, SECRET_KEY_FILE))}`
      : 'the same file as before'
    return [`Next: set PETSTORE_SECRET_KEY_FILE to ${key}, and start the store with DATABASE_URL.`]
  }
  const lines = existsSync(secretKeyPath(to.directory))
    ? []
    : [`If the store has webhooks, copy its secret key to ${secretKeyPath(to.name)} first.`]
  if (!existsSync(adminKeyPath(to.directory))) {
    lines.push(
      `The API keys in the backup are valid. If you have none of them: petstore keys reset-admin --data ${to.name}`,
    )
  }
  return [...lines, `Next: start the store with --data ${to.name}.`]
}
