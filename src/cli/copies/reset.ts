import { existsSync, rmSync } from 'node:fs'
import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import { UnsupportedVersion } from '../../database/migrate.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import { dynamicSql } from '../../database/statement.ts'
import { NotResettable, resetPostgres, resetSqlite } from '../../transfer/reset.ts'
import { storeTables } from '../../transfer/tables.ts'
import { forgetBackups } from '../backup-files/last-backup.ts'
import { loadDemo, WITHOUT_DEMO } from '../serve/demo.ts'
import { adminKeyPath } from '../store-access/admin-key-file.ts'
import { databaseName } from '../store-access/copy-place.ts'
import { openSnapshot } from '../store-access/snapshot.ts'
import { lockStopped, openStopped } from '../store-access/stopped-store.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { confirm } from '../terminal/confirmation.ts'
import { CommandFailed, EXIT_USAGE, reasonOf, say } from '../terminal/terminal.ts'

interface ResetOptions extends PlaceOptions {
  readonly demo?: boolean
  readonly empty?: boolean
  readonly keepKeys?: boolean
  readonly yes?: boolean
}

const EXAMPLES = `
The store must be stopped. All of it is deleted: pets, categories, orders, webhooks, events and the audit log. Ids and
event positions start at 1 again. Without --keep-keys, the next start creates a new admin key.

Examples:
  petstore reset --demo
  petstore reset --empty --keep-keys --yes`

/** Adds the command `reset`, which deletes everything in a stopped store. */
export function addReset(program: Command): void {
  const command = program
    .command('reset')
    .description('delete everything in a stopped store, and start over')
    .option('--demo', 'load the demo shop into it')
    .option('--empty', 'leave it empty; the next start does not load the demo shop')
    .option('--keep-keys', 'keep the API keys')
    .option('--yes', 'do not ask')
  addPlaceOptions(command).addHelpText('after', EXAMPLES).action(runReset)
}

async function runReset(options: ResetOptions): Promise<void> {
  const { demo, empty, keepKeys } = options
  if ((demo === true) === (empty === true)) throw new CommandFailed('Specify --demo or --empty.', EXIT_USAGE)
  const config = existingStoreFrom(options)
  const name = storeName(config)
  await deleteAll(config, name, options)
  if (demo) await loadDemoShop(config)
  say(`The store ${name} was reset: it ${demo ? 'has the demo shop' : 'is empty'}.`)
  say(keepKeys ? 'Its API keys are valid as before.' : nextKey(config))
}

/** Returns a sentence about the admin key that a store without keys has after its next start. */
function nextKey({ databaseUrl, data }: Config): string {
  const file = adminKeyPath(data)
  if (databaseUrl === undefined || !existsSync(file)) return 'The next start creates a new admin key.'
  return `The next start uses the admin key in ${file}, or creates one.`
}

function storeName({ databaseUrl, data }: Config): string {
  if (databaseUrl === undefined) return `in ${data}`
  return `at ${databaseName(parseDatabaseUrl(databaseUrl))}`
}

const countedTables = {
  pet: 'pets',
  category: 'categories',
  orders: 'orders',
  webhook: 'webhooks',
  event: 'events',
}

/** Returns the counts of what a store has, for a question: `349 pets, 16 categories, ... and 715 events`. */
async function contentsOf(config: Config): Promise<string> {
  await using store = await openSnapshot(config)
  const counts: string[] = []
  for (const [table, noun] of Object.entries(countedTables)) {
    const row = await store.reader.one(
      dynamicSql<{ count: bigint }>(() => `SELECT count(*) AS count FROM ${table}`),
    )
    counts.push(`${row?.count} ${noun}`)
  }
  return `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}`
}

async function deleteAll(
  config: Config,
  name: string,
  { empty, keepKeys, yes }: ResetOptions,
): Promise<void> {
  const { databaseUrl, databasePassword, data } = config
  using lock = databaseUrl === undefined ? lockStopped(data, 'Stop it first, then reset it.') : undefined
  try {
    if (!yes) await confirm(`This deletes ${await contentsOf(config)} in the store ${name}.`, 'reset')
    const scope = { keepsKeys: keepKeys === true, metadata: empty ? WITHOUT_DEMO : {} }
    if (databaseUrl === undefined) {
      const leftover = await resetSqlite(data, storeTables(), scope)
      if (leftover) say(`Everything was deleted, but the file is not small yet: ${reasonOf(leftover)}.`)
    } else await resetPostgres(parseDatabaseUrl(databaseUrl, databasePassword), storeTables(), scope)
    if (lock) forgetBackups(data)
    // With PostgreSQL, the data directory may belong to another store, so the admin key in it stays.
    if (!keepKeys && lock) rmSync(adminKeyPath(data), { force: true })
  } catch (error) {
    throw failureOf(error, name)
  }
}

async function loadDemoShop(config: Config): Promise<void> {
  await using store = await openStopped(config, {
    advice: 'The store is empty: start it to load the demo shop.',
  })
  await loadDemo(store.engine, store.engine.clock)
}

function failureOf(error: unknown, name: string): unknown {
  if (error instanceof CommandFailed) return error
  if (error instanceof NotResettable || error instanceof UnsupportedVersion) {
    return new CommandFailed(`The store ${name} was not reset. ${error.message}`)
  }
  return new CommandFailed(`The store ${name} was not reset: ${reasonOf(error)}.`)
}
