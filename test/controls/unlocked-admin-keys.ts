import type { Tx } from '../../src/engine/engine.ts'
import { ForwardingTx } from '../../src/engine/forwarding-tx.ts'
import type { ParametersOf, Statement } from '../../src/engine/statement.ts'
import { type Command, type CommandResult, executeCommand } from '../../src/store/commands.ts'

/** Broken on purpose: a revocation looks for another admin key, and nothing prevents the revocation of that key. */
export function performWithoutKeyLock(tx: Tx, command: Command): Promise<CommandResult> {
  return executeCommand(new UnlockedTx(tx), command)
}

class UnlockedTx extends ForwardingTx {
  override run<Name extends string>(
    statement: Statement<unknown, Name>,
    ...parameters: ParametersOf<Name>
  ): number | Promise<number> {
    return statement.text.includes('SET last = last') ? 1 : super.run(statement, ...parameters)
  }
}
