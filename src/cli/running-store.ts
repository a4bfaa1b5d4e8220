import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { DirectoryInUse } from '../engine/data-lock.ts'
import type { Scope } from '../model/key.ts'
import { readAddressFile } from './address-file.ts'
import { adminKeyPath } from './admin-key-file.ts'
import { CommandFailed } from './terminal.ts'

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
  { adminKey, adminKeyFile, data }: Config,
  given: string | undefined,
  scope: Scope,
): string {
  const key = given ?? adminKey ?? adminKeyFile
  if (key !== undefined) return key
  try {
    return readFileSync(adminKeyPath(data), 'utf8').trim()
  } catch {
    throw new CommandFailed(
      `The store is running: specify a key with the scope ${scope}, with --key or PETSTORE_ADMIN_KEY.`,
      2,
    )
  }
}
