import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { databaseFile } from '../engine/sqlite.ts'
import { resetAdminKey } from '../store/maintenance.ts'
import { adminKeyFile, adminKeyPath } from './admin-key-file.ts'
import { configFrom } from './serve.ts'
import { openStoppedOrFail, type StoppedStore } from './stopped-store.ts'
import { CommandFailed, say } from './terminal.ts'

interface KeysOptions {
  readonly data?: string
  readonly databaseUrl?: string
  readonly revokeOthers?: boolean
}

/** Adds the command `keys`, which creates an admin key if the existing one is lost. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('manage the admin key of a stopped store')
  keys
    .command('reset-admin')
    .description('create an admin key and write it to the file admin-key in the data directory')
    .option('--revoke-others', 'revoke every other key with the scope admin')
    .option('--data <directory>', 'the data directory [PETSTORE_DATA]')
    .option('--database-url <url>', 'PostgreSQL of the store [DATABASE_URL]')
    .action(runReset)
}

async function runReset({ data, databaseUrl, revokeOthers = false }: KeysOptions): Promise<void> {
  const config = configFrom({ data, databaseUrl })
  await using store = await open(config)
  await resetAdminKey(store.engine, adminKeyFile(config.data), revokeOthers, Date.now)
  const others = revokeOthers ? ' Every other key with the scope admin was revoked.' : ''
  say(`The new admin key is in ${adminKeyPath(config.data)}.${others}`)
}

async function open(config: Config): Promise<StoppedStore> {
  if (config.databaseUrl === undefined && !existsSync(databaseFile(config.data))) {
    throw new CommandFailed(`There is no store in ${config.data}: specify its directory with --data.`)
  }
  return openStoppedOrFail(config, 'Stop it first, then reset the key.')
}
