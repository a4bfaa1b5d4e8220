import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { makeDirectory, reserveFile } from './private-file.ts'

/** Another process has the data directory open. */
export class DirectoryInUse extends Error {
  constructor(directory: string) {
    super(`The data directory ${directory} is in use by another petstore process.`)
  }
}

export interface DataLock {
  release(): void
}

export function lockFile(directory: string): string {
  return join(directory, 'lock')
}

/**
 * Locks the data directory for this process. The operating system holds the lock (on a small SQLite file) and
 * releases it when the process ends, however it ends. Throws DirectoryInUse.
 */
export function lockDirectory(directory: string): DataLock {
  makeDirectory(directory)
  reserveFile(lockFile(directory))
  const database = new Database(lockFile(directory), { create: true })
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')
      throw new DirectoryInUse(directory)
    throw error
  }
  return { release: () => database.close() }
}
