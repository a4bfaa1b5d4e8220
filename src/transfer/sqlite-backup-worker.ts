import { sqliteMigrations } from '../database/migrations/migrations.ts'
import { readHead } from '../database/numbering/head.ts'
import { SqliteConnection } from '../database/sqlite/connection.ts'
import { versionOf } from '../database/sqlite/engine.ts'
import type { BackupFacts, BackupResult, BackupTask } from './sqlite-backup.ts'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<BackupTask>) => self.postMessage(resultOf(data))

function resultOf(task: BackupTask): BackupResult {
  try {
    return backup(task)
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Copies the database, checks the structure of the copy, and returns what it contains. */
function backup({ from, to }: BackupTask): BackupFacts {
  vacuumInto(from, to)
  using copy = new SqliteConnection(to, { readonly: false, isDraft: true })
  const check = copy.database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()
  if (check?.integrity_check !== 'ok') throw new Error(`the database is damaged: ${check?.integrity_check}`)
  // A copy belongs to no run, so the write-ahead log of the running store is never applied to it.
  copy.database.run('PRAGMA application_id = 0')
  return { version: versionOf(copy), head: copy.one(readHead) }
}

/** Reads one snapshot, and writes a file without free pages and without a write-ahead log. */
function vacuumInto(from: string, to: string): void {
  using source = new SqliteConnection(from, { readonly: true })
  const version = versionOf(source)
  if (version === 0) throw new Error('the database has no store')
  sqliteMigrations.refuseUnsupported(version)
  source.database.query('VACUUM INTO ?').run(to)
}
