import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { readBoolean, sql, storedBoolean } from '../../database/statement.ts'
import { storedInstant } from '../../values/instant.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import type { Context } from '../kernel/context.ts'
import { recordEvent, type SequencedEvent, sequencedColumns } from '../log/recording.ts'
import type { DeliveryState } from './delivery-schema.ts'
import { aboutWebhook, type StoredWebhook, webhookColumns, webhookRow } from './verbs.ts'

/** The time of failing attempts after which a webhook is disabled. */
const FAILING_MAX_MS = 5 * DAY_MS
/**
 * The longest time between two failures that counts as trying: the longest delay of a retry is a day, and its jitter.
 * In a longer time, the store was off, or had nothing to send.
 */
const TRYING_GAP_MAX_MS = 27 * 3_600_000
/** A lease that ends later than this was stored by a clock that was wrong: leases are renewed every few seconds. */
const LEASE_MAX_MS = 10 * 60_000

/** A webhook that this process has leased, and its progress. */
export interface LeasedWebhook {
  readonly id: bigint
  readonly position: bigint
  /** Whether the creation event of the webhook has been read. */
  readonly seenCreation: boolean
  readonly createdAt: string
}

/** The columns of a webhook that its sender needs. The secrets are encrypted. */
export interface Receiver {
  readonly url: string
  readonly types: string | null
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: string | null
  readonly failures: bigint
}

/** A delivery that was attempted, and is to be attempted again. */
export interface PendingDelivery {
  readonly id: bigint
  readonly position: bigint
  readonly eventId: bigint
  readonly type: SequencedEvent['type']
  /** The number of ended attempts in the retry cycle, which starts with the first attempt or a redelivery request. */
  readonly cycleAttempts: bigint
  /** When the first attempt of the retry cycle began; null if none has ended. */
  readonly cycleStartedAt: string | null
  /** When the next attempt is due. */
  readonly nextAt: string
}

/** The outcome of one attempt. */
export interface AttemptOutcome {
  readonly event: { readonly id: bigint; readonly position: bigint; readonly type: string }
  /** The id of the delivery, and when this attempt was due; absent for the first attempt. */
  readonly deliveryId?: bigint
  readonly dueAt?: string
  /** The address of the attempt; absent if no request was sent. */
  readonly url?: string
  /** The number of attempts in the retry cycle, including this one; 0 if a host limit delays the first attempt. */
  readonly cycleAttempts: bigint
  readonly at: string
  readonly durationMs: bigint
  readonly status?: bigint
  readonly error?: string
  readonly reply?: string
  readonly state: DeliveryState
  readonly nextAt?: string
  /** The receiver responded that it is permanently gone (410). */
  readonly gone?: true
}

/** The outcomes of attempts to one webhook, and its progress after them. */
export interface Attempts {
  readonly webhookId: bigint
  readonly owner: string
  /** The progress of the webhook: every event up to this position has a delivery or needs none. */
  readonly position: bigint
  readonly seenCreation: boolean
  readonly outcomes: readonly AttemptOutcome[]
}

const leaseFree = sql()(`
  UPDATE webhook SET leased_by = $owner, leased_until = $until
  WHERE enabled = 1
    AND (leased_by IS NULL OR leased_by = $owner OR leased_until < $freeBefore OR leased_until > $farAhead)`)

const release = sql()('UPDATE webhook SET leased_by = NULL, leased_until = NULL WHERE leased_by = $owner')

const findFree = sql<{ id: bigint }>()(`
  SELECT id FROM webhook
  WHERE enabled = 1 AND (leased_by IS NULL OR leased_until < $now OR leased_until > $farAhead) LIMIT 1`)

const selectLeased = sql<Omit<LeasedWebhook, 'seenCreation'> & { readonly seenCreation: bigint }>()(`
  SELECT id, position, seen_creation AS "seenCreation", created_at AS "createdAt" FROM webhook
  WHERE enabled = 1 AND leased_by = $owner AND leased_until > $now`)

const findReceiver = sql<Receiver>()(`
  SELECT url, types, secret, previous_secret AS "previousSecret", previous_until AS "previousUntil", failures
  FROM webhook WHERE id = $webhookId AND enabled = 1 AND leased_by = $owner`)

const findPending = sql<PendingDelivery>()(`
  SELECT id, position, event_id AS "eventId", event_type AS "type", cycle_attempts AS "cycleAttempts",
    next_at AS "nextAt",
    (SELECT at FROM attempt WHERE delivery_id = delivery.id AND number = attempts - cycle_attempts + 1)
      AS "cycleStartedAt"
  FROM delivery WHERE webhook_id = $webhookId AND state = 'pending' ORDER BY next_at, id LIMIT 16`)

const findRecorded = sql<{ position: bigint }>()(
  'SELECT position FROM delivery WHERE webhook_id = $webhookId AND position > $after',
)

const findEvent = sql<SequencedEvent>()(`SELECT ${sequencedColumns} FROM event WHERE id = $eventId`)

const findLeased = sql<StoredWebhook & Omit<Failures, 'failingSince'>>()(
  `SELECT ${webhookColumns}, failures, last_failure_at AS "lastFailureAt", failing_ms AS "failingMs" FROM webhook
  WHERE id = $webhookId AND leased_by = $owner`,
)

const insertDelivery = sql<{ id: bigint; attempts: bigint }>()(`
  INSERT INTO delivery (id, webhook_id, position, event_id, event_type, state, attempts, cycle_attempts, next_at,
    created_at, updated_at)
  VALUES ($deliveryId, $webhookId, $position, $eventId, $eventType, $state, 1, $cycleAttempts, $nextAt, $at, $at)
  ON CONFLICT DO NOTHING RETURNING id, attempts`)

// If a redelivery request started a new retry cycle during the attempt, the state of the new cycle is kept.
const isSameCycle = 'cycle_attempts = $cycleAttempts AND next_at = $dueAt'
const settleDelivery = sql<{ id: bigint; attempts: bigint }>()(`
  UPDATE delivery SET state = CASE WHEN ${isSameCycle} THEN $state ELSE state END,
    next_at = CASE WHEN ${isSameCycle} THEN $nextAt ELSE next_at END,
    cycle_attempts = CASE WHEN ${isSameCycle} THEN $counted ELSE cycle_attempts END,
    attempts = attempts + 1, updated_at = $at
  WHERE id = $deliveryId RETURNING id, attempts`)

const insertAttempt = sql()(`
  INSERT INTO attempt (delivery_id, number, at, duration_ms, status, error, reply)
  VALUES ($deliveryId, $number, $at, $durationMs, $status, $error, $reply)`)

const advance = sql<StoredWebhook>()(`
  UPDATE webhook SET position = $position, seen_creation = $seenCreation, failures = $failures,
    failing_since = $failingSince, last_failure_at = $lastFailureAt, failing_ms = $failingMs,
    enabled = CASE WHEN $disabledReason = '' THEN enabled ELSE 0 END,
    disabled_reason = CASE WHEN $disabledReason = '' THEN disabled_reason ELSE $disabledReason END,
    version = version + CASE WHEN $disabledReason = '' THEN 0 ELSE 1 END
  WHERE id = $webhookId AND leased_by = $owner AND version = $version RETURNING ${webhookColumns}`)

/**
 * Renews the leases that `owner` holds, and acquires the lease of each enabled webhook whose lease is free, or ended
 * before `freeBefore`.
 */
export async function leaseWebhooks(
  tx: Tx,
  { owner, until, freeBefore }: { owner: string; until: string; freeBefore: string },
  { now }: Context,
): Promise<void> {
  await tx.run(leaseFree, { owner, until, freeBefore, farAhead: latestLeaseEnd(now) })
}

/** Releases the lease of every webhook that `owner` has leased. */
export async function releaseWebhooks(tx: Tx, { owner }: { owner: string }): Promise<void> {
  await tx.run(release, { owner })
}

/** The table whose changes can free the lease of a webhook. */
export const WEBHOOK_TABLE = 'webhook'

/** Returns whether the lease of any enabled webhook is free or has expired. */
export async function hasFreeWebhook(reader: Reader, now: string): Promise<boolean> {
  return (await reader.one(findFree, { now, farAhead: latestLeaseEnd(now) })) !== undefined
}

function latestLeaseEnd(now: string): string {
  return storedInstant(Date.parse(now) + LEASE_MAX_MS)
}

/** Returns whether a retry is due: its instant has come, or is so far ahead that a wrong clock must have stored it. */
export function isRetryDue(nextAt: string, nowMs: number): boolean {
  const waitMs = Date.parse(nextAt) - nowMs
  return waitMs <= 0 || waitMs > TRYING_GAP_MAX_MS
}

/** Returns the enabled webhooks whose leases `owner` holds at `now`. */
export async function leasedWebhooks(reader: Reader, owner: string, now: string): Promise<LeasedWebhook[]> {
  const leased = await reader.many(selectLeased, { owner, now })
  return leased.map(webhook => ({ ...webhook, seenCreation: readBoolean(webhook.seenCreation) }))
}

/** Returns the current receiver; undefined if the webhook is disabled, deleted or not leased by `owner`. */
export async function receiverOf(
  reader: Reader,
  webhookId: bigint,
  owner: string,
): Promise<Receiver | undefined> {
  return reader.one(findReceiver, { webhookId, owner })
}

/** Returns up to 16 pending deliveries of a webhook, in the order of their due times, which can be in the future. */
export async function pendingDeliveries(reader: Reader, webhookId: bigint): Promise<PendingDelivery[]> {
  return reader.many(findPending, { webhookId })
}

/** Returns the positions after `after` that already have a delivery. There are few such positions. */
export async function recordedPositions(reader: Reader, webhookId: bigint, after: bigint): Promise<bigint[]> {
  return (await reader.many(findRecorded, { webhookId, after })).map(({ position }) => position)
}

/** Returns the event of a delivery; undefined if it has been deleted. */
export async function eventOf(reader: Reader, eventId: bigint): Promise<SequencedEvent | undefined> {
  return reader.one(findEvent, { eventId })
}

/**
 * Stores the outcomes of attempts and the position of the webhook. Disables the webhook if its receiver is gone or
 * has failed for five days. The outcome of an address that the webhook had before says nothing about its receiver.
 * Writes nothing if `owner` does not hold the lease.
 */
export async function recordAttempts(tx: Tx, attempts: Attempts, context: Context): Promise<void> {
  const { webhookId, owner, position, seenCreation, outcomes } = attempts
  const found = await tx.one(findLeased, { webhookId, owner })
  if (!found) return
  const before = webhookRow(found)
  for (const outcome of outcomes) {
    const isOfAnother = outcome.url !== undefined && outcome.url !== found.url
    // The new address gets a retry cycle of its own for what the former one refused for good.
    const isRetried = isOfAnother && outcome.state === 'failed'
    const settled = isRetried
      ? { ...outcome, state: 'pending' as const, nextAt: context.now, counted: 0n }
      : { ...outcome, counted: outcome.cycleAttempts }
    await writeOutcome(tx, webhookId, settled)
  }
  const sent = outcomes.filter(({ url }) => url === found.url)
  const failing = failuresAfter(found, sent)
  const reason = before.enabled ? reasonToDisable(sent, failing) : ''
  const row = await tx.one(advance, {
    webhookId,
    owner,
    version: before.version,
    position,
    seenCreation: storedBoolean(seenCreation),
    ...failing,
    disabledReason: reason,
  })
  if (!row) throw new Stale(`webhook ${webhookId}`)
  if (reason === '') return
  // Every consumer of events gets this event, and everything after the host of a receiver's URL can be secret.
  const redacted = { ...webhookRow(row), url: new URL(row.url).origin }
  await recordEvent(tx, context, { type: 'petstore.webhook.disabled', ...aboutWebhook(redacted) })
}

/** Stores an outcome. `counted` is the number of attempts in the retry cycle from now on. */
async function writeOutcome(
  tx: Tx,
  webhookId: bigint,
  outcome: AttemptOutcome & { readonly counted: bigint },
): Promise<void> {
  const { event, deliveryId, dueAt = '', counted, state, at, durationMs, status, error, reply } = outcome
  const cycleAttempts = outcome.cycleAttempts - 1n
  const nextAt = outcome.nextAt ?? null
  const delivery =
    deliveryId === undefined
      ? await tx.one(insertDelivery, {
          deliveryId: await tx.nextId('delivery'),
          webhookId,
          position: event.position,
          eventId: event.id,
          eventType: event.type,
          state,
          cycleAttempts: counted,
          nextAt,
          at,
        })
      : await tx.one(settleDelivery, {
          deliveryId,
          dueAt,
          cycleAttempts,
          counted,
          state,
          nextAt,
          at,
        })
  // An earlier lease holder has recorded this event, or the delivery was deleted during the attempt.
  if (!delivery) return
  tx.write(insertAttempt, {
    deliveryId: delivery.id,
    number: delivery.attempts,
    at,
    durationMs,
    status: status ?? null,
    error: error ?? null,
    reply: reply ?? null,
  })
}

/** The consecutive failures of a receiver. All members but `failures` are null if there is none. */
interface Failures {
  readonly failures: bigint
  readonly failingSince: string | null
  readonly lastFailureAt: string | null
  /** The time for which attempts have failed, without the time in which nothing was attempted. */
  readonly failingMs: bigint | null
}

const NO_FAILURES: Failures = { failures: 0n, failingSince: null, lastFailureAt: null, failingMs: null }

function failuresAfter(before: Failures, outcomes: readonly AttemptOutcome[]): Failures {
  let { failures, failingSince, lastFailureAt, failingMs } = before
  for (const { state, at } of outcomes) {
    if (state === 'delivered') {
      ;({ failures, failingSince, lastFailureAt, failingMs } = NO_FAILURES)
      continue
    }
    const gapMs = lastFailureAt === null ? 0 : Date.parse(at) - Date.parse(lastFailureAt)
    failures += 1n
    failingSince ??= at
    failingMs = (failingMs ?? 0n) + BigInt(Math.min(Math.max(gapMs, 0), TRYING_GAP_MAX_MS))
    lastFailureAt = at
  }
  return { failures, failingSince, lastFailureAt, failingMs }
}

function reasonToDisable(
  outcomes: readonly AttemptOutcome[],
  { failingMs }: Failures,
): 'gone' | 'failing' | '' {
  if (outcomes.some(({ gone }) => gone)) return 'gone'
  return outcomes.length > 0 && (failingMs ?? 0n) >= FAILING_MAX_MS ? 'failing' : ''
}
