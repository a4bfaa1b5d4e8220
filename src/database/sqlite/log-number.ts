import type { Database } from 'bun:sqlite'
import { randomInt } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { hasCode } from '../../files/system-error.ts'
import { readHead } from '../numbering/head.ts'
import { LOCK_WAIT_MS, SqliteConnection } from './connection.ts'
import { readRecord, writeRecord } from './run-record.ts'

// A write-ahead log may only be applied to the database from which it was begun, and a store that goes on from an older
// copy gives ids again. So the database gets a new random number whenever its log is begun: at the start and at the end
// of a run, and after each checkpoint. The number is its application id, also in the first page of the log, and is in
// the record next to the database. The highest bit says that a store has the database open: then the database without
// its log may lack commits.

/** The place of the application id in a database file (SQLite, file format, section 1.3). */
const APPLICATION_ID_AT = 68
const APPLICATION_ID_BYTES = 4
const NUMBER_MAX = 0x7fffffff
const OPEN_BIT = 0x80000000
/** The longest time that a clean stop waits for another process that reads. */
const BUSY_MS = 1000

/** Keeps the number of a database, and moves its write-ahead log into it. */
export class LogNumber {
  readonly #connection: SqliteConnection
  readonly #database: Database
  readonly #file: string
  /** The numbers that the database may have: one, except from a new number to the end of the next checkpoint. */
  #numbers: readonly number[]
  /** A number that is in the record, but that the database could not get yet. */
  #pending: number | undefined
  #isNew = false

  /**
   * `numbers` are those that the file may have. They must be read before any connection of this process is open: a
   * process that opens and closes the file itself drops its locks on it (POSIX, fcntl), and another program then takes
   * itself for the only user, and deletes the log. The record has them, once `renew` was called.
   */
  constructor(
    connection: SqliteConnection,
    file: string,
    numbers: readonly number[] = readRecord(file)?.numbers ?? [],
  ) {
    this.#connection = connection
    this.#database = connection.database
    this.#file = file
    this.#numbers = [...new Set([...numbers, numberSeen(connection)])]
  }

  get numbers(): readonly number[] {
    return this.#numbers
  }

  /**
   * Gives the database a new number and moves the whole log into it. Returns whether the log is empty now. It is not if
   * another process reads it, or if the disk is full: then a later call goes on.
   */
  renew(
    mode: 'RESTART' | 'TRUNCATE',
    { isOpen, waitMs }: { isOpen: boolean; waitMs: number } = { isOpen: true, waitMs: 0 },
  ): boolean {
    return this.#withWait(waitMs, () => {
      if (!this.#isNew) this.#addNumber(isOpen)
      const moved = this.#database.query<{ busy: bigint }, []>(`PRAGMA wal_checkpoint(${mode})`).get()
      if (moved?.busy !== 0n) return false
      this.#numbers = this.#numbers.slice(-1)
      this.#isNew = false
      this.#writeRecord()
      return true
    })
  }

  /** Begins an empty log with the number, so that an older log in its place is recognized, whatever it contains. */
  begin(): void {
    if (!this.#isNew) this.#withWait(0, () => this.#setNumber(this.#numbers.at(-1) ?? 0))
  }

  #addNumber(isOpen: boolean): void {
    const number = this.#pending ?? randomInt(1, NUMBER_MAX) + (isOpen ? OPEN_BIT : 0)
    if (this.#pending === undefined) this.#numbers = [...this.#numbers, number]
    this.#pending = number
    // The record is written first, so that no moment has a database whose number is unknown.
    this.#writeRecord()
    this.#setNumber(number)
    this.#pending = undefined
    this.#isNew = true
  }

  /** Commits a number, as the signed integer that SQLite takes. Returns true. */
  #setNumber(number: number): true {
    this.#database.run(`PRAGMA application_id = ${number | 0}`)
    return true
  }

  #writeRecord(): void {
    const { position = 0n } = this.#connection.one(readHead) ?? {}
    writeRecord(this.#file, { numbers: this.#numbers, position })
  }

  /** Returns the result of `work`, or false if the disk is full, or another process has held a lock for `waitMs`. */
  #withWait(waitMs: number, work: () => boolean): boolean {
    try {
      this.#database.run(`PRAGMA busy_timeout = ${waitMs}`)
      return work()
    } catch (error) {
      if (!hasCode(error, 'ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_BUSY')) throw error
      return false
    } finally {
      this.#database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
    }
  }
}

/**
 * Moves the write-ahead log of a stopped store into its database, and marks it as stopped cleanly: a copy of that one
 * file is then the whole store. Every other connection of this process must be closed, readers before the writer.
 * Throws if another process is reading the database or writing to it.
 */
export function endRun(file: string): void {
  if (!existsSync(file)) return
  const numbers = [numberIn(file)]
  using connection = new SqliteConnection(file, { readonly: false })
  const isMoved = new LogNumber(connection, file, numbers).renew('TRUNCATE', {
    isOpen: false,
    waitMs: BUSY_MS,
  })
  if (!isMoved)
    throw new Error(`Another process is using ${file}, or the disk is full: keep ${file}-wal with it.`)
}

/** Returns whether a number says that a store has the database open, or was killed. */
export function isOpenNumber(number: number): boolean {
  return number >= OPEN_BIT
}

/**
 * Returns the number of a database file, without its log; 0 for an empty file. No connection of this process may be
 * open, or it loses its locks.
 */
export function numberIn(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(APPLICATION_ID_BYTES)
    readSync(descriptor, bytes, 0, APPLICATION_ID_BYTES, APPLICATION_ID_AT)
    return bytes.readUInt32BE()
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the number of a database as SQLite reads it: with its log. */
export function numberSeen({ database }: SqliteConnection): number {
  const row = database.query<{ application_id: bigint }, []>('PRAGMA application_id').get()
  return Number(row?.application_id ?? 0n) >>> 0
}
