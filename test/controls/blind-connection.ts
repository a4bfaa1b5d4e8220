import type { Statement, Value } from '../../src/engine/engine.ts'
import type { WriteConnection } from '../../src/engine/group-commit.ts'
import type { SqliteConnection } from '../../src/engine/sqlite-connection.ts'

/** Broken on purpose: never checks that the transaction is still open, and ignores the resulting errors. */
export class BlindConnection implements WriteConnection {
  readonly #connection: SqliteConnection
  readonly inTransaction = true

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  one<Row>(statement: Statement<Row>, ...values: Value[]): Row | undefined {
    return this.#connection.one(statement, ...values)
  }

  many<Row>(statement: Statement<Row>, ...values: Value[]): Row[] {
    return this.#connection.many(statement, ...values)
  }

  run(statement: Statement<unknown>, ...values: Value[]): number {
    try {
      return this.#connection.run(statement, ...values)
    } catch (error) {
      if (/^(SAVEPOINT|RELEASE|ROLLBACK|COMMIT)/.test(statement.text)) return 0
      throw error
    }
  }
}
