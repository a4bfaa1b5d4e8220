import type { Config } from '../../config.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import { type CopySource, NoSource } from '../../transfer/copy.ts'
import { openPostgresSource } from '../../transfer/postgres-copy.ts'
import { openSqliteSource } from '../../transfer/sqlite-copy.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { cannotOpen } from './store-config.ts'

/** Opens a store for reading in one snapshot, while another process may serve it. Throws CommandFailed. */
export async function openSnapshot(config: Config): Promise<CopySource> {
  const { databaseUrl, databasePassword, data } = config
  try {
    if (databaseUrl === undefined) return openSqliteSource(data)
    return await openPostgresSource(parseDatabaseUrl(databaseUrl, databasePassword))
  } catch (error) {
    throw error instanceof NoSource ? new CommandFailed(error.message) : cannotOpen(config, error)
  }
}
