import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import type { WriteConnection } from '../../src/database/sqlite/group-commit.ts'
import type { ReadConnection } from '../../src/database/sqlite/shared-read-transaction.ts'
import type { ParametersOf, Statement } from '../../src/database/statement.ts'

/** Returns an error like those that SQLite throws. */
export function sqliteError(code: string): Error {
  return Object.assign(new Error(`for the test: ${code}`), { code })
}

/** A connection on which selected statements fail. */
export class FailingConnection implements ReadConnection, WriteConnection {
  readonly failures = new Map<string, Error>()
  /** Called with the text of each statement that is run for its effect. */
  onRun: (text: string) => void = () => {}
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  get inTransaction(): boolean {
    return this.#connection.inTransaction
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined {
    this.#fail(statement)
    return this.#connection.one(statement, ...parameters)
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    this.#fail(statement)
    return this.#connection.many(statement, ...parameters)
  }

  run<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): number {
    this.onRun(statement.text)
    this.#fail(statement)
    return this.#connection.run(statement, ...parameters)
  }

  close(): void {
    this.#connection.close()
  }

  #fail({ text }: Statement<unknown, string>): void {
    const error = this.failures.get(text)
    if (error) throw error
  }
}

/** Opens a connection to a new database, without a store. */
export function openFailingConnection() {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-failing-'))
  const connection = new SqliteConnection(join(directory, 'petstore.db'), { readonly: false })
  connection.database.run(sqliteMigrations.scripts.join('\n'))
  const failing = new FailingConnection(connection)
  return {
    connection,
    failing,
    [Symbol.dispose]: () => {
      connection.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
