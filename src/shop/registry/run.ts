import type { Operation } from '../../contract/operation.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import type { Reply } from '../kernel/idempotency.ts'
import { LIMIT_DEFAULT, type ListQuery } from '../kernel/paging.ts'
import { type Command, type CommandResult, runCommand } from './commands.ts'
import { contract } from './operations.ts'
import { type Query, runQuery } from './queries.ts'
import { type ReplyForms, replyFormOf } from './reply.ts'

// Safe: the entries are those of the contract.
export const replyForms = Object.fromEntries(
  Object.entries<Operation>(contract).map(([id, operation]) => [id, replyFormOf(operation)]),
) as ReplyForms

/** Runs a command on the thread that has the contract, as PostgreSQL and sandboxes do. */
export function executeCommand(tx: Tx, command: Command): Promise<CommandResult> {
  return runCommand(tx, command, replyForms)
}

/** Runs a query and returns its encoded reply. Rejects with the errors of its verb. */
export async function executeQuery(reader: Reader, query: Query): Promise<Reply> {
  return await replyTo(reader, query)
}

/** Like `executeQuery`, without a promise if the verb and the reader need none. The errors are then thrown. */
export function replyTo(reader: Reader, query: Query): Reply | Promise<Reply> {
  return runQuery(reader, query, replyForms)
}

/** The longest page of a short list. Longer pages take so long to encode that other requests would wait. */
const SHORT_LIST_ROWS_MAX = 20

/**
 * Returns whether a list is so short that reading it costs less than passing it to another thread and back: at most 20
 * rows of one index scan.
 */
export function isShortList({ id, input }: Pick<Query, 'id' | 'input'>): boolean {
  const { isShort }: Operation = contract[id]
  const { limit = LIMIT_DEFAULT }: ListQuery = input
  // Safe: the input of a query is the input of its id, as in executeQuery.
  return limit <= SHORT_LIST_ROWS_MAX && isShort?.(input as never) === true
}
