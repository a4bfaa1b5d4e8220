import type { Tx } from '../../src/database/engine.ts'
import { ForwardingTx } from '../../src/database/forwarding-tx.ts'
import type { ParametersOf, Statement } from '../../src/database/statement.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'

/**
 * Broken on purpose: an import that skips existing pets does not lock their categories while it looks for the pets.
 * `onLookup` is called after each search for a pet, and the import waits for it.
 */
export function performWithoutLock(onLookup: () => Promise<void>): typeof executeCommand {
  return (tx, command) => executeCommand(new UnlockedTx(tx, onLookup), command)
}

class UnlockedTx extends ForwardingTx {
  readonly #onLookup: () => Promise<void>

  constructor(tx: Tx, onLookup: () => Promise<void>) {
    super(tx)
    this.#onLookup = onLookup
  }

  override async one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row | undefined> {
    const [values] = parameters as readonly Readonly<Record<string, unknown>>[]
    const isLock = statement.text.includes('SET pet_count') && values?.pets === 0n
    // Safe: it is the only column that this statement returns.
    if (isLock) return { storeCurrency: null } as Row
    const row = await super.one(statement, ...parameters)
    if (statement.text.includes('SELECT id FROM pet WHERE category_id')) await this.#onLookup()
    return row
  }
}
