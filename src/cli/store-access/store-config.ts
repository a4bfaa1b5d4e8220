import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, ConfigError, readConfig, unknownVariables } from '../../config.ts'
import { UnsupportedVersion } from '../../database/migrate.ts'
import { isDirectoryLocked } from '../../database/sqlite/data-lock.ts'
import { databaseFile } from '../../database/sqlite/database-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf, say } from '../terminal/terminal.ts'

/** The options with which a command that works on one store, running or stopped, chooses it. */
export interface PlaceOptions {
  readonly data?: string | undefined
  readonly databaseUrl?: string | undefined
}

/** Adds the options of PlaceOptions to a command, and returns it. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option('--data <directory>', 'the data directory [PETSTORE_DATA]')
    .option('--database-url <url>', 'PostgreSQL of the store [DATABASE_URL]')
}

/**
 * Returns the settings of a command that works on one store. Throws CommandFailed like `configFrom`, and if
 * DATABASE_URL names a store but --data names another store or an absent directory, because the user may mean either.
 */
export function storeConfigFrom({ data, databaseUrl }: PlaceOptions): Config {
  const config = configFrom({ data, databaseUrl })
  const isAmbiguous = data !== undefined && databaseUrl === undefined && config.databaseUrl !== undefined
  if (isAmbiguous && (hasDatabase(config.data) || !existsSync(config.data))) {
    const named = hasDatabase(config.data) ? 'the store in' : 'the directory'
    const missing = hasDatabase(config.data) ? '' : ', which does not exist'
    throw new CommandFailed(
      `--data names ${named} ${config.data}${missing}, and the variable DATABASE_URL names another store. ` +
        'To choose --data, unset DATABASE_URL. To choose DATABASE_URL, use PETSTORE_DATA in place of --data.',
      EXIT_USAGE,
    )
  }
  return config
}

/** Returns the settings of a command that works on an existing store. Throws CommandFailed. */
export function existingStoreFrom(options: PlaceOptions): Config {
  const config = storeConfigFrom(options)
  if (config.databaseUrl === undefined && !hasDatabase(config.data)) {
    throw new CommandFailed(
      `There is no store in ${resolve(config.data)}: specify its directory with --data.`,
    )
  }
  return config
}

/**
 * Returns the settings of a command, as `readConfig` does, and says which variables are ignored. Throws CommandFailed
 * with a one-sentence message.
 */
export function configFrom(...from: Parameters<typeof readConfig>): Config {
  for (const name of unknownVariables())
    say(`${name} is not a setting and is ignored: docs/running.md lists them.`)
  try {
    return readConfig(...from)
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandFailed(error.message, EXIT_USAGE)
    throw error
  }
}

/** Returns whether a data directory has a database file. Throws CommandFailed if this user may not know. */
export function hasDatabase(directory: string): boolean {
  return readIn(directory, () => statSync(databaseFile(directory))) !== undefined
}

/** Returns whether a process has a data directory open. Throws CommandFailed if this user may not know. */
export function isStoreRunning(directory: string): boolean {
  return readIn(directory, () => isDirectoryLocked(directory)) === true
}

/** Returns what `read` finds in a data directory; undefined if there is no such file. Throws CommandFailed. */
function readIn<T>(directory: string, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw new CommandFailed(
      `The data directory ${escapeControls(directory)} cannot be read: ${reasonOf(error)}. ${AS_OWNER}`,
    )
  }
}

/** Returns what a command says if it cannot open the database of a store. */
export function cannotOpen({ databaseUrl, data }: Config, error: unknown): CommandFailed {
  if (error instanceof UnsupportedVersion) return new CommandFailed(error.message)
  const where = databaseUrl === undefined ? `in ${data}` : 'at DATABASE_URL'
  return new CommandFailed(`The database ${where} cannot be opened: ${reasonOf(error)}.`)
}

/** What to do if a file of a store cannot be read. */
export const AS_OWNER = 'Run the command as the user that runs the store.'
