import { sql, type Tx } from '../engine/engine.ts'
import { StoreError } from '../model/error.ts'
import { storedInstant } from '../model/instant.ts'
import type { Context } from './context.ts'

/** An encoded answer: what goes out, and what is kept under an idempotency key. */
export interface Reply {
  readonly status: number
  readonly body: string | null
  readonly etag?: string
  /** The path of what was made, under the base address. */
  readonly location?: string
  /** The cursor of the next page, or the position that an endless list goes on after. */
  readonly next?: string
  readonly atHead?: boolean
  readonly replayed?: true
}

/** A key that the caller chose for one effect, and the SHA-256 of the request it belongs to, in hex. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

const KEPT_MS = 24 * 3_600_000
/** Rows that one sweep removes, at most: it shares the writer with everybody. */
const SWEPT_MAX = 1000

interface StoredReply {
  readonly fingerprint: string
  readonly status: bigint
  readonly body: string | null
  readonly etag: string | null
  readonly location: string | null
  readonly at: string
}

// The claim comes before the effect: the same key at the same time waits here for the first, then finds its reply.
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
 * Runs `effect` once for a key: its reply is stored in the same transaction, and a repeat within 24 hours gets it
 * byte for byte. A refusal (an exception) undoes the claim with everything else. Throws `idempotency_key_reused`.
 */
export async function once(
  tx: Tx,
  operation: string,
  { key, fingerprint }: Idempotency,
  context: Context,
  effect: () => Promise<Reply>,
): Promise<Reply> {
  const place = [String(context.caller.keyId), operation, key] as const
  if (!(await tx.one(claim, ...place, fingerprint, context.now))) {
    const stored = await tx.one(findReply, ...place)
    if (!stored) throw new Error('a reply is claimed and cannot be found')
    if (stored.at > expiredBefore(context.now)) return replay(stored, fingerprint)
    await tx.run(takeOver, ...place, fingerprint, context.now)
  }
  const reply = await effect()
  await tx.run(fill, ...place, BigInt(reply.status), reply.body, reply.etag ?? null, reply.location ?? null)
  return reply
}

/** Forgets replies older than 24 hours, a bounded number of them. Answers how many. */
export async function sweepReplies(tx: Tx, _: object, context: Context): Promise<number> {
  return tx.run(sweep, expiredBefore(context.now))
}

function replay(stored: StoredReply, fingerprint: string): Reply {
  if (stored.fingerprint !== fingerprint) {
    throw new StoreError(
      'idempotency_key_reused',
      'This Idempotency-Key was used before with another request.',
    )
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
  return storedInstant(Date.parse(now) - KEPT_MS)
}
