import { sql, type Tx } from '../engine/engine.ts'
import { storedInstant } from '../model/instant.ts'
import { idempotencyKeyReused } from '../model/refusals.ts'
import type { Context } from './context.ts'

/** An encoded response: what is sent, and what is stored under an idempotency key. */
export interface Reply {
  readonly status: number
  readonly body: string | null
  readonly etag?: string
  /** The path of the created resource, under the base URL. */
  readonly location?: string
  /** The cursor of the next page, or the position after which an endless list continues. */
  readonly next?: string
  readonly atHead?: boolean
  readonly replayed?: true
}

/** A key that the caller chose for one effect, and the SHA-256 of its request, in hex. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

const REPLY_RETENTION_MS = 24 * 3_600_000
/** The maximum number of rows that one sweep deletes: it shares the writer with all other commands. */
const SWEPT_MAX = 1000

interface StoredReply {
  readonly fingerprint: string
  readonly status: bigint
  readonly body: string | null
  readonly etag: string | null
  readonly location: string | null
  readonly at: string
}

// The claim comes before the effect. A concurrent request with the same key waits here, then finds the reply.
const claim = sql<{ status: bigint }>(`
  INSERT INTO reply (owner, operation, idempotency_key, fingerprint, status, body, etag, location, at)
  VALUES ($1, $2, $3, $4, 0, NULL, NULL, NULL, $5) ON CONFLICT DO NOTHING RETURNING status`)

const findReply = sql<StoredReply>(`
  SELECT fingerprint, status, body, etag, location, at FROM reply
  WHERE owner = $1 AND operation = $2 AND idempotency_key = $3`)

const takeOver = sql(`
  UPDATE reply SET fingerprint = $4, status = 0, body = NULL, etag = NULL, location = NULL, at = $5
  WHERE owner = $1 AND operation = $2 AND idempotency_key = $3`)

const fill = sql(`
  UPDATE reply SET status = $4, body = $5, etag = $6, location = $7
  WHERE owner = $1 AND operation = $2 AND idempotency_key = $3`)

const sweep = sql(`
  DELETE FROM reply WHERE (owner, operation, idempotency_key) IN
    (SELECT owner, operation, idempotency_key FROM reply WHERE at < $1 ORDER BY at LIMIT ${SWEPT_MAX})`)

/**
 * Runs `effect` once per key. Its reply is stored in the same transaction, and a repeat within 24 hours gets it byte
 * for byte. An exception rolls back the claim with everything else. Throws `idempotency_key_reused`.
 */
export async function withIdempotencyKey(
  tx: Tx,
  operation: string,
  { key, fingerprint }: Idempotency,
  context: Context,
  effect: () => Promise<Reply>,
): Promise<Reply> {
  const place = [String(context.caller.keyId), operation, key] as const
  if (!(await tx.one(claim, ...place, fingerprint, context.now))) {
    const stored = await tx.one(findReply, ...place)
    if (!stored) throw new Error('a reply is claimed but cannot be found')
    if (stored.at > expiredBefore(context.now)) return replay(stored, fingerprint)
    await tx.run(takeOver, ...place, fingerprint, context.now)
  }
  const reply = await effect()
  await tx.run(fill, ...place, BigInt(reply.status), reply.body, reply.etag ?? null, reply.location ?? null)
  return reply
}

/** Deletes replies older than 24 hours, a bounded number per call. Returns their number. */
export async function sweepReplies(tx: Tx, _: object, context: Context): Promise<number> {
  return tx.run(sweep, expiredBefore(context.now))
}

function replay(stored: StoredReply, fingerprint: string): Reply {
  if (stored.fingerprint !== fingerprint) {
    throw idempotencyKeyReused()
  }
  return {
    status: Number(stored.status),
    body: stored.body,
    ...(stored.etag !== null && { etag: stored.etag }),
    ...(stored.location !== null && { location: stored.location }),
    replayed: true,
  }
}

function expiredBefore(now: string): string {
  return storedInstant(Date.parse(now) - REPLY_RETENTION_MS)
}
