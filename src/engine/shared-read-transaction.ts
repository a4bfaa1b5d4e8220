import { type Reader, type Statement, sql, type Value } from './engine.ts'
import { isFatal } from './sqlite-connection.ts'

const begin = sql('BEGIN')
const commit = sql('COMMIT')
const rollback = sql('ROLLBACK')

/** What the shared reads need from a connection. */
export interface ReadConnection {
  readonly inTransaction: boolean
  one<Row>(statement: Statement<Row>, ...values: Value[]): Row | undefined
  many<Row>(statement: Statement<Row>, ...values: Value[]): Row[]
  run(statement: Statement<unknown>, ...values: Value[]): number
  close(): void
}

/**
 * All reads in one turn of the event loop share one read transaction: acquiring and releasing its locks are system
 * calls that cost several times as much as reading the row. `refresh` ends the transaction early, so a client that
 * was notified of a commit sees it. `onFatal` is called if the file cannot be trusted or a transaction cannot be
 * ended.
 */
export class SharedReadTransaction implements Reader {
  readonly #connection: ReadConnection
  readonly #onFatal: (reason: string) => void
  #open = false

  constructor(connection: ReadConnection, onFatal: (reason: string) => void) {
    this.#connection = connection
    this.#onFatal = onFatal
  }

  one<Row>(statement: Statement<Row>, ...values: Value[]): Row | undefined {
    return this.#read(() => this.#connection.one(statement, ...values))
  }

  many<Row>(statement: Statement<Row>, ...values: Value[]): Row[] {
    return this.#read(() => this.#connection.many(statement, ...values))
  }

  /** Lets the next read see what has been committed. Never throws: it also runs where nothing could catch an error. */
  refresh(): void {
    if (!this.#open) return
    this.#open = false
    const connection = this.#connection
    // An error may have ended the transaction already.
    if (!connection.inTransaction) return
    try {
      connection.run(commit)
    } catch (error) {
      if (isFatal(error)) this.#end(error)
      else this.#rollBack()
    }
  }

  close(): void {
    this.refresh()
    this.#connection.close()
  }

  #read<T>(work: () => T): T {
    try {
      this.#begin()
      return work()
    } catch (error) {
      if (isFatal(error)) this.#end(error)
      throw error
    }
  }

  #begin(): void {
    if (this.#open) return
    this.#connection.run(begin)
    this.#open = true
    setImmediate(() => this.refresh())
  }

  /** Nothing was written, so nothing is lost. A transaction that stays open would show old rows forever. */
  #rollBack(): void {
    const connection = this.#connection
    try {
      connection.run(rollback)
    } catch (error) {
      if (connection.inTransaction) this.#end(error)
    }
  }

  #end(error: unknown): void {
    this.#onFatal(`reading the database failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}
