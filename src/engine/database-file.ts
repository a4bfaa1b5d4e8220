import { randomInt } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { reserveFile } from './private-file.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { hasCode } from './system-error.ts'

/**
 * Returns the path of the database file of a data directory. If the file is a link to another disk, the path is that of
 * the file itself, because SQLite keeps the write-ahead log next to the file.
 */
export function databaseFile(directory: string): string {
  const file = join(directory, 'petstore.db')
  return isLink(file) && existsSync(file) ? realpathSync(file) : file
}

/**
 * Throws an Error if the files of a data directory do not belong together, or if its database is missing. Nothing is
 * written, so nothing is lost. The caller holds the lock of the directory.
 */
export function refuseWrongFiles(directory: string): void {
  const named = join(directory, 'petstore.db')
  const file = databaseFile(directory)
  if (isLink(named) && !existsSync(named))
    throw new Error(`${named} is a link to a file that does not exist: is its disk mounted?`)
  if (file !== named && bytesOf(`${named}-wal`) > 0)
    throw new Error(
      `${named}-wal belongs to the database to which ${named} is a link: move it next to ${file}`,
    )
  const log = `${file}-wal`
  if (!existsSync(file) && bytesOf(log) > 0) {
    throw new Error(
      `${log} exists without its database: restore ${file}, or delete the log to start a new store`,
    )
  }
  if (bytesOf(file) === 0 && bytesOf(log) === 0) refuseLostDatabase(directory, file)
  if (bytesOf(log) > 0) refuseForeignLog(file, log)
}

/** Throws an Error if a database without content cannot be that of a first start that was interrupted. */
function refuseLostDatabase(directory: string, file: string): void {
  const traces = [runFile(file), join(directory, 'secret-key')].filter(path => existsSync(path))
  if (traces.length === 0) return
  const state = existsSync(file) ? 'is empty' : 'is missing'
  throw new Error(
    `${file} ${state}, but ${directory} had a store: restore a backup into another directory with ` +
      `"petstore restore", or delete ${traces.join(' and ')} to start a new store`,
  )
}

/** Throws an Error if another file was put in the place of the database to which a write-ahead log belongs. */
function refuseForeignLog(file: string, log: string): void {
  const known = readRuns(file)
  if (known.length === 0 || known.includes(runIn(file))) return
  throw new Error(
    `${file} was replaced, and ${log} belongs to the file before it: put that file back, or restore a backup into ` +
      'another directory with "petstore restore"',
  )
}

// Each run of a store has a number. It is in the header of the database, as its application id, and in a file next to
// it. So a write-ahead log that a killed process has left is applied only to the database to which it belongs.

/** The place of the application id in a database file (SQLite, file format, section 1.3). */
const APPLICATION_ID_AT = 68
const APPLICATION_ID_BYTES = 4
const RUN_MAX = 0x7fffffff
/** The file always has this size, so that it can be written on a full disk. */
const RUN_FILE_BYTES = 64

function runFile(file: string): string {
  return `${file}-run`
}

/**
 * Gives the database the number of a new run, moves the write-ahead log into it, and notes the number. Until both are
 * done, the numbers before and after are noted. Does nothing if the disk is full.
 */
export function beginRun({ database }: SqliteConnection, file: string): void {
  const run = randomInt(1, RUN_MAX)
  try {
    writeRuns(file, [runIn(file), run])
    database.run(`PRAGMA application_id = ${run}`)
    const moved = database.query<{ busy: bigint }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
    // Another process, such as a backup, may be reading the log.
    if (moved?.busy === 0n) writeRuns(file, [run])
  } catch (error) {
    if (!hasCode(error, 'ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_BUSY')) throw error
  }
}

function runIn(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(APPLICATION_ID_BYTES)
    readSync(descriptor, bytes, 0, APPLICATION_ID_BYTES, APPLICATION_ID_AT)
    return bytes.readUInt32BE()
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the numbers of the last run; none if no run has been noted. */
function readRuns(file: string): number[] {
  try {
    return (readFileSync(runFile(file), 'latin1').match(/\d+/g) ?? []).map(Number)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

function writeRuns(file: string, runs: readonly number[]): void {
  reserveFile(runFile(file))
  const descriptor = openSync(runFile(file), 'r+')
  try {
    writeSync(descriptor, runs.join(' ').padEnd(RUN_FILE_BYTES), 0, 'latin1')
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Returns the size of a file; 0 if it does not exist. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
