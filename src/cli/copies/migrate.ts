import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import { postgresMigrations, sqliteMigrations } from '../../database/migrations/migrations.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import { postgresVersion } from '../../database/postgres/engine.ts'
import { sqliteVersion } from '../../database/sqlite/engine.ts'
import { countText } from '../../values/count-text.ts'
import { CommandFailed, say } from '../terminal/terminal.ts'
import { openStopped } from '../which-store/stopped-store.ts'
import {
  addPlaceOptions,
  cannotOpen,
  existingStoreFrom,
  type PlaceOptions,
} from '../which-store/store-config.ts'

interface MigrateOptions extends PlaceOptions {
  readonly check?: boolean
}

const EXAMPLES = `
Every start of the store runs the missing migrations. This command runs them at a time that you choose. Back up the
store first: no older petstore can open it afterwards. On PostgreSQL, the store may be running.
With --check, the exit code is 1 if a migration is missing.

Examples:
  petstore migrate --check
  petstore migrate --data ./data`

/** Adds the command `migrate`, which brings the database of a store to the version of this petstore. */
export function addMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description('bring the database of a store to the version of this petstore')
    .option('--check', 'only report whether migrations are missing')
  addPlaceOptions(command).addHelpText('after', EXAMPLES).action(runMigrate)
}

async function runMigrate({ check, data, databaseUrl }: MigrateOptions): Promise<void> {
  const config = existingStoreFrom({ data, databaseUrl })
  const { version, known, missing } = await databaseVersion(config)
  if (missing === 0) return say(`The database is at version ${known}: nothing is missing.`)
  if (check) {
    const lack = countText(missing, 'migration is', 'migrations are')
    throw new CommandFailed(`The database is at version ${version} of ${known}: ${lack} missing.`)
  }
  const startedMs = performance.now()
  // An engine runs the missing migrations when it opens.
  const store = await openStopped(config, { advice: 'Stop it first, then migrate.' })
  await store[Symbol.asyncDispose]()
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  say(`The database is now at version ${known}. It was at version ${version}; this took ${seconds} s.`)
}

/** The version of a database, 0 if it has no store. */
interface DatabaseVersion {
  readonly version: number
  /** The version that this program knows. */
  readonly known: number
  /** The number of migrations that the database lacks. */
  readonly missing: number
}

/** Returns the version of the database of a store. Throws CommandFailed, also if the version is not supported. */
export async function databaseVersion(config: Config): Promise<DatabaseVersion> {
  const { databaseUrl, databasePassword, data } = config
  try {
    const [version, migrations] =
      databaseUrl === undefined
        ? [sqliteVersion(data), sqliteMigrations]
        : [await postgresVersion(parseDatabaseUrl(databaseUrl, databasePassword)), postgresMigrations]
    return { version, known: migrations.version, missing: migrations.missingIn(version).length }
  } catch (error) {
    throw cannotOpen(config, error)
  }
}
