import type { Command } from 'commander'
import { countText } from '../../values/count-text.ts'
import { databaseVersion, openStopped } from '../store-access/stopped-store.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { CommandFailed, say } from '../terminal/terminal.ts'

interface MigrateOptions extends PlaceOptions {
  readonly check?: boolean
}

const EXAMPLES = `
Every start of the store runs the missing migrations. This command runs them at a time that you choose. Back up the
store first: an older petstore may be unable to open it afterwards. On PostgreSQL, the store may be running, and the
backup needs the petstore that wrote the store, or pg_dump.
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
  const store = await openStopped(config, { advice: 'Stop it first, then migrate.', migrates: true })
  await store[Symbol.asyncDispose]()
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  say(`The database is now at version ${known}. It was at version ${version}; this took ${seconds} s.`)
}
