import type { Tx } from '../../src/engine/engine.ts'
import type { ParametersOf, Statement } from '../../src/engine/statement.ts'
import { type Command, type CommandResult, executeCommand } from '../../src/store/commands.ts'

/** Broken on purpose: the event of a cancellation does not contain the changes of the totals. */
export async function executeWithUncountedCancellations(tx: Tx, command: Command): Promise<CommandResult> {
  return executeCommand(command.id === 'cancelOrder' ? withoutTotals(tx) : tx, command)
}

function withoutTotals(tx: Tx): Tx {
  return {
    one: (statement, ...parameters) => tx.one(statement, ...parameters),
    many: (statement, ...parameters) => tx.many(statement, ...parameters),
    run: (statement, ...parameters) => tx.run(statement, ...parameters),
    write: <Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>) => {
      const [values] = parameters
      if (values && 'totals' in values) Object.assign(values, { totals: null })
      tx.write(statement, ...parameters)
    },
    nextId: noun => tx.nextId(noun),
    numberEvent: event => tx.numberEvent(event, undefined),
  }
}
