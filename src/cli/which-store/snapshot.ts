import type { Config } from '../../config.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import type { CopySource } from '../../transfer/copy.ts'
import { openPostgresSource } from '../../transfer/postgres-copy.ts'
import { openSqliteSource } from '../../transfer/sqlite-copy.ts'

/**
 * Opens a store for reading in one snapshot, while another process may serve it. Throws UnsupportedVersion, NoSource,
 * and the errors of the engines.
 */
export async function openSnapshot({ databaseUrl, databasePassword, data }: Config): Promise<CopySource> {
  if (databaseUrl === undefined) return openSqliteSource(data)
  return openPostgresSource(parseDatabaseUrl(databaseUrl, databasePassword))
}
