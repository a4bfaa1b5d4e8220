import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile } from '../../src/engine/database-file.ts'
import { numberCopiedEvents } from '../../src/engine/numbering.ts'
import { SqliteConnection } from '../../src/engine/sqlite-connection.ts'

/**
 * Broken on purpose: a restore that leaves no gap in ids and positions. The restored store reuses the ids and positions
 * that the lost store assigned after the backup.
 */
export function restoreWithoutGap(backup: string, directory: string): void {
  mkdirSync(directory, { recursive: true })
  copyFileSync(join(backup, 'petstore.db'), databaseFile(directory))
  const connection = new SqliteConnection(databaseFile(directory), { readonly: false })
  numberCopiedEvents(connection)
  connection.close()
}
