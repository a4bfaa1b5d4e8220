import type { Config } from '../../config.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import { type CopySource, NoSource } from '../../transfer/copy.ts'
import { openPostgresSource } from '../../transfer/postgres-copy.ts'
import { openSqliteSource } from '../../transfer/sqlite-copy.ts'
import { CommandFailed, say } from '../terminal/terminal.ts'
import { cannotOpen, isStoreRunning } from './store-config.ts'

/**
 * Opens a store for reading, while another process may serve it: in one snapshot, or `inSlices`, if a slow reader of
 * the output would keep the snapshot. Throws CommandFailed.
 */
export async function openSnapshot(config: Config, options?: { inSlices: boolean }): Promise<CopySource> {
  const { databaseUrl, databasePassword, data } = config
  try {
    if (databaseUrl === undefined) return openSqliteSource(data, options)
    return await openPostgresSource(parseDatabaseUrl(databaseUrl, databasePassword), options)
  } catch (error) {
    throw error instanceof NoSource ? new CommandFailed(error.message) : cannotOpen(config, error)
  }
}

/** Says before the rows of a running store that they are read in slices. On PostgreSQL, any store may be running. */
export function sayIfRunning({ databaseUrl, data }: Config): void {
  if (databaseUrl === undefined && !isStoreRunning(data)) return
  say('The rows are read in slices, while the store may change them. For those of one moment, read a backup.')
}
