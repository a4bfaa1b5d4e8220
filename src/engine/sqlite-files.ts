import { existsSync } from 'node:fs'
import { SqliteConnection } from './sqlite-connection.ts'

/** How long the last checkpoint waits for another process that reads. */
const BUSY_MS = 1000

/**
 * Moves everything in the write-ahead log into the database file, and removes the log: a copy of that one file is then
 * the whole store. Every other connection of this process must be closed, the reading ones before the writing one.
 * Throws when another process has the database open.
 */
export function makeWhole(file: string): void {
  if (!existsSync(file)) return
  const connection = new SqliteConnection(file, { readonly: false })
  try {
    connection.database.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
    const result = connection.database
      .query<{ busy: bigint; log: bigint; checkpointed: bigint }, []>('PRAGMA wal_checkpoint(TRUNCATE)')
      .get()
    if (result?.busy !== 0n) {
      throw new Error(`Another process has ${file} open: keep ${file}-wal with it.`)
    }
  } finally {
    connection.close()
  }
}
