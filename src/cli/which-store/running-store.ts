import { readFileSync } from 'node:fs'
import { type Config, environmentText } from '../../config.ts'
import type { DirectoryInUse } from '../../database/sqlite/data-lock.ts'
import type { Scope } from '../../shop/keys/schema.ts'
import { adminKeyPath } from '../keys/admin-key-file.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { readAddressFile } from './address-file.ts'
import { readKeyOption } from './chosen-store.ts'

/** Returns the address of the process that has a data directory open. Throws CommandFailed if it has published none. */
export function runningAddress({ data }: Config, { message }: DirectoryInUse): string {
  const base = readAddressFile(data)
  if (base === undefined) throw new CommandFailed(`${message} It has not published its address; try again.`)
  return base
}

/**
 * Returns the key for a running store: the given key, that of PETSTORE_KEY, or else the admin key of the settings or of
 * the data directory. Throws CommandFailed if there is none; its message names the scope that the key needs.
 */
export function keyForRunning(
  { adminKey, adminKeyInFile, data }: Config,
  given: string | undefined,
  scope: Scope,
): string {
  if (given !== undefined) return readKeyOption(given, '--key')
  const variable = environmentText('PETSTORE_KEY')
  if (variable !== undefined) return readKeyOption(variable, 'PETSTORE_KEY')
  const key = adminKey ?? adminKeyInFile
  if (key !== undefined) return key
  try {
    return readFileSync(adminKeyPath(data), 'utf8').trim()
  } catch {
    throw new CommandFailed(
      `The store is running: specify a key with the scope ${scope}, with --key or PETSTORE_KEY.`,
      2,
    )
  }
}
