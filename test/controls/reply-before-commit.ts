import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { BatchWriter, type WriteConnection } from '../../src/database/sqlite/group-commit.ts'
import { serve } from '../../src/database/sqlite/worker-queue.ts'
import { type ParametersOf, type Statement, sql } from '../../src/database/statement.ts'
import type { Command, CommandResult } from '../../src/shop/registry/commands.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'

const commit = sql()('COMMIT')

/** Broken on purpose: a COMMIT is delayed until the next BEGIN, so that replies are sent before the COMMIT. */
class LateCommit implements WriteConnection {
  readonly #connection: SqliteConnection
  #owesCommit = false

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  get inTransaction(): boolean {
    return this.#connection.inTransaction && !this.#owesCommit
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
    if (statement.text === commit.text) {
      this.#owesCommit = true
      return 0
    }
    if (statement.text.startsWith('BEGIN') && this.#owesCommit) {
      this.#connection.run(commit)
      this.#owesCommit = false
    }
    return this.#connection.run(statement, ...parameters)
  }
}

serve<{ readonly file: string }, Command, CommandResult>(({ file }) => {
  const connection = new SqliteConnection(file, { readonly: false })
  const writer = new BatchWriter(new LateCommit(connection), executeCommand)
  return {
    runBatch: async batch => ({ outcomes: await writer.commit(batch) }),
    close: () => connection.close(),
  }
})
