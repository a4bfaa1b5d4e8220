import type { Database } from 'bun:sqlite'
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
import { reserveFile } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { LOCK_WAIT_MS, type SqliteConnection } from './connection.ts'

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
      `${file} is missing, but ${log}, with its last changes, is there: put the file back, or restore a backup into ` +
        'another directory with "petstore restore"',
    )
  }
  if (bytesOf(file) === 0 && bytesOf(log) === 0) refuseLostDatabase(directory, file)
  refuseForeignLog(file)
  if (existsSync(file) && !isKnown(file))
    throw new Error(
      `${file} was replaced by another file. A store on an older copy would give ids and positions again that it has ` +
        'given before: restore a backup into another directory with "petstore restore". To use this file all the ' +
        `same, delete ${numbersFile(file)}`,
    )
}

/** Throws an Error if a database without content cannot be that of a first start that was interrupted. */
function refuseLostDatabase(directory: string, file: string): void {
  const traces = [numbersFile(file), join(directory, 'secret-key')].filter(path => existsSync(path))
  if (traces.length === 0) return
  const state = existsSync(file) ? 'is empty' : 'is missing'
  throw new Error(
    `${file} ${state}, although ${traces.join(' and ')} ${traces.length === 1 ? 'is' : 'are'} there: if a database ` +
      `was lost, restore a backup into another directory with "petstore restore"; to start a new store, move ` +
      `${traces.length === 1 ? 'that file' : 'those files'} away`,
  )
}

/** Throws an Error if another file was put in the place of the database to which a write-ahead log belongs. */
export function refuseForeignLog(file: string): void {
  const log = `${file}-wal`
  if (bytesOf(log) === 0 || !existsSync(file) || isKnown(file)) return
  throw new Error(
    `${file} was replaced, and ${log} belongs to the file before it: put that file back, or restore a backup into ` +
      'another directory with "petstore restore"',
  )
}

// A write-ahead log may only be applied to the database from which it was begun, and a store that goes on from an older
// copy gives ids again. So the database gets a new random number whenever its log is begun, at the start of a run and
// after each checkpoint. The number is in the header of the database, as its application id, and in a file next to it.

/** The place of the application id in a database file (SQLite, file format, section 1.3). */
const APPLICATION_ID_AT = 68
const APPLICATION_ID_BYTES = 4
const NUMBER_MAX = 0x7fffffff
/** The file always has this size, so that it can be written on a full disk. */
const NUMBERS_BYTES = 64

function numbersFile(file: string): string {
  return `${file}-run`
}

/** Keeps the number of a database, and moves its write-ahead log into it. */
export class LogNumber {
  readonly #database: Database
  readonly #file: string
  /** The numbers that the database may have: one, except from a new number to the end of the next checkpoint. */
  #numbers: readonly number[]
  #isNew = false

  constructor({ database }: SqliteConnection, file: string) {
    this.#database = database
    this.#file = file
    this.#numbers = readNumbers(file)
  }

  /**
   * Gives the database a new number and moves the whole log into it. Returns whether the log is empty now. It is not if
   * another process reads it, or if the disk is full: then a later call goes on.
   */
  renew(mode: 'RESTART' | 'TRUNCATE'): boolean {
    try {
      if (!this.#isNew) this.#addNumber()
      // A reader is not waited for: the next batch tries again.
      this.#database.run('PRAGMA busy_timeout = 0')
      const moved = this.#database.query<{ busy: bigint }, []>(`PRAGMA wal_checkpoint(${mode})`).get()
      if (moved?.busy !== 0n) return false
      this.#numbers = this.#numbers.slice(-1)
      this.#isNew = false
      writeNumbers(this.#file, this.#numbers)
      return true
    } catch (error) {
      if (!hasCode(error, 'ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_BUSY')) throw error
      return false
    } finally {
      this.#database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
    }
  }

  #addNumber(): void {
    const number = randomInt(1, NUMBER_MAX)
    const before = this.#numbers.length > 0 ? this.#numbers : [numberIn(this.#file)]
    // The file is written first, so that no moment has a database whose number is unknown.
    writeNumbers(this.#file, [...before, number])
    this.#numbers = [...before, number]
    this.#database.run(`PRAGMA application_id = ${number}`)
    this.#isNew = true
  }
}

/** Returns whether a database has the number that is noted for it, or none is noted. */
function isKnown(file: string): boolean {
  // A running store may change the number between the two readings.
  for (let reading = 0; reading < 3; reading++) {
    const known = readNumbers(file)
    if (known.length === 0 || known.includes(numberIn(file))) return true
  }
  return false
}

function numberIn(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(APPLICATION_ID_BYTES)
    readSync(descriptor, bytes, 0, APPLICATION_ID_BYTES, APPLICATION_ID_AT)
    return bytes.readUInt32BE()
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the numbers that a database may have; none if no number has been noted. */
function readNumbers(file: string): number[] {
  try {
    return (readFileSync(numbersFile(file), 'latin1').match(/\d+/g) ?? []).map(Number)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

function writeNumbers(file: string, numbers: readonly number[]): void {
  reserveFile(numbersFile(file))
  const descriptor = openSync(numbersFile(file), 'r+')
  try {
    writeSync(descriptor, numbers.join(' ').padEnd(NUMBERS_BYTES), 0, 'latin1')
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
