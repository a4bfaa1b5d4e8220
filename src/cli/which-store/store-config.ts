import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { databaseFile } from '../../database/sqlite/database-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf } from '../terminal/terminal.ts'

/**
 * Returns the settings of a command that works on one store. Throws CommandFailed like `configFrom`, and if
 * DATABASE_URL names a store but --data names another store or an absent directory, because the user may mean either.
 */
export function storeConfigFrom({
  data,
  databaseUrl,
}: {
  readonly data?: string | undefined
  readonly databaseUrl?: string | undefined
}): Config {
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

/** Returns the settings of a command, as `readConfig` does. Throws CommandFailed with a one-sentence message. */
export function configFrom(...from: Parameters<typeof readConfig>): Config {
  try {
    return readConfig(...from)
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandFailed(error.message, EXIT_USAGE)
    throw error
  }
}

/** Returns whether a data directory has a database file. Throws CommandFailed if this user may not know. */
export function hasDatabase(directory: string): boolean {
  try {
    statSync(databaseFile(directory))
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return false
    throw new CommandFailed(
      `The data directory ${escapeControls(directory)} cannot be read: ${reasonOf(error)}. ${AS_OWNER}`,
    )
  }
}

/** What to do if a file of a store cannot be read. */
export const AS_OWNER = 'Run the command as the user that runs the store.'

/** Throws CommandFailed if the settings name a data directory without a database. */
export function requireStore({ databaseUrl, data }: Pick<Config, 'databaseUrl' | 'data'>): void {
  if (databaseUrl === undefined && !hasDatabase(data)) {
    throw new CommandFailed(`There is no store in ${resolve(data)}: specify its directory with --data.`)
  }
}
