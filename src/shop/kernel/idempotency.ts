import { StoreError } from '../../contract/error.ts'
import { idempotencyKeyReused } from '../../contract/refusals.ts'
import { Stale, type Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { storedInstant } from '../../values/instant.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import type { Context } from './context.ts'
import { SWEPT_MAX } from './limits.ts'

/** An encoded response, as it is sent, and as it is stored under an idempotency key. */
export interface Reply {
  readonly status: number
  readonly body: string | null
  readonly etag?: string
  /** The path of the created resource, under the base URL. */
  readonly location?: string
  /** The cursor of the next page; for the feed, the position after which to continue. */
  readonly next?: string
  readonly isAtHead?: boolean
  readonly isReplayed?: true
}

/** A key that the caller chose for one effect, and the fingerprint of the request: a SHA-256 in hex. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

const REPLY_RETENTION_MS = DAY_MS

interface StoredReply {
  readonly fingerprint: string
  readonly status: bigint
  readonly body: string | null
  readonly etag: string | null
  readonly location: string | null
}

const findReply = sql<StoredReply>()(`
  SELECT fingerprint, status, body, etag, location FROM reply
  WHERE owner = $owner AND operation = $operation AND idempotency_key = $key`)

// Of two concurrent requests with one key, the second one fails here with a conflict. It runs again, and finds the
// reply.
const storeReply = sql()(`
  INSERT INTO reply (owner, operation, idempotency_key, fingerprint, status, body, etag, location, at)
  VALUES ($owner, $operation, $key, $fingerprint, $status, $body, $etag, $location, $now)`)

const sweep = sql()(`
  DELETE FROM reply WHERE (owner, operation, idempotency_key) IN
    (SELECT owner, operation, idempotency_key FROM reply WHERE at < $before ORDER BY at LIMIT ${SWEPT_MAX})`)

/**
 * Runs `effect` once per key and returns its reply, which is stored in the same transaction. A repeated request
 * gets the stored reply, byte for byte, until a sweep deletes it after 24 hours: if the clock decided here, a wrong one
 * would repeat an effect. A refusal is not stored. Throws `idempotency_key_reused` if the key was used for a request
 * with another fingerprint.
 */
export async function withIdempotencyKey(
  tx: Tx,
  operation: string,
  { key, fingerprint }: Idempotency,
  context: Context,
  effect: () => Promise<Reply>,
): Promise<Reply> {
  const { now, caller } = context
  const owner = String(caller.keyId)
  const stored = await tx.one(findReply, { owner, operation, key })
  if (stored) return replay(stored, fingerprint)
  const reply = await effect().catch(async refusal => {
    // A request with the same key may have committed since the lookup: its effect is then the reason of the refusal.
    // What was written before the refusal must not be committed, so the command runs again, and finds the reply.
    const isEffected = refusal instanceof StoreError && (await tx.one(findReply, { owner, operation, key }))
    throw isEffected ? new Stale(`idempotency key of ${operation}`) : refusal
  })
  const { status, body, etag = null, location = null } = reply
  tx.write(storeReply, {
    owner,
    operation,
    key,
    fingerprint,
    status: BigInt(status),
    body,
    etag,
    location,
    now,
  })
  return reply
}

/** Deletes up to 1,000 replies that are older than 24 hours, and returns their number. */
export async function sweepReplies(tx: Tx, _: object, context: Context): Promise<number> {
  return tx.run(sweep, { before: storedInstant(Date.parse(context.now) - REPLY_RETENTION_MS) })
}

function replay(stored: StoredReply, fingerprint: string): Reply {
  if (stored.fingerprint !== fingerprint) throw idempotencyKeyReused()
  return {
    status: Number(stored.status),
    body: stored.body,
    ...(stored.etag !== null && { etag: stored.etag }),
    ...(stored.location !== null && { location: stored.location }),
    isReplayed: true,
  }
}
