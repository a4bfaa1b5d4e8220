import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory, reserveFile } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { databaseFile } from './database-file.ts'

/** How long isDirectoryLocked may hold the lock on a busy machine, in milliseconds. lockDirectory waits that long. */
const PROBE_MS_MAX = 200

/** Thrown if another process has the data directory open. */
export class DirectoryInUse extends Error {
  constructor(directory: string) {
    super(`The data directory ${directory} is in use by another petstore process.`)
  }
}

export interface DataLock extends Disposable {
  release(): void
}

/**
 * Returns the path of the lock of a data directory. It is next to the database itself, so that a link to a database in
 * another directory does not lead to two locks.
 */
export function lockPath(directory: string): string {
  return join(dirname(databaseFile(directory)), 'lock')
}

/**
 * Locks the data directory for this process and returns the lock. The lock is on a small SQLite file. The operating
 * system releases it when the process ends, even after a crash. Throws DirectoryInUse.
 */
export function lockDirectory(directory: string): DataLock {
  makeDirectory(directory)
  reserveFile(lockPath(directory))
  const database = new Database(lockPath(directory), { create: true })
  try {
    database.run(`PRAGMA busy_timeout = ${PROBE_MS_MAX}`)
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    // Nothing is written, and a full disk has no room for a journal.
    database.run('PRAGMA journal_mode = OFF')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (hasCode(error, 'SQLITE_BUSY')) throw new DirectoryInUse(directory)
    throw error
  }
  const release = (): void => database.close()
  return { release, [Symbol.dispose]: release }
}

/** Returns whether a process has a data directory open. Throws if its lock cannot be read. */
export function isDirectoryLocked(directory: string): boolean {
  if (!existsSync(lockPath(directory))) return false
  try {
    using database = new Database(lockPath(directory), { readonly: true })
    database.query('SELECT count(*) FROM sqlite_master').get()
    return false
  } catch (error) {
    if (hasCode(error, 'SQLITE_BUSY')) return true
    throw error
  }
}
