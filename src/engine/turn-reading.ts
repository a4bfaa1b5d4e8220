import { type Reading, type Statement, sql, type Value } from './engine.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

const begin = sql('BEGIN')
const commit = sql('COMMIT')

/**
 * Reads of one turn of the event loop share one read transaction: taking and leaving its locks are system calls that
 * cost several times what the row costs. `refresh` ends it early, so that who has been told of a commit sees it.
 */
export class TurnReading implements Reading {
  readonly #connection: SqliteConnection
  #open = false

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  one<Row>(statement: Statement<Row>, ...values: Value[]): Row | undefined {
    this.#begin()
    return this.#connection.one(statement, ...values)
  }

  many<Row>(statement: Statement<Row>, ...values: Value[]): Row[] {
    this.#begin()
    return this.#connection.many(statement, ...values)
  }

  /** Lets the next read see what has been committed. */
  refresh(): void {
    if (!this.#open) return
    this.#open = false
    this.#connection.run(commit)
  }

  close(): void {
    this.refresh()
    this.#connection.close()
  }

  #begin(): void {
    if (this.#open) return
    this.#connection.run(begin)
    this.#open = true
    setImmediate(() => this.refresh())
  }
}
