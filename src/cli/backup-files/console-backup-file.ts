import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { storageFull } from '../../contract/refusals.ts'
import { makeDirectory } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { backupSqlite } from '../../transfer/sqlite-backup.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { findAuditProblem } from './audit-problem.ts'
import { DATABASE_FILE, describeFile, manifestHead, manifestText } from './backup-manifest.ts'
import { appendManifest } from './single-backup.ts'

/** A backup for the console: one file in a directory of its own. */
export interface BackupOnDisk {
  /** When it began, as RFC 3339 text in UTC. */
  readonly at: string
  readonly file: string
  readonly isAuditIntact: boolean
}

/** Backs a database up into a new directory. Throws `storage_full`, or the errors of the copy. */
export async function makeBackupFile(from: string, directory: string): Promise<BackupOnDisk> {
  const { signal } = new AbortController()
  const at = formatInstantMs(Date.now())
  try {
    makeDirectory(directory)
    const database = join(directory, DATABASE_FILE)
    const { version, head } = await backupSqlite({ from, to: database }, { signal, onBytes: () => {} })
    const problem = await findAuditProblem(directory)
    const files = { [DATABASE_FILE]: await describeFile(database, { signal, onBytes: () => {} }) }
    const manifest = {
      createdAt: at,
      engine: 'sqlite',
      databaseVersion: version,
      head: manifestHead(head),
      files,
    } as const
    appendManifest(database, manifestText(manifest))
    return { at, file: database, isAuditIntact: problem === undefined }
  } catch (error) {
    rmSync(directory, { recursive: true, force: true })
    const isFull =
      hasCode(error, 'ENOSPC', 'EDQUOT') || (error instanceof Error && /disk is full/.test(error.message))
    throw isFull ? storageFull() : error
  }
}
