import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { configFrom } from '../serve/serve.ts'
import { CommandFailed } from '../terminal/terminal.ts'
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
      2,
    )
  }
  return config
}
