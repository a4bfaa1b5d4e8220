import type { Config } from '../../config.ts'
import type { DirectoryInUse } from '../../database/sqlite/data-lock.ts'
import type { Scope } from '../../shop/keys/schema.ts'
import { CommandFailed, EXIT_USAGE } from '../terminal/terminal.ts'
import { readAddressFile } from './address-file.ts'
import { adminKeyFile } from './admin-key-file.ts'
import { givenKey } from './store-options.ts'

/** Returns the address of the process that has a data directory open. Throws CommandFailed if it has published none. */
export function runningAddress({ data }: Config, { message }: DirectoryInUse): string {
  const base = readAddressFile(data)
  if (base === undefined) throw new CommandFailed(`${message} It has not published its address; try again.`)
  return base
}

/**
 * Returns the key for a running store: the given key, or else the admin key of the settings or of the data directory.
 * Throws CommandFailed if there is none; its message names the scope that the key needs.
 */
export function keyForRunning(
  { adminKey, adminKeyInFile, data }: Config,
  given: string | undefined,
  scope: Scope,
): string {
  const key = givenKey(given)?.key ?? adminKey ?? adminKeyInFile ?? adminKeyFile(data).read()
  if (key !== undefined) return key
  throw new CommandFailed(
    `The store is running: specify a key with the scope ${scope}, with --key or PETSTORE_KEY.`,
    EXIT_USAGE,
  )
}
