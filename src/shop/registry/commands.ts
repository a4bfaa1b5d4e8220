import type { Input } from '../../contract/operation.ts'
import type { Tx } from '../../database/engine.ts'
import { categoryCommands } from '../categories/verbs.ts'
import { importCommands, sweepStagedRows } from '../imports/verbs.ts'
import { inventoryCommands } from '../inventory/verbs.ts'
import type { Context } from '../kernel/context.ts'
import type { CommandHandler, CommandsOf } from '../kernel/handlers.ts'
import { type Idempotency, type Reply, sweepReplies, withIdempotencyKey } from '../kernel/idempotency.ts'
import { changeCurrency, insertMetadata, replaceMetadata } from '../kernel/metadata.ts'
import type { Conditions } from '../kernel/preconditions.ts'
import { handoverCommands, sweepHandovers } from '../keys/handover.ts'
import { installAdminKey, keyCommands, replaceFirstKey, resetAdminKey } from '../keys/verbs.ts'
import { sweepEvents } from '../log/retention.ts'
import { orderCommands } from '../orders/sale-verbs.ts'
import { hasPricedOrder } from '../orders/verbs.ts'
import { petCommands } from '../pets/verbs.ts'
import { leaseWebhooks, recordAttempts, releaseWebhooks } from '../webhooks/delivery-state.ts'
import { webhookCommands } from '../webhooks/delivery-verbs.ts'
import { sweepDeliveries } from '../webhooks/retention.ts'
import { replaceSecrets } from '../webhooks/secrets.ts'
import type { CommandId, Contract } from './operations.ts'
import { encodeReply, type ReplyForms } from './reply.ts'

const commands: CommandsOf<Contract> = {
  ...petCommands,
  ...categoryCommands,
  ...orderCommands,
  ...inventoryCommands,
  ...keyCommands,
  ...handoverCommands,
  ...webhookCommands,
  ...importCommands,
}

/** System commands, which the store itself runs. */
const systemCommands = {
  installAdminKey,
  replaceFirstKey,
  resetAdminKey,
  insertMetadata,
  replaceMetadata,
  replaceSecrets,
  changeCurrency: (tx: Tx, input: { currency: string }) => changeCurrency(tx, input, hasPricedOrder),
  leaseWebhooks,
  releaseWebhooks,
  recordAttempts,
  sweepReplies,
  sweepStagedRows,
  sweepHandovers,
  sweepEvents,
  sweepDeliveries,
}

export type SystemCommandId = keyof typeof systemCommands

/** One transaction as data, so that it can be sent to another thread, and run again. */
export interface Command {
  readonly id: CommandId | SystemCommandId
  readonly input: object
  readonly context: Context
  readonly conditions?: Conditions
  readonly idempotency?: Idempotency
}

/** The result of a system command. */
interface SystemResult {
  /** The number of rows that a sweep deleted; 0 for the other commands. */
  readonly count: number
}

/** The result of a command: the encoded reply of an operation, or the count of a system command. */
export type CommandResult = Reply | SystemResult

/** Returns the reply of an operation. Throws for the result of a system command. */
export function replyOf(result: CommandResult): Reply {
  if ('count' in result) throw new Error('a system command returned no reply')
  return result
}

/** Returns the count of a system command. Throws for the reply of an operation. */
export function countOf(result: CommandResult): number {
  if ('count' in result) return result.count
  throw new Error('an operation returned no count')
}

/** The maximum time for a command that reads or changes many rows, in milliseconds. */
const LONG_MS = 3_600_000

/** Returns the time that a command may take, in milliseconds; undefined for the usual time of a request. */
export function timeLimitMs({ id }: Command): number | undefined {
  return longCommands.has(id) ? LONG_MS : undefined
}

const longCommands: ReadonlySet<Command['id']> = new Set([
  'stageImport',
  'discardImport',
  'findImportCategories',
  'findImportPets',
  'takeBackImport',
  'sweepReplies',
  'sweepStagedRows',
  'sweepHandovers',
  'sweepEvents',
  'sweepDeliveries',
])

/**
 * Returns how an order can commit together with others: it changes its pet by a conditional UPDATE, inserts rows, and
 * changes no other row. Returns undefined for other commands.
 */
export function groupingOf({ id, input, context, idempotency }: Command) {
  if (id !== 'placeOrder') return undefined
  // Safe: the pipeline made the input with the schema of this id.
  const { body } = input as Input<Contract['placeOrder']>
  return { row: body.petId, key: idempotency && `${context.caller.keyId} ${idempotency.key}` }
}

const ROW_IDS = ['petId', 'categoryId', 'orderId', 'webhookId', 'keyId']

/** Returns names of the rows that a command names by an id in its path or body, such as `petId 7`. */
export function rowsOf({ input }: Pick<Command, 'input'>): string[] {
  const body: unknown = Reflect.get(input, 'body')
  const lines: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'lines') : undefined
  const parts = [input, body, ...(Array.isArray(lines) ? lines : [])].filter(
    part => typeof part === 'object' && part !== null,
  )
  return parts.flatMap(part =>
    ROW_IDS.flatMap(name => {
      const id: unknown = Reflect.get(part, name)
      return typeof id === 'bigint' ? [`${name} ${id}`] : []
    }),
  )
}

/** Returns a system command. It has no key; `now` is in the stored form. */
export function systemCommand(id: SystemCommandId, input: object, now: string, requestId: string): Command {
  return { id, input, context: { now, caller: { keyId: null, scopes: [] }, requestId } }
}

/**
 * Runs one command in its transaction and returns its result. The order is: replay, target, precondition, verb with its
 * events, encoded reply.
 */
export async function runCommand(tx: Tx, command: Command, forms: ReplyForms): Promise<CommandResult> {
  const { id, idempotency, context } = command
  if (isSystemCommand(id)) return runSystemCommand(tx, id, command)
  const effect = () => runOperation(tx, id, command, forms)
  return idempotency ? withIdempotencyKey(tx, id, idempotency, context, effect) : effect()
}

async function runOperation(
  tx: Tx,
  id: CommandId,
  { input, context, conditions = {} }: Command,
  forms: ReplyForms,
): Promise<Reply> {
  // Safe: the compiler checked each verb against the contract, and the pipeline made the input with the schema of this
  // id.
  const verb = commands[id] as CommandHandler<object, object | undefined>
  return encodeReply(forms[id], await verb(tx, input, context, conditions))
}

async function runSystemCommand(
  tx: Tx,
  id: SystemCommandId,
  { input, context }: Command,
): Promise<SystemResult> {
  // Only the store itself makes these commands, each with the input that its id requires.
  const verb = systemCommands[id] as (tx: Tx, input: object, context: Context) => Promise<number | undefined>
  return { count: (await verb(tx, input, context)) ?? 0 }
}

function isSystemCommand(id: CommandId | SystemCommandId): id is SystemCommandId {
  return Object.hasOwn(systemCommands, id)
}
