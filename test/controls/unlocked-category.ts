import type { Tx } from '../../src/engine/engine.ts'
import { type Command, type CommandResult, executeCommand } from '../../src/store/commands.ts'

/** Broken on purpose: an import that skips existing pets does not lock their categories while it looks for the pets. */
export function performWithoutLock(tx: Tx, command: Command): Promise<CommandResult> {
  const unlocked: Tx = {
    one: (statement, ...parameters) => tx.one(statement, ...parameters),
    many: (statement, ...parameters) => tx.many(statement, ...parameters),
    run: (statement, ...parameters) =>
      statement.text.includes('SET pet_count = pet_count WHERE') ? 1 : tx.run(statement, ...parameters),
    write: (statement, ...parameters) => tx.write(statement, ...parameters),
    nextId: noun => tx.nextId(noun),
    numberEvent: (event, totals) => tx.numberEvent(event, totals),
  }
  return executeCommand(unlocked, command)
}
