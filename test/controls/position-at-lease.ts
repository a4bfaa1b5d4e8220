import { sql } from '../../src/engine/engine.ts'
import { serveWriter } from '../../src/engine/sqlite.ts'
import type { Reply } from '../../src/shop/idempotency.ts'
import { type Command, executeCommand } from '../../src/store/commands.ts'

const moveToHead = sql(
  `UPDATE webhook SET seen_creation = 1, position = (SELECT position FROM chain_end WHERE name = 'head')`,
)

/** Broken on purpose: leasing a webhook moves it past all events, before any of them was delivered. */
serveWriter<Command, Reply>(async (tx, command) => {
  const reply = await executeCommand(tx, command)
  if (command.id === 'leaseWebhooks') await tx.run(moveToHead)
  return reply
})
