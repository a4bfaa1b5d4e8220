import { type CommandId, type Contract, contract } from '../contract/contract.ts'
import type { Input, Operation, Output } from '../contract/operation.ts'
import type { Tx } from '../engine/engine.ts'
import { StoreError } from '../model/error.ts'
import { writeJson } from '../model/json.ts'
import { categoryOf, createCategory, deleteCategory, getCategory, updateCategory } from './categories.ts'
import type { Context } from './context.ts'
import { redeliver, redeliverFailed } from './deliveries.ts'
import { leaseWebhooks, recordAttempts, releaseWebhooks } from './dispatch.ts'
import { applyImport, discardImport, stageImport, sweepStagedRows } from './imports.ts'
import { adjustInventory, getInventoryItem, setInventory } from './inventory.ts'
import { createKey, getKey, installAdminKey, keyOf, resetAdminKey, revokeKey } from './keys.ts'
import { keepNote, replaceNote } from './notes.ts'
import { cancelOrder, getOrder, orderOf, placeOrder, updateOrder } from './orders.ts'
import { petOf } from './pet-row.ts'
import { createPet, deletePet, getPet, updatePet } from './pets.ts'
import { type Idempotency, once, type Reply, sweepReplies } from './replies.ts'
import { type Conditions, checkConditions, etagOf } from './representation.ts'
import { sweepDeliveries, sweepEvents } from './retention.ts'
import { inventoryItem } from './stock.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  rotateWebhookSecret,
  sendTestEvent,
  updateWebhook,
  webhookOf,
} from './webhooks.ts'

type Verb<I, R> = (tx: Tx, input: I, context: Context, conditions: Conditions) => Promise<R>

/** What changes something, by operationId: an operation without its verb does not compile. */
const commands: { readonly [Id in CommandId]: Verb<Input<Contract[Id]>, Output<Contract[Id]>> } = {
  createPet,
  updatePet: onTarget(getPet, petOf, updatePet),
  deletePet: onTarget(getPet, petOf, deletePet),
  createCategory,
  updateCategory: onTarget(getCategory, categoryOf, updateCategory),
  deleteCategory: onTarget(getCategory, categoryOf, deleteCategory),
  placeOrder,
  updateOrder: onTarget(getOrder, orderOf, updateOrder),
  cancelOrder: onTarget(getOrder, orderOf, cancelOrder),
  setInventory: onTarget(getInventoryItem, inventoryItem, setInventory),
  adjustInventory: onTarget(getInventoryItem, inventoryItem, adjustInventory),
  createKey,
  revokeKey: onTarget(getKey, keyOf, revokeKey),
  createWebhook,
  updateWebhook: onTarget(getWebhook, webhookOf, updateWebhook),
  deleteWebhook: onTarget(getWebhook, webhookOf, deleteWebhook),
  rotateWebhookSecret,
  sendTestEvent,
  redeliver,
  redeliverFailed,
  stageImport,
  applyImport,
  discardImport: withoutEtag(discardImport),
}

/** What the store does of its own accord. */
const chores = {
  installAdminKey,
  resetAdminKey,
  keepNote,
  replaceNote,
  leaseWebhooks,
  releaseWebhooks,
  recordAttempts,
  sweepReplies,
  sweepStagedRows,
  sweepEvents,
  sweepDeliveries,
}

export type ChoreId = keyof typeof chores

/** One transaction to be, as data: it can cross threads, and be run again. */
export interface Command {
  readonly id: CommandId | ChoreId
  readonly input: object
  readonly context: Context
  readonly conditions?: Conditions
  readonly idempotency?: Idempotency
}

/** A command of the store itself: nobody's key, at an instant in the stored form. */
export function choreOf(id: ChoreId, input: object, now: string, requestId: string): Command {
  return { id, input, context: { now, caller: { keyId: null, scopes: [] }, requestId } }
}

/** Runs one command in its transaction: replay, target, precondition, verb, events, encoded reply, in this order. */
export async function perform(tx: Tx, command: Command): Promise<Reply> {
  const { id, idempotency, context } = command
  if (isChore(id)) return runChore(tx, id, command)
  const effect = () => runVerb(tx, id, command)
  return idempotency ? once(tx, id, idempotency, context, effect) : effect()
}

async function runVerb(tx: Tx, id: CommandId, { input, context, conditions = {} }: Command): Promise<Reply> {
  // Where the contract meets its verbs: the compiler has checked the pair under each id, but cannot know that the
  // input, which the pipeline made by the contract's schema for this id, goes to the verb of this id.
  const verb = commands[id] as Verb<object, object | undefined>
  return encodeReply(contract[id], await verb(tx, input, context, conditions))
}

async function runChore(tx: Tx, id: ChoreId, { input, context }: Command): Promise<Reply> {
  // The store itself makes these commands, in server.ts and delivery alone, each with the input of its chore.
  const chore = chores[id] as (tx: Tx, input: object, context: Context) => Promise<number | undefined>
  const swept = await chore(tx, input, context)
  return { status: 204, body: swept === undefined ? null : String(swept) }
}

function encodeReply(operation: Operation, resource: object | undefined): Reply {
  const { status } = operation.success
  if (resource === undefined) return { status, body: null }
  const body = writeJson(resource)
  // As above: the resource is what the verb of this very operation answered.
  const location = operation.location as ((resource: object) => string) | undefined
  return {
    status,
    body,
    // The answer to a PUT has no validator where the store changed what was sent (RFC 9110, section 9.3.4).
    ...(operation.etag && operation.method !== 'PUT' && { etag: etagOf(body) }),
    ...(location && { location: location(resource) }),
  }
}

/** A verb on something that exists: it is found (404) and the conditions judged by it (412) before the verb runs. */
function onTarget<I, T, R>(
  find: (tx: Tx, input: I) => Promise<T>,
  show: (target: T) => object,
  verb: (tx: Tx, input: I, context: Context, target: T) => Promise<R>,
): Verb<I, R> {
  return async (tx, input, context, conditions) => {
    const target = await find(tx, input)
    checkConditions(conditions, () => writeJson(show(target)))
    return verb(tx, input, context, target)
  }
}

/** A verb on something without a representation, which no If-Match can match (RFC 9110, section 13.1.1). */
function withoutEtag<I, R>(verb: (tx: Tx, input: I) => Promise<R>): Verb<I, R> {
  return async (tx, input, _, { ifMatch }) => {
    if (ifMatch !== undefined)
      throw new StoreError('precondition_failed', 'An import has no ETag that If-Match could match.')
    return verb(tx, input)
  }
}

function isChore(id: CommandId | ChoreId): id is ChoreId {
  return Object.hasOwn(chores, id)
}
