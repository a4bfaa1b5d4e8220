import type { Noun, Tx } from './engine.ts'
import type { StatementCall } from './statement.ts'

/** A transaction that passes every call on to another one. Subclasses change some of the calls. */
export class ForwardingTx implements Tx {
  readonly #tx: Tx

  constructor(tx: Tx) {
    this.#tx = tx
  }

  one<Row, Name extends string>(
    ...call: StatementCall<Row, Name>
  ): Row | undefined | Promise<Row | undefined> {
    return this.#tx.one(...call)
  }

  many<Row, Name extends string>(...call: StatementCall<Row, Name>): Row[] | Promise<Row[]> {
    return this.#tx.many(...call)
  }

  run<Name extends string>(...call: StatementCall<unknown, Name>): number | Promise<number> {
    return this.#tx.run(...call)
  }

  write<Name extends string>(...call: StatementCall<unknown, Name>): void {
    this.#tx.write(...call)
  }

  nextId(noun: Noun): bigint | Promise<bigint> {
    return this.#tx.nextId(noun)
  }

  appendEvent(...[event, totals]: Parameters<Tx['appendEvent']>): bigint | undefined {
    return this.#tx.appendEvent(event, totals)
  }
}
