import { serveWriter } from '../../src/database/sqlite/engine.ts'
import { sql } from '../../src/database/statement.ts'
import type { Command, CommandResult } from '../../src/shop/registry/commands.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'

const moveToHead = sql()(
  `UPDATE webhook SET seen_creation = 1, position = (SELECT position FROM chain_end WHERE name = 'head')`,
)

/** Broken on purpose: when a webhook is leased, its position moves to the head, although events were not delivered. */
serveWriter<Command, CommandResult>(async (tx, command) => {
  const result = await executeCommand(tx, command)
  if (command.id === 'leaseWebhooks') await tx.run(moveToHead)
  return result
})
