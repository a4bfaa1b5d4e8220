import { existsSync, lstatSync, realpathSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StorageState } from '../engine.ts'
import { readHead } from '../numbering/head.ts'
import { SqliteConnection } from './connection.ts'
import { isOpenNumber, numberIn, numberSeen } from './log-number.ts'
import { type RunRecord, readRecord, recordFile, writeRecord } from './run-record.ts'

/**
 * Returns the path of the database file of a data directory. If the file is a link to another disk, the path is that of
 * the file itself, because SQLite keeps the write-ahead log next to the file.
 */
export function databaseFile(directory: string): string {
  const file = join(directory, 'petstore.db')
  return isLink(file) && existsSync(file) ? realpathSync(file) : file
}

/** Returns the sizes of the files of a database, and the free space of their disk. */
export function storageState(file: string): StorageState {
  const { bavail, bsize } = statfsSync(dirname(file))
  return { databaseBytes: bytesOf(file), logBytes: bytesOf(`${file}-wal`), freeBytes: bavail * bsize }
}

/**
 * Throws an Error if the files of a data directory do not belong together, or lack commits. Nothing is written, so
 * nothing is lost. The caller holds the lock of the directory.
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
      `${file} is missing, but ${log}, with its last changes, is there: put the file back, or restore a backup into ` +
        'another directory with "petstore restore"',
    )
  }
  if (bytesOf(file) === 0 && bytesOf(log) === 0) refuseLostDatabase(directory, file)
  refuseLoss(file)
}

/** Throws an Error if a database without content cannot be that of a first start that was interrupted. */
function refuseLostDatabase(directory: string, file: string): void {
  const traces = [recordFile(file), join(directory, 'secret-key')].filter(path => existsSync(path))
  if (traces.length === 0) return
  const state = existsSync(file) ? 'is empty' : 'is missing'
  throw new Error(
    `${file} ${state}, although ${traces.join(' and ')} ${traces.length === 1 ? 'is' : 'are'} there: if a database ` +
      `was lost, restore a backup into another directory with "petstore restore"; to start a new store, move ` +
      `${traces.length === 1 ? 'that file' : 'those files'} away`,
  )
}

/**
 * Throws an Error if a database, its write-ahead log and its record do not belong together, or if commits are missing
 * that the record or the mark in the database says were made. A store may have the files open.
 */
export function refuseLoss(file: string): void {
  const loss = findLoss(file)
  if (loss !== undefined)
    throw new Error(
      `${loss}. Put back petstore.db, petstore.db-wal and petstore.db-run as the store left them, or restore a ` +
        'backup into another directory with "petstore restore". To go on with what is there, and lose the rest, ' +
        `start once with "petstore serve --data ${dirname(file)} --accept-loss"`,
    )
}

/**
 * Lets a store start with what is there, although commits are missing or files do not belong together. Returns what was
 * found; undefined if nothing is wrong. A log that does not belong to the database is renamed, so that SQLite does not
 * apply it. The caller holds the lock of the directory.
 */
export function acceptLoss(file: string): string | undefined {
  const loss = findLoss(file)
  if (loss === undefined) return undefined
  const isForeign = !knownNumbers(file).includes(readThroughLog(file).number)
  if (isForeign) {
    rmSync(`${file}-shm`, { force: true })
    renameSync(`${file}-wal`, `${file}-wal.unused-${Date.now()}`)
  }
  expectNoCommit(file)
  return isForeign ? `${loss}; the log was renamed to ${file}-wal.unused-*` : loss
}

/**
 * Lets the next start accept a database whatever commits it lacks, such as one that is about to be emptied. No
 * connection of this process may be open: see `numberIn`.
 */
export function expectNoCommit(file: string): void {
  writeRecord(file, { numbers: knownNumbers(file), position: 0n })
}

/** Returns the numbers that a database may have according to its record, or its own number. */
function knownNumbers(file: string): readonly number[] {
  const own = numberIn(file)
  const { numbers = [] } = readRecord(file) ?? {}
  return numbers.includes(own) ? numbers : [own]
}

/** Returns what is wrong with a database, its log and its record, as a sentence without its end. */
function findLoss(file: string): string | undefined {
  // An empty database without a log has never been one, or is refused by refuseLostDatabase.
  if (!existsSync(file) || bytesOf(file) + bytesOf(`${file}-wal`) === 0) return undefined
  let loss: string | undefined
  // A running store may change the number between the readings.
  for (let reading = 0; reading < 3; reading++) {
    loss = lossIn(file, readRecord(file))
    if (loss === undefined) return undefined
  }
  return loss
}

function lossIn(file: string, record: RunRecord | undefined): string | undefined {
  const number = numberIn(file)
  const log = `${file}-wal`
  const numbers = record?.numbers ?? [number]
  if (!numbers.includes(number)) {
    return bytesOf(log) > 0
      ? `${file} was replaced, and ${log} belongs to the file before it`
      : `${file} was replaced by another file. A store on an older copy would give ids and positions again that it ` +
          'has given before'
  }
  const isOpen = isOpenNumber(number)
  if (!isOpen && bytesOf(log) === 0) return undefined
  if (isOpen && record === undefined)
    return (
      `${file} was not stopped, and ${recordFile(file)} is missing or incomplete: nobody knows whether ${log} has ` +
      'every change'
    )
  const seen = readThroughLog(file, record?.position)
  if (!numbers.includes(seen.number)) return `${log} belongs to another database, or is older than ${file}`
  if (seen.position >= (record?.position ?? 0n)) return undefined
  const state = bytesOf(log) > 0 ? 'is older or shorter than it was' : 'is missing or empty'
  return `${log} ${state}: events ${seen.position + 1n} to ${record?.position} are not there`
}

/** Returns the number and the last position of a database with its log. */
function readThroughLog(file: string, recorded = 0n): { number: number; position: bigint } {
  using connection = new SqliteConnection(file, { readonly: true })
  // Without a record, the tables may be those of another program.
  const position = recorded === 0n ? 0n : (connection.one(readHead)?.position ?? 0n)
  return { number: numberSeen(connection), position }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Returns the size of a file; 0 if it does not exist. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
