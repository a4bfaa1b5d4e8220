import type { ReservedSQL, SQL } from 'bun'
import type { Reader } from '../engine.ts'
import { type ParametersOf, type Statement, valuesOf } from '../statement.ts'

/** Runs statements on a connection to PostgreSQL, or on any connection of a pool. */
export class PostgresConnection implements Reader {
  readonly #connection: SQL | ReservedSQL

  constructor(connection: SQL | ReservedSQL) {
    this.#connection = connection
  }

  async one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row | undefined> {
    const [row] = await this.#connection.unsafe<Row[]>(textOf(statement), valuesOf(statement, parameters))
    return row
  }

  async many<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row[]> {
    return await this.#connection.unsafe<Row[]>(textOf(statement), valuesOf(statement, parameters))
  }

  async run<Name extends string>(
    statement: Statement<unknown, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<number> {
    const values = valuesOf(statement, parameters)
    const result: { readonly affectedRows: number } = await this.#connection.unsafe(textOf(statement), values)
    return result.affectedRows
  }
}

function textOf({ text, postgresText = text }: Statement<unknown, string>): string {
  return postgresText
}
