import type { Input, Page } from '../../contract/operation.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import { dynamicSql, sql, type Value } from '../../database/statement.ts'
import { formatInstant, toStoredInstant } from '../../values/instant.ts'
import type { Context } from '../kernel/context.ts'
import { type CommandsOf, onResource, type QueriesOf } from '../kernel/handlers.ts'
import { equals, listPage, padded } from '../kernel/paging.ts'
import type { EventType, TEST_TYPE } from '../log/event-types.ts'
import { recordEvent } from '../log/recording.ts'
import type { Delivery, DeliveryAttempt, DeliveryState } from './delivery-schema.ts'
import type { webhooks } from './operations.ts'
import { deliveryNotFound } from './refusals.ts'
import type { AcceptedRedeliveries } from './schema.ts'
import {
  aboutWebhook,
  createWebhook,
  deleteWebhook,
  getEnabledWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  sendTestEvent,
  updateWebhook,
  webhookOf,
} from './verbs.ts'

/** The maximum number of failed deliveries that one command makes due again. */
const REDELIVERED_MAX = 10_000
const ATTEMPTS_SHOWN_MAX = 20

interface DeliveryRow {
  readonly id: bigint
  readonly eventId: bigint
  readonly type: EventType | typeof TEST_TYPE
  readonly state: DeliveryState
  readonly attempts: bigint
  readonly nextAt: string | null
  readonly createdAt: string
}

interface AttemptRow {
  readonly deliveryId: bigint
  readonly at: string
  readonly durationMs: bigint
  readonly status: bigint | null
  readonly error: string | null
  readonly reply: string | null
}

const deliveryColumns = `id, event_id AS "eventId", event_type AS "type", state, attempts, next_at AS "nextAt",
  created_at AS "createdAt"`

const readAttempts = (deliveryIds: readonly Value[]) =>
  dynamicSql<AttemptRow>(
    place => `
    SELECT delivery_id AS "deliveryId", at, duration_ms AS "durationMs", attempt.status, error, reply
    FROM attempt JOIN delivery ON delivery.id = delivery_id AND number > attempts - ${ATTEMPTS_SHOWN_MAX}
    WHERE delivery_id IN (${deliveryIds.map(place).join(', ')}) ORDER BY delivery_id, number`,
  )

const makeDue = sql<DeliveryRow>()(`
  UPDATE delivery SET state = 'pending', next_at = $now, cycle_attempts = 0, updated_at = $now
  WHERE id = $deliveryId AND webhook_id = $webhookId RETURNING ${deliveryColumns}`)

const makeFailedDue = sql<{ id: bigint }>()(`
  UPDATE delivery SET state = 'pending', next_at = $now, cycle_attempts = 0, updated_at = $now
  WHERE state = 'failed' AND id IN (SELECT id FROM delivery
    WHERE webhook_id = $webhookId AND state = 'failed' AND created_at >= $since ORDER BY id LIMIT ${REDELIVERED_MAX})
  RETURNING id`)

/**
 * Returns a page of the deliveries of a webhook, each with its last 20 attempts. Throws `webhook_not_found`,
 * `invalid_cursor`.
 */
async function listDeliveries(
  reader: Reader,
  input: Input<typeof webhooks.listDeliveries>,
): Promise<Page<Delivery>> {
  const { webhookId, state, sort } = input
  await getWebhook(reader, { webhookId })
  const { items, next } = await listPage<DeliveryRow, DeliveryRow>(
    reader,
    {
      list: 'listDeliveries',
      table: 'delivery',
      columns: deliveryColumns,
      input,
      filters: { webhookId, state },
      sort: { column: 'id', descending: sort === '-id' },
      branches: [[equals('webhook_id', webhookId), ...(state ? [equals('state', state)] : [])]],
    },
    row => row,
  )
  return { items: await withAttempts(reader, items), next }
}

/**
 * Makes a delivery due now, with a new retry cycle, and returns it. Throws `webhook_not_found`, `delivery_not_found`,
 * `webhook_disabled`.
 */
async function redeliver(
  tx: Tx,
  { webhookId, deliveryId }: { webhookId: bigint; deliveryId: bigint },
  context: Context,
): Promise<Delivery> {
  const webhook = await getEnabledWebhook(tx, webhookId)
  const row = await tx.one(makeDue, { webhookId, deliveryId, now: context.now })
  if (!row) throw deliveryNotFound(webhookId, deliveryId)
  await recordEvent(tx, context, { type: 'petstore.webhook.redelivered', ...aboutWebhook(webhook) })
  const [delivery] = await withAttempts(tx, [row])
  if (!delivery) throw new Error('withAttempts returned no delivery')
  return delivery
}

/**
 * Makes failed deliveries due again, at most 10,000: those whose first attempt was at `since` or later. Returns their
 * number, and whether there may be more. Throws `webhook_not_found`, `webhook_disabled`.
 */
async function redeliverFailed(
  tx: Tx,
  { webhookId, since }: Input<typeof webhooks.redeliverFailed>,
  context: Context,
): Promise<AcceptedRedeliveries> {
  const webhook = await getEnabledWebhook(tx, webhookId)
  const due = await tx.many(makeFailedDue, {
    webhookId,
    since: toStoredInstant(since),
    now: context.now,
  })
  if (due.length > 0)
    await recordEvent(tx, context, { type: 'petstore.webhook.redelivered', ...aboutWebhook(webhook) })
  return { count: BigInt(due.length), more: due.length === REDELIVERED_MAX }
}

async function withAttempts(reader: Reader, rows: readonly DeliveryRow[]): Promise<Delivery[]> {
  if (rows.length === 0) return []
  const attempts = await reader.many(readAttempts(padded(rows.map(({ id }) => id))))
  const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId)
  return rows.map(({ id, eventId, type, state, nextAt, createdAt }) => ({
    id,
    eventId: String(eventId),
    type,
    state,
    attempts: (byDelivery.get(id) ?? []).map(attemptOf),
    ...(nextAt !== null && { nextAttemptAt: formatInstant(nextAt) }),
    createdAt: formatInstant(createdAt),
  }))
}

function attemptOf({ at, durationMs, status, error, reply }: AttemptRow): DeliveryAttempt {
  return {
    at: formatInstant(at),
    durationMs,
    ...(status !== null && { status }),
    ...(error !== null && { error }),
    ...(reply !== null && { reply }),
  }
}

export const webhookQueries: QueriesOf<typeof webhooks> = {
  listWebhooks,
  getWebhook: async (reader, input) => webhookOf(await getWebhook(reader, input)),
  listDeliveries,
}

export const webhookCommands: CommandsOf<typeof webhooks> = {
  createWebhook,
  updateWebhook: onResource(getWebhook, webhookOf, updateWebhook),
  deleteWebhook: onResource(getWebhook, webhookOf, deleteWebhook),
  rotateWebhookSecret,
  sendTestEvent,
  redeliver,
  redeliverFailed,
}
