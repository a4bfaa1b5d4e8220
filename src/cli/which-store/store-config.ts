import { existsSync } from 'node:fs'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { CommandFailed, EXIT_USAGE } from '../terminal/terminal.ts'
import { hasDatabase } from './copy-place.ts'

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
