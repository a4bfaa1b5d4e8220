import { SqliteConnection } from '../src/database/sqlite/connection.ts'
import { BatchWriter, type WriteConnection } from '../src/database/sqlite/group-commit.ts'
import type { ParametersOf, Statement } from '../src/database/statement.ts'
import { type Command, type CommandResult, executeCommand } from '../src/shop/registry/commands.ts'
import { orderStatements, REQUEST_ID } from './order-statements.ts'

/** A placeholder that has the length of the SHA-256 of a request. */
export const FINGERPRINT = '0'.repeat(64)

/** Returns the command that the pipeline creates for an order of one unit. */
export function orderCommand(petId: bigint, now: string, key: string | null): Command {
  return {
    id: 'placeOrder',
    input: { body: { petId, quantity: 1n } },
    context: { now, caller: { keyId: 1n, scopes: ['admin'] }, requestId: REQUEST_ID },
    ...(key !== null && { idempotency: { key, fingerprint: FINGERPRINT } }),
  }
}

/** Places one order in a store. Throws unless the order runs exactly the statements of `orderStatements`. */
export async function assertSameStatements(file: string, petId: bigint): Promise<void> {
  const connection = new SqliteConnection(file, { readonly: false })
  const recorder = new Recorder(connection)
  const writer = new BatchWriter<Command, CommandResult>(recorder, executeCommand)
  // The statements that the writer runs when it opens are not part of an order.
  recorder.texts.length = 0
  await writer.commit([orderCommand(petId, '2026-01-01T00:00:00.000Z', null)])
  connection.close()
  const { shiftStock, insertMovement, insertEvent, insertOrder, moveHead } = orderStatements
  const statements = [shiftStock, insertMovement, insertEvent, insertOrder, insertEvent, moveHead]
  const expected = statements.map(({ text }) => inOneLine(text))
  if (recorder.texts.join('\n') !== expected.join('\n')) {
    throw new Error(`the statements of an order differ from orderStatements:\n${recorder.texts.join('\n')}`)
  }
}

/** The pattern of the statements that belong to the batch, not to the order. */
const BATCH_STATEMENT = /^(BEGIN|COMMIT|SAVEPOINT|RELEASE)\b|\b(counter|total)\b/

/** Records every statement of an order before it reaches the connection. */
class Recorder implements WriteConnection {
  readonly texts: string[] = []
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
    this.#note(statement.text)
    return this.#connection.one(statement, ...parameters)
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    this.#note(statement.text)
    return this.#connection.many(statement, ...parameters)
  }

  run<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): number {
    this.#note(statement.text)
    return this.#connection.run(statement, ...parameters)
  }

  #note(text: string): void {
    if (!BATCH_STATEMENT.test(text)) this.texts.push(inOneLine(text))
  }
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
