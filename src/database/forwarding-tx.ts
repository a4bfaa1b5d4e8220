import type { Noun, Tx } from './engine.ts'
import type { ParametersOf, Statement } from './statement.ts'

/** A transaction that passes every call on to another one. Subclasses change some of the calls. */
export class ForwardingTx implements Tx {
  readonly #tx: Tx

  constructor(tx: Tx) {
    this.#tx = tx
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined | Promise<Row | undefined> {
    return this.#tx.one(statement, ...parameters)
  }

  many<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row[] | Promise<Row[]> {
    return this.#tx.many(statement, ...parameters)
  }

  run<Name extends string>(
    statement: Statement<unknown, Name>,
    ...parameters: ParametersOf<Name>
  ): number | Promise<number> {
    return this.#tx.run(statement, ...parameters)
  }

  write<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): void {
    this.#tx.write(statement, ...parameters)
  }

  nextId(noun: Noun): bigint | Promise<bigint> {
    return this.#tx.nextId(noun)
  }

  numberEvent(...[event, totals]: Parameters<Tx['numberEvent']>): ReturnType<Tx['numberEvent']> {
    return this.#tx.numberEvent(event, totals)
  }
}
