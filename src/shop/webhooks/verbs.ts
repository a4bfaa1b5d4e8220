import { refuseOtherIds } from '../../contract/error.ts'
import type { Page } from '../../contract/operation.ts'
import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { readBoolean, sql, storedBoolean } from '../../database/statement.ts'
import { formatInstant, storedInstant } from '../../values/instant.ts'
import { writeJson } from '../../values/json.ts'
import { storedNames } from '../../values/stored-names.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import type { Context, NewSecret } from '../kernel/context.ts'
import { WEBHOOKS_MAX } from '../kernel/limits.ts'
import { type ListQuery, listPage } from '../kernel/paging.ts'
import { findLogBounds } from '../log/bounds.ts'
import { type EventType, eventTypes, TEST_TYPE } from '../log/event-types.ts'
import { type EventSubject, recordEvent } from '../log/recording.ts'
import { webhookDisabled, webhookLimitReached, webhookNotFound } from './refusals.ts'
import type { AcceptedTest, NewWebhook, Webhook, WebhookPatch, WebhookWithSecret } from './schema.ts'

/** How long deliveries are signed with both the new and the previous secret after a rotation. */
const OVERLAP_MS = DAY_MS

interface WebhookRow {
  readonly id: bigint
  readonly url: string
  /** JSON; null means all types. */
  readonly types: string | null
  readonly description: string | null
  readonly enabled: boolean
  readonly disabledReason: NonNullable<Webhook['disabledReason']> | null
  readonly failingSince: string | null
  readonly version: bigint
  readonly createdAt: string
}

/** A row of the table as the engines return it. */
export type StoredWebhook = Omit<WebhookRow, 'enabled'> & { readonly enabled: bigint }

export const webhookColumns = `id, url, types, description, enabled, disabled_reason AS "disabledReason",
  failing_since AS "failingSince", version, created_at AS "createdAt"`

const findWebhook = sql<StoredWebhook>()(`SELECT ${webhookColumns} FROM webhook WHERE id = $webhookId`)

const findSlots = sql<{ slot: bigint }>()('SELECT slot FROM webhook')

const insertWebhook = sql<{ id: bigint }>()(`
  INSERT INTO webhook (id, slot, url, types, description, enabled, disabled_reason, secret, previous_secret,
    previous_until, position, seen_creation, failures, failing_since, leased_by, leased_until, version, created_at,
    updated_at)
  VALUES ($webhookId, $slot, $url, $types, $description, 1, NULL, $secret, NULL, NULL, $position, 0, 0, NULL, NULL,
    NULL, 1, $now, $now)
  ON CONFLICT DO NOTHING RETURNING id`)

// Another address or enabling resets the failures: the five days after which a failing webhook is disabled start again.
const startsAgain = 'enabled < $enabled OR url <> $url'
const rewriteWebhook = sql<StoredWebhook>()(`
  UPDATE webhook SET url = $url, types = $types, description = $description, enabled = $enabled,
    disabled_reason = $disabledReason,
    failures = CASE WHEN ${startsAgain} THEN 0 ELSE failures END,
    failing_since = CASE WHEN ${startsAgain} THEN NULL ELSE failing_since END,
    last_failure_at = CASE WHEN ${startsAgain} THEN NULL ELSE last_failure_at END,
    failing_ms = CASE WHEN ${startsAgain} THEN NULL ELSE failing_ms END,
    leased_by = CASE WHEN enabled < $enabled THEN NULL ELSE leased_by END,
    leased_until = CASE WHEN enabled < $enabled THEN NULL ELSE leased_until END,
    version = version + 1, updated_at = $now
  WHERE id = $webhookId AND version = $version RETURNING ${webhookColumns}`)

const removeWebhook = sql<{ version: bigint }>()(
  'DELETE FROM webhook WHERE id = $webhookId AND version = $version RETURNING version',
)

const replaceSecret = sql<StoredWebhook>()(`
  UPDATE webhook SET previous_secret = secret, previous_until = $previousUntil, secret = $secret, version = version + 1,
    updated_at = $now
  WHERE id = $webhookId RETURNING ${webhookColumns}`)

/** Returns a page of the webhooks, without their secrets. Throws `invalid_cursor`. */
export async function listWebhooks(reader: Reader, input: ListQuery): Promise<Page<Webhook>> {
  return listPage(
    reader,
    {
      list: 'listWebhooks',
      table: 'webhook',
      columns: webhookColumns,
      input,
      filters: {},
      sort: { column: 'id', descending: false },
      branches: [[]],
    },
    (webhook: StoredWebhook) => webhookOf(webhookRow(webhook)),
  )
}

/** Returns the row of a webhook. Throws `webhook_not_found`. */
export async function getWebhook(reader: Reader, { webhookId }: { webhookId: bigint }): Promise<WebhookRow> {
  const row = await reader.one(findWebhook, { webhookId })
  if (!row) throw webhookNotFound(webhookId)
  return webhookRow(row)
}

/** Creates a webhook for later events, and returns it with its secret. Throws `webhook_limit_reached`. */
export async function createWebhook(
  tx: Tx,
  { body }: { body: NewWebhook },
  context: Context,
): Promise<WebhookWithSecret> {
  const secret = givenSecret(context)
  const id = await tx.nextId('webhook')
  const slot = await findFreeSlot(tx, id)
  const { head } = await findLogBounds(tx)
  const inserted = await tx.one(insertWebhook, {
    webhookId: id,
    slot,
    url: body.url,
    types: storedTypes(body.types),
    description: body.description ?? null,
    secret: secret.stored,
    position: head,
    now: context.now,
  })
  if (!inserted) throw new Stale(`slot ${slot} of the webhooks`)
  const row = await getWebhook(tx, { webhookId: id })
  await recordEvent(tx, context, { type: 'petstore.webhook.created', ...aboutWebhook(row) })
  return { ...webhookOf(row), secret: secret.plaintext }
}

/** Updates a webhook and returns it. Throws `validation_failed` for a different `id`. */
export async function updateWebhook(
  tx: Tx,
  { webhookId, body }: { webhookId: bigint; body: WebhookPatch },
  context: Context,
  before: WebhookRow,
): Promise<Webhook> {
  refuseOtherIds(body, { id: webhookId })
  const { url = before.url } = body
  const types = body.types === undefined ? before.types : storedTypes(body.types)
  const description = body.description === undefined ? before.description : body.description
  const enabled = body.enabled ?? before.enabled
  const isSame = url === before.url && types === before.types && description === before.description
  if (isSame && enabled === before.enabled) return webhookOf(before)
  const rewritten = await tx.one(rewriteWebhook, {
    webhookId,
    version: before.version,
    url,
    types,
    description,
    enabled: storedBoolean(enabled),
    disabledReason: enabled ? null : (before.disabledReason ?? 'asked'),
    now: context.now,
  })
  if (!rewritten) throw new Stale(`webhook ${webhookId}`)
  const row = webhookRow(rewritten)
  await recordEvent(tx, context, { type: 'petstore.webhook.updated', ...aboutWebhook(row) })
  return webhookOf(row)
}

/** Deletes a webhook. A sweep deletes its deliveries later. */
export async function deleteWebhook(
  tx: Tx,
  { webhookId }: { webhookId: bigint },
  context: Context,
  before: WebhookRow,
): Promise<undefined> {
  const removed = await tx.one(removeWebhook, { webhookId, version: before.version })
  if (!removed) throw new Stale(`webhook ${webhookId}`)
  const deleted = { ...before, version: removed.version + 1n }
  await recordEvent(tx, context, { type: 'petstore.webhook.deleted', ...aboutWebhook(deleted) })
  return undefined
}

/**
 * Replaces the secret of a webhook, and returns the webhook with the new secret. For 24 hours, deliveries are signed
 * with both the new and the previous secret. Throws `webhook_not_found`.
 */
export async function rotateWebhookSecret(
  tx: Tx,
  { webhookId }: { webhookId: bigint },
  context: Context,
): Promise<WebhookWithSecret> {
  const secret = givenSecret(context)
  const until = storedInstant(Date.parse(context.now) + OVERLAP_MS)
  const rewritten = await tx.one(replaceSecret, {
    webhookId,
    secret: secret.stored,
    previousUntil: until,
    now: context.now,
  })
  if (!rewritten) throw webhookNotFound(webhookId)
  const row = webhookRow(rewritten)
  await recordEvent(tx, context, { type: 'petstore.webhook.secret-rotated', ...aboutWebhook(row) })
  return { ...webhookOf(row), secret: secret.plaintext, previousSecretUntil: formatInstant(until) }
}

/**
 * Records a test event, which is sent to this webhook only, and returns its id. Throws `webhook_not_found`,
 * `webhook_disabled`.
 */
export async function sendTestEvent(
  tx: Tx,
  { webhookId }: { webhookId: bigint },
  context: Context,
): Promise<AcceptedTest> {
  const row = await getEnabledWebhook(tx, webhookId)
  return { eventId: String(await recordEvent(tx, context, { type: TEST_TYPE, ...aboutWebhook(row) })) }
}

/** Returns the row of an enabled webhook. Throws `webhook_not_found`, `webhook_disabled`. */
export async function getEnabledWebhook(reader: Reader, webhookId: bigint): Promise<WebhookRow> {
  const row = await getWebhook(reader, { webhookId })
  if (row.enabled) return row
  throw webhookDisabled(webhookId)
}

export function aboutWebhook(webhook: WebhookRow): EventSubject {
  const { id, version } = webhook
  return { subject: webhookSubject(id), subjectVersion: version, petId: null, data: webhookOf(webhook) }
}

export function webhookSubject(id: bigint): string {
  return `webhooks/${id}`
}

/** Returns the event types that are sent to a webhook. */
export function typesOf({ types }: Pick<WebhookRow, 'types'>): readonly EventType[] {
  return types === null ? eventTypes : storedNames(eventTypes, types)
}

export function webhookRow(webhook: StoredWebhook): WebhookRow {
  return { ...webhook, enabled: readBoolean(webhook.enabled) }
}

/** Returns the resource for a row, without the secret. */
export function webhookOf(row: WebhookRow): Webhook {
  const { id, url, types, description, enabled, disabledReason, failingSince, createdAt } = row
  return {
    id,
    url,
    ...(types !== null && { types: [...typesOf(row)] }),
    ...(description !== null && { description }),
    enabled,
    ...(disabledReason !== null && { disabledReason }),
    ...(failingSince !== null && { failingSince: formatInstant(failingSince) }),
    createdAt: formatInstant(createdAt),
  }
}

/** Concurrent commands begin their search at different slots. Throws `webhook_limit_reached`. */
async function findFreeSlot(tx: Tx, id: bigint): Promise<bigint> {
  const slotCount = BigInt(WEBHOOKS_MAX)
  const taken = new Set((await tx.many(findSlots)).map(({ slot }) => slot))
  for (let step = 0n; step < slotCount; step++) {
    const slot = ((id + step) % slotCount) + 1n
    if (!taken.has(slot)) return slot
  }
  throw webhookLimitReached()
}

function storedTypes(types: NewWebhook['types']): string | null {
  return types ? writeJson([...new Set(types)]) : null
}

function givenSecret({ secret }: Context): NewSecret {
  if (!secret) throw new Error('a command that creates a secret received none')
  return secret
}

const findAnyWebhook = sql<{ id: bigint }>()('SELECT id FROM webhook LIMIT 1')

/** Returns whether the store contains an encrypted secret: every webhook has one. */
export async function hasEncryptedSecret(reader: Reader): Promise<boolean> {
  return (await reader.one(findAnyWebhook)) !== undefined
}
