import type { WriteConnection } from '../../src/engine/group-commit.ts'
import type { SqliteConnection } from '../../src/engine/sqlite-connection.ts'
import type { ParametersOf, Statement } from '../../src/engine/statement.ts'

/**
 * Broken on purpose: always reports an open transaction, and ignores errors of SAVEPOINT, RELEASE, ROLLBACK and COMMIT.
 */
export class BlindConnection implements WriteConnection {
  readonly #connection: SqliteConnection
  readonly inTransaction = true

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined {
    return this.#connection.one(statement, ...parameters)
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    return this.#connection.many(statement, ...parameters)
  }

  run<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): number {
    try {
      return this.#connection.run(statement, ...parameters)
    } catch (error) {
      if (/^(SAVEPOINT|RELEASE|ROLLBACK|COMMIT)/.test(statement.text)) return 0
      throw error
    }
  }
}
