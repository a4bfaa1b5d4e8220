import type { Tx } from '../../src/engine/engine.ts'
import { sql } from '../../src/engine/statement.ts'
import { type Command, type CommandResult, executeCommand, replyOf } from '../../src/store/commands.ts'

const findReply = sql<{ body: string }>()(
  'SELECT body FROM reply WHERE operation = $operation AND idempotency_key = $key',
)
const storeReply = sql()(`
  INSERT INTO reply (owner, operation, idempotency_key, fingerprint, status, body, etag, location, at)
  VALUES ('nobody', $operation, $key, 'none', 201, $body, NULL, NULL, $now) ON CONFLICT DO NOTHING`)

/** Broken on purpose: reads the idempotency key before the effect and stores it afterwards, without a claim. */
export async function performKeyLookedUpFirst(tx: Tx, command: Command): Promise<CommandResult> {
  const { idempotency, ...bare } = command
  if (!idempotency) return executeCommand(tx, command)
  const { id: operation, context } = command
  const { key } = idempotency
  const stored = await tx.one(findReply, { operation, key })
  if (stored) return { status: 201, body: stored.body, isReplayed: true }
  const reply = replyOf(await executeCommand(tx, bare))
  await tx.run(storeReply, { operation, key, body: reply.body, now: context.now })
  return reply
}
