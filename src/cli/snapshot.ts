import type { Config } from '../config.ts'
import type { CopySource } from '../engine/copy.ts'
import { openPostgresSource } from '../engine/postgres-copy.ts'
import { openSqliteSource } from '../engine/sqlite-copy.ts'
import { parseDatabaseUrl } from '../model/database-url.ts'

/**
 * Opens a store for reading in one snapshot, while another process may serve it. Throws NewerDatabase, NoSource, and
 * the errors of the engines.
 */
export async function openSnapshot({ databaseUrl, databasePassword, data }: Config): Promise<CopySource> {
  if (databaseUrl === undefined) return openSqliteSource(data)
  return openPostgresSource(parseDatabaseUrl(databaseUrl, databasePassword))
}
