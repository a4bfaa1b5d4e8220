import type { Reader } from '../engine.ts'
import { readHead } from '../numbering/head.ts'
import { type StatementCall, sql } from '../statement.ts'
import { isFatal, type SqliteConnection } from './connection.ts'

const begin = sql()('BEGIN')
const commit = sql()('COMMIT')
const rollback = sql()('ROLLBACK')

/** The part of a connection that shared reads use. */
export type ReadConnection = Pick<SqliteConnection, 'inTransaction' | 'one' | 'many' | 'run' | 'close'>

/**
 * One read transaction for all reads in one turn of the event loop. Acquiring and releasing its locks are system calls,
 * which cost several times as much as reading a row. `refresh` ends the transaction early, so that a client whose
 * command was committed sees its effect. `onFatal` is called if the file cannot be trusted or a transaction cannot be
 * ended.
 */
export class SharedReadTransaction implements Reader {
  readonly #connection: ReadConnection
  readonly #onFatal: (reason: string) => void
  #isOpen = false
  #position: bigint | undefined

  constructor(connection: ReadConnection, onFatal: (reason: string) => void) {
    this.#connection = connection
    this.#onFatal = onFatal
  }

  one<Row, Name extends string>(...call: StatementCall<Row, Name>): Row | undefined {
    try {
      this.#begin()
      return this.#connection.one(...call)
    } catch (error) {
      throw this.#withReport(error)
    }
  }

  many<Row, Name extends string>(...call: StatementCall<Row, Name>): Row[] {
    try {
      this.#begin()
      return this.#connection.many(...call)
    } catch (error) {
      throw this.#withReport(error)
    }
  }

  /** Returns the position of the last event that is committed for the reads of this turn; undefined if that fails. */
  position(): bigint | undefined {
    try {
      if (!this.#isOpen) this.#position = undefined
      this.#position ??= this.one(readHead)?.position
      return this.#position
    } catch {
      return undefined
    }
  }

  /**
   * Ends the transaction, so that the next read sees every commit. Never throws, because it also runs where nothing
   * could catch an error.
   */
  refresh(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const connection = this.#connection
    // An error may have ended the transaction already.
    if (!connection.inTransaction) return
    try {
      connection.run(commit)
    } catch (error) {
      if (isFatal(error)) this.#reportFatal(error)
      else this.#rollBack()
    }
  }

  close(): void {
    this.refresh()
    this.#connection.close()
  }

  /** Returns the error of a read. Reports the error if the file cannot be trusted after it. */
  #withReport(error: unknown): unknown {
    if (isFatal(error)) this.#reportFatal(error)
    return error
  }

  #begin(): void {
    if (this.#isOpen) return
    this.#position = undefined
    this.#connection.run(begin)
    this.#isOpen = true
    setImmediate(() => this.refresh())
  }

  /** Rolls back. Nothing was written, so nothing is lost. A transaction that stays open would show old rows forever. */
  #rollBack(): void {
    const connection = this.#connection
    try {
      connection.run(rollback)
    } catch (error) {
      if (connection.inTransaction) this.#reportFatal(error)
    }
  }

  #reportFatal(error: unknown): void {
    this.#onFatal(`reading the database failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}
