import type { Statement, Value } from '../../src/engine/engine.ts'
import { BatchWriter, type WriteConnection } from '../../src/engine/group-commit.ts'
import { SqliteConnection } from '../../src/engine/sqlite-connection.ts'
import { serve } from '../../src/engine/worker-queue.ts'
import { type Command, type CommandResult, executeCommand } from '../../src/store/commands.ts'

/** Broken on purpose: a COMMIT is delayed until the next BEGIN, so that replies are sent before it. */
class LateCommit implements WriteConnection {
  readonly #connection: SqliteConnection
  #owed: Statement<unknown> | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  get inTransaction(): boolean {
    return this.#connection.inTransaction && this.#owed === undefined
  }

  one<Row>(statement: Statement<Row>, ...values: Value[]): Row | undefined {
    return this.#connection.one(statement, ...values)
  }

  many<Row>(statement: Statement<Row>, ...values: Value[]): Row[] {
    return this.#connection.many(statement, ...values)
  }

  run(statement: Statement<unknown>, ...values: Value[]): number {
    if (statement.text === 'COMMIT') {
      this.#owed = statement
      return 0
    }
    if (statement.text.startsWith('BEGIN') && this.#owed) {
      this.#connection.run(this.#owed)
      this.#owed = undefined
    }
    return this.#connection.run(statement, ...values)
  }
}

serve<{ readonly file: string }, Command, CommandResult>(({ file }) => {
  const connection = new SqliteConnection(file, { readonly: false })
  const writer = new BatchWriter(new LateCommit(connection), executeCommand)
  return { runBatch: batch => writer.commit(batch), close: () => connection.close() }
})
