import { type ParametersOf, type Statement, type Value, valuesOf } from '../statement.ts'
import { combinedInsert, isPlainInsert, ROWS_PER_INSERT_MAX } from './combined-inserts.ts'
import { PostgresConnection } from './connection.ts'

/**
 * Writes rows in a transaction. Plain inserts wait until the next other statement, or until the end: then the rows of
 * one statement are sent together.
 */
export class PostgresWriter extends PostgresConnection {
  readonly #inserts = new Map<Statement<unknown, string>, Value[][]>()
  readonly #writes: Promise<unknown>[] = []

  override one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row | undefined> {
    this.#flush()
    return super.one(statement, ...parameters)
  }

  override many<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row[]> {
    this.#flush()
    return super.many(statement, ...parameters)
  }

  override run<Name extends string>(
    statement: Statement<unknown, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<number> {
    this.#flush()
    return super.run(statement, ...parameters)
  }

  write<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): void {
    if (!isPlainInsert(statement)) {
      this.#track(this.run(statement, ...parameters))
      return
    }
    const rows = this.#inserts.get(statement)
    const values = valuesOf(statement, parameters)
    if (!rows) this.#inserts.set(statement, [values])
    else if (rows.push(values) === ROWS_PER_INSERT_MAX) this.#insert(statement)
  }

  /** Resolves once all writes have succeeded. Throws the error of the first that failed. */
  async written(): Promise<void> {
    this.#flush()
    await this.sent()
  }

  /** Resolves once all writes that were sent have succeeded. Throws the error of the first that failed. */
  async sent(): Promise<void> {
    for (const write of this.#writes) await write
  }

  #flush(): void {
    for (const statement of this.#inserts.keys()) this.#insert(statement)
  }

  #insert(statement: Statement<unknown, string>): void {
    const rows = this.#inserts.get(statement) ?? []
    this.#inserts.delete(statement)
    // Sizes are powers of two, so that few texts are prepared.
    for (let from = 0, size = ROWS_PER_INSERT_MAX; from < rows.length; ) {
      while (size > rows.length - from) size /= 2
      this.#track(super.run(combinedInsert(statement, rows.slice(from, from + size))))
      from += size
    }
  }

  #track(write: Promise<unknown>): void {
    // `written()` throws the error, perhaps much later. Until then, the rejection must not count as unhandled.
    write.catch(() => {})
    this.#writes.push(write)
  }
}
