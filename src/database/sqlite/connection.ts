import { Database, type Statement as Prepared, type SQLQueryBindings } from 'bun:sqlite'
import { overloaded, storageFull } from '../../contract/refusals.ts'
import type { Reader } from '../engine.ts'
import { type ParametersOf, type Statement, valuesOf } from '../statement.ts'

/**
 * The number of prepared statements to keep. All lists together have fewer distinct texts, so no statement is prepared
 * twice.
 */
export const PREPARED_MAX = 500

/**
 * Maximum page cache of a connection that reads. The operating system caches the file anyway. With 32 MiB, a read of a
 * random pet among 100,000 took 0.5 microseconds less, which is a hundredth of the time of its request.
 */
const READER_CACHE_KIB = 4096
/**
 * Maximum page cache of the writer. The changed pages of a batch must fit, or they are written before its commit: 128
 * orders change about 1,000 pages of 4 KiB.
 */
const WRITER_CACHE_KIB = 8192
/** How long a statement waits for a lock that another process (such as a backup tool) holds. */
export const LOCK_WAIT_MS = 2000
/**
 * The size of the write-ahead log, in pages of 4 KiB, that triggers a checkpoint. With a large log, a page that changes
 * often is written to the database file less often.
 */
export const CHECKPOINT_PAGES = 8000
/** The size of a page of a database. */
export const PAGE_BYTES = 4096
/** The size to which a larger write-ahead log is cut: twice the size that triggers a checkpoint. */
const LOG_BYTES_KEPT = 2 * CHECKPOINT_PAGES * PAGE_BYTES
/** Maximum page cache of a light connection, because a process has many of them. */
const LIGHT_CACHE_KIB = 1024
/** The CHECKPOINT_PAGES of a light connection. A checkpoint of 1 MiB without a sync takes about a millisecond. */
const LIGHT_CHECKPOINT_PAGES = 250
/** The PREPARED_MAX of a light connection. An order needs about 20 statements. */
const LIGHT_PREPARED_MAX = 80

/** The oldest SQLite with the fix for the WAL-reset race (3.51.3). */
const VERSION_MIN = 3_051_003

/** How a connection uses its file. */
interface SqliteConnectionOptions {
  readonly readonly: boolean
  /** The longest time that a statement waits for a lock of another process, in milliseconds. */
  readonly waitMs?: number
  /** The file is a draft, which is synced once, when it is complete. Until then it has no log, and cannot roll back. */
  readonly isDraft?: boolean
  /**
   * The connection is the only one of its file, which exists. Unless `isSynced`, it commits without a sync: a commit
   * survives the end of the process, but not a power failure. It needs less memory and fewer open files.
   */
  readonly isLight?: boolean
  /** A light connection commits with a sync. */
  readonly isSynced?: boolean
}

/**
 * One connection to the database file. Reads are synchronous; every integer is a bigint.
 * Throws `storage_full` if the disk is full and `overloaded` if another process holds a lock. Other SQLite errors are
 * rethrown unchanged.
 */
export class SqliteConnection implements Reader, Disposable {
  readonly database: Database
  readonly #prepared = new Map<string, Prepared<unknown, SQLQueryBindings[]>>()
  readonly #preparedMax: number

  constructor(file: string, options: SqliteConnectionOptions) {
    this.#preparedMax = options.isLight ? LIGHT_PREPARED_MAX : PREPARED_MAX
    this.database = new Database(file, {
      ...(options.readonly ? { readonly: true } : { readwrite: true, create: !options.isLight }),
      strict: true,
      safeIntegers: true,
    })
    try {
      this.#configure(options)
    } catch (error) {
      this.database.close()
      throw error
    }
  }

  #configure(options: SqliteConnectionOptions): void {
    // This comes first, because the lock decides whether the index of the log is in memory or in a file.
    if (options.isLight) this.database.run('PRAGMA locking_mode = EXCLUSIVE')
    this.database.run(`PRAGMA busy_timeout = ${options.waitMs ?? LOCK_WAIT_MS}`)
    this.database.run(`PRAGMA cache_size = -${READER_CACHE_KIB}`)
    this.database.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    if (options.isDraft) {
      this.database.run('PRAGMA journal_mode = OFF')
      this.database.run('PRAGMA synchronous = OFF')
    } else if (options.isLight) this.#makeLight(options.isSynced === true)
    else if (!options.readonly) this.#makeDurable()
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined {
    try {
      return this.#prepare<Row>(statement.text).get(...valuesOf(statement, parameters)) ?? undefined
    } catch (error) {
      throw refusalOf(error)
    }
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    try {
      return this.#prepare<Row>(statement.text).all(...valuesOf(statement, parameters))
    } catch (error) {
      throw refusalOf(error)
    }
  }

  write<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): void {
    this.run(statement, ...parameters)
  }

  run<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): number {
    try {
      return this.#prepare(statement.text).run(...valuesOf(statement, parameters)).changes
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** Whether a transaction is open. Some errors (such as a full disk) end it without a ROLLBACK. */
  get inTransaction(): boolean {
    return this.database.inTransaction
  }

  close(): void {
    for (const statement of this.#prepared.values()) statement.finalize()
    this.database.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #prepare<Row>(text: string): Prepared<Row, SQLQueryBindings[]> {
    const known = this.#prepared.get(text)
    if (known) {
      // The order matters only in a full map. To move a statement to the end costs ten times as much as to find it.
      if (this.#prepared.size >= this.#preparedMax) {
        this.#prepared.delete(text)
        this.#prepared.set(text, known)
      }
      // Safe: each text belongs to one Statement, so the prepared statement has that row type.
      return known as Prepared<Row, SQLQueryBindings[]>
    }
    if (this.#prepared.size >= this.#preparedMax) this.#forgetOldest()
    const prepared = this.database.prepare<Row, SQLQueryBindings[]>(text.replaceAll('$', '?'))
    this.#prepared.set(text, prepared)
    return prepared
  }

  #forgetOldest(): void {
    for (const [text, statement] of this.#prepared) {
      statement.finalize()
      this.#prepared.delete(text)
      return
    }
  }

  #makeLight(isSynced: boolean): void {
    const { database } = this
    database.run('PRAGMA journal_mode = WAL')
    database.run(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'OFF'}`)
    database.run('PRAGMA temp_store = MEMORY')
    database.run(`PRAGMA cache_size = -${LIGHT_CACHE_KIB}`)
    database.run(`PRAGMA wal_autocheckpoint = ${LIGHT_CHECKPOINT_PAGES}`)
    database.run(`PRAGMA journal_size_limit = ${2 * LIGHT_CHECKPOINT_PAGES * PAGE_BYTES}`)
  }

  /**
   * Sets WAL with an fsync for each commit, which survives a power failure. Throws if SQLite refuses, or is too old.
   */
  #makeDurable(): void {
    const mode = this.database.query<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').get()
    this.database.run('PRAGMA synchronous = FULL')
    const sync = this.database.query<{ synchronous: bigint }, []>('PRAGMA synchronous').get()
    const version = this.database.query<{ v: string }, []>('SELECT sqlite_version() AS v').get()?.v ?? '0'
    if (mode?.journal_mode !== 'wal' || sync?.synchronous !== 2n) {
      throw new Error('SQLite refused WAL with synchronous=FULL on this file system.')
    }
    if (versionNumber(version) < VERSION_MIN)
      throw new Error(`SQLite ${version} is too old: 3.51.3 is needed.`)
  }
}

/**
 * Opens the connection of the writer. `cacheKib` is the maximum size of its page cache: a large import needs more than
 * a shop.
 */
export function openWriter(file: string, cacheKib = WRITER_CACHE_KIB): SqliteConnection {
  const connection = new SqliteConnection(file, { readonly: false })
  // For a statement with RETURNING, SQLite copies each page that it changes. In a temporary file, these copies cost an
  // order 2 microseconds.
  connection.database.run('PRAGMA temp_store = MEMORY')
  connection.database.run(`PRAGMA cache_size = -${cacheKib}`)
  // After an import the log is as large as the import. SQLite shrinks the log the next time it overwrites the log from
  // the start.
  connection.database.run(`PRAGMA journal_size_limit = ${LOG_BYTES_KEPT}`)
  return connection
}

function refusalOf(error: unknown): unknown {
  if (isFull(error)) return storageFull()
  if (errorCode(error).startsWith('SQLITE_BUSY')) {
    return overloaded('Another process holds the lock of the database; try again shortly.')
  }
  return error
}

function isFull(error: unknown): boolean {
  return errorCode(error).startsWith('SQLITE_FULL')
}

/** Returns whether the file cannot be trusted after an error, so that the process must end. */
export function isFatal(error: unknown): boolean {
  return /^SQLITE_(IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN|PROTOCOL)/.test(errorCode(error))
}

/** Returns whether an error says that the content of a file is wrong. An error of input or output does not say so. */
export function isDamaged(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error))
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1_000_000 + minor * 1_000 + patch
}
