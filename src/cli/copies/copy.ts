import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { UnsupportedVersion } from '../../database/migrate.ts'
import {
  CommitUnconfirmed,
  type CopyReport,
  type CopySource,
  type CopyTarget,
  NoSource,
  TargetInUse,
} from '../../transfer/copy.ts'
import { openPostgresSource, openPostgresTarget } from '../../transfer/postgres-copy.ts'
import { openSqliteSource, openSqliteTarget } from '../../transfer/sqlite-copy.ts'
import { type StoreTable, storeTables } from '../../transfer/tables.ts'
import { secretKeyPath } from '../keys/secret-key.ts'
import { type CopyPlace, type FromAndTo, isSamePlace, parsePlace } from '../store-access/copy-place.ts'
import { lockStopped } from '../store-access/stopped-store.ts'
import { configFrom, hasDatabase } from '../store-access/store-config.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import { CommandFailed, EXIT_USAGE, reasonOf, say } from '../terminal/terminal.ts'
import { copySecretKey } from './copied-secret-key.ts'
import { copyWithProgress } from './copy-progress.ts'

const STOP_FIRST = 'Stop it first, then copy.'

interface Places {
  readonly from: CopyPlace
  readonly to: CopyPlace
}

const EXAMPLES = `
A place is a data directory, or a URL of PostgreSQL. The target must be empty. It has all rows at the end, or none.
PETSTORE_DATABASE_PASSWORD_FILE applies to a URL without a password.

Examples:
  petstore copy --from ./data --to postgres://shop@db.example/shop
  petstore copy --from postgres://shop@db.example/shop --to ./data`

/** Adds the command `copy`, which copies a whole store to an empty database or data directory. */
export function addCopy(program: Command): void {
  program
    .command('copy')
    .description('copy a whole store to an empty place, for example from SQLite to PostgreSQL')
    .option('--from <place>', 'the data directory of a stopped store, or the postgres:// URL of a store')
    .option('--to <place>', 'an empty or absent data directory, or the postgres:// URL of an empty database')
    .addHelpText('after', EXAMPLES)
    .action(runCopy)
}

async function runCopy(options: FromAndTo): Promise<void> {
  const places = parsePlaces(options)
  const { from, to } = places
  const tables = storeTables()
  const startedMs = performance.now()
  await using locks = new AsyncDisposableStack()
  await using source = await openSource(places, locks)
  await using target = await openTarget(to, tables, locks)
  const secretKey = copyKeyBetween(places)
  using interruption = interruptedBySignals('Nothing was copied; you can copy again.')
  try {
    const report = await copyWithProgress(source, target, tables, interruption.signal)
    printReport(places, report, performance.now() - startedMs)
  } catch (error) {
    if (error instanceof CommitUnconfirmed) {
      throw new CommandFailed(`${error.message} Check whether ${to.name} has rows before you copy again.`)
    }
    secretKey?.undo()
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(
      `The copy from ${from.name} failed: ${reasonOf(error)}. Nothing was copied; ${to.name} is still empty.`,
    )
  }
}

function parsePlaces({ from, to }: FromAndTo): Places {
  if (from === undefined || to === undefined) throw new CommandFailed('Specify --from and --to.', EXIT_USAGE)
  const { databasePassword } = configFrom({})
  const places = {
    from: parsePlace('--from', from, databasePassword),
    to: parsePlace('--to', to, databasePassword),
  }
  if (isSamePlace(places.from, places.to)) {
    throw new CommandFailed('--from and --to are the same place: specify another target.', EXIT_USAGE)
  }
  return places
}

async function openSource({ from }: Places, locks: AsyncDisposableStack): Promise<CopySource> {
  try {
    if (from.kind === 'directory') {
      if (!hasDatabase(from.directory)) {
        throw new CommandFailed(`There is no store in ${from.name}: specify its directory with --from.`)
      }
      locks.use(lockStopped(from.directory, STOP_FIRST))
      return openSqliteSource(from.directory)
    }
    const source = await openPostgresSource(from.address)
    say(
      `Copying ${from.name}${source.isStandby ? ', a standby,' : ''} as it is now: later changes are not copied. ` +
        'To move the store, stop it before you copy it.',
    )
    return source
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    if (error instanceof NoSource || error instanceof UnsupportedVersion) {
      throw new CommandFailed(`The store at ${from.name} cannot be copied. ${error.message}`)
    }
    throw new CommandFailed(`The database at ${from.name} cannot be opened: ${reasonOf(error)}.`)
  }
}

async function openTarget(
  to: CopyPlace,
  tables: readonly StoreTable[],
  locks: AsyncDisposableStack,
): Promise<CopyTarget> {
  try {
    if (to.kind === 'database') return await openPostgresTarget(to.address, tables)
    locks.use(lockStopped(to.directory, STOP_FIRST))
    return await openSqliteTarget(to.directory, tables)
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    if (error instanceof TargetInUse) {
      throw new CommandFailed(
        `The target ${to.name} must be empty and unused. ${error.message} Nothing was copied.`,
      )
    }
    throw new CommandFailed(`The database at ${to.name} cannot be opened: ${reasonOf(error)}.`)
  }
}

function copyKeyBetween({ from, to }: Places): { undo(): void } | undefined {
  if (from.kind !== 'directory' || to.kind !== 'directory') return undefined
  const source = secretKeyPath(from.directory)
  return existsSync(source) ? copySecretKey(source, to.directory, 'copied') : undefined
}

function printReport({ from, to }: Places, { rows, tables, head }: CopyReport, tookMs: number): void {
  const seconds = (tookMs / 1000).toFixed(1)
  say(`Copied ${rows} rows of ${tables} tables from ${from.name} to ${to.name} in ${seconds} s.`)
  say('Every row was read back and compared.')
  if (head.position > 0n) say(`The audit log ends with the anchor ${head.position}:${head.hash}`)
  for (const line of nextSteps({ from, to })) say(line)
  say('Serve only one of the two stores: both would send the same webhooks.')
}

/** Returns what to do before the copy is served. No database contains the key that decrypts webhook secrets. */
function nextSteps({ from, to }: Places): string[] {
  const start =
    to.kind === 'directory' ? `start the store with --data ${to.name}` : 'start the store with DATABASE_URL'
  const hasKey = from.kind === 'directory' && existsSync(secretKeyPath(from.directory))
  if (!hasKey && from.kind === to.kind) return [`Next: ${start}, and with the same PETSTORE_SECRET_KEY_FILE.`]
  if (from.kind === 'directory' && to.kind === 'directory')
    return [`Next: ${start}. Its secret-key was copied.`]
  if (to.kind === 'directory') {
    return [
      'The key that decrypts webhook secrets was not copied.',
      `Next: copy the file of PETSTORE_SECRET_KEY_FILE to ${secretKeyPath(to.name)}, and ${start}.`,
    ]
  }
  const source = hasKey ? `a copy of ${secretKeyPath(from.name)}` : 'the same file as before'
  return [
    'The key that decrypts webhook secrets was not copied.',
    `Next: set PETSTORE_SECRET_KEY_FILE to ${source}, and ${start}.`,
  ]
}
