import { sql, type Tx } from '../../src/engine/engine.ts'
import { type Command, type CommandResult, executeCommand, replyOf } from '../../src/store/commands.ts'

const findReply = sql<{ body: string }>(
  'SELECT body FROM reply WHERE operation = $1 AND idempotency_key = $2',
)
const storeReply = sql(`
  INSERT INTO reply (owner, operation, idempotency_key, fingerprint, status, body, etag, location, at)
  VALUES ('nobody', $1, $2, 'none', 201, $3, NULL, NULL, $4) ON CONFLICT DO NOTHING`)

/** Broken on purpose: reads the key before the effect and stores it after the effect, with no claim in between. */
export async function performKeyLookedUpFirst(tx: Tx, command: Command): Promise<CommandResult> {
  const { idempotency, ...bare } = command
  if (!idempotency) return executeCommand(tx, command)
  const stored = await tx.one(findReply, command.id, idempotency.key)
  if (stored) return { status: 201, body: stored.body, replayed: true }
  const reply = replyOf(await executeCommand(tx, bare))
  await tx.run(storeReply, command.id, idempotency.key, reply.body, command.context.now)
  return reply
}
