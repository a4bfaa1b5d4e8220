import { hkdfSync } from 'node:crypto'
import type { Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { storedInstant } from '../../values/instant.ts'
import { makeSecretBox, SECRET_KEY_BYTES, type SecretBox } from '../../values/secret-box.ts'
import type { Context } from '../kernel/context.ts'
import type { CommandsOf } from '../kernel/handlers.ts'
import { keyHash } from './key-text.ts'
import type { handovers } from './operations.ts'
import { handoverNotFound } from './refusals.ts'
import type { HandedOverKey, HandoverCode } from './schema.ts'
import { isTokenValid } from './verbs.ts'

/** How long a code can be exchanged for its key, in milliseconds. */
const CODE_VALID_MS = 10 * 60_000
/** The maximum number of rows that one command of a sweep deletes. */
const SWEPT_MAX = 1000

const insertHandover = sql()(`
  INSERT INTO handover (hash, key_hash, encrypted_key, expires_at)
  VALUES ($hash, $handedOver, $encryptedKey, $expiresAt)`)

const deleteEarlier = sql()('DELETE FROM handover WHERE key_hash = $handedOver')

const takeHandover = sql<{ encryptedKey: string }>()(`
  DELETE FROM handover WHERE hash = $hash AND expires_at > $now RETURNING encrypted_key AS "encryptedKey"`)

const deleteExpired = sql()(`
  DELETE FROM handover WHERE hash IN
    (SELECT hash FROM handover WHERE expires_at <= $now ORDER BY expires_at LIMIT ${SWEPT_MAX})`)

/**
 * Keeps a key for ten minutes, encrypted under the returned code, and ends the codes of before for it. Throws
 * `key_not_found` unless the key is valid.
 */
async function handOverKey(
  tx: Tx,
  { body: { key } }: { body: HandedOverKey },
  { secret, now }: Context,
): Promise<HandoverCode> {
  if (!secret) throw new Error('handOverKey received no secret')
  if (!(await isTokenValid(tx, key, now))) throw handoverNotFound()
  const { plaintext: code, stored: hash } = secret
  const expiresAt = storedInstant(Date.parse(now) + CODE_VALID_MS)
  const handedOver = keyHash(key)
  await tx.run(deleteEarlier, { handedOver })
  await tx.run(insertHandover, { hash, handedOver, encryptedKey: boxOf(code).encrypt(key), expiresAt })
  return { code }
}

/**
 * Returns the key of a code, which is used up. Throws `key_not_found` if the code is unknown, used or expired, or if
 * its key is no longer valid.
 */
async function claimKey(
  tx: Tx,
  { body: { code } }: { body: HandoverCode },
  { now }: Context,
): Promise<HandedOverKey> {
  // The deletion comes first, and only its row has the key: of two claims, one gets no row.
  const row = await tx.one(takeHandover, { hash: keyHash(code), now })
  const key = row && boxOf(code).decrypt(row.encryptedKey)
  if (key === undefined || !(await isTokenValid(tx, key, now))) throw handoverNotFound()
  return { key }
}

/** Deletes up to 1,000 expired codes, and returns their number. */
export async function sweepHandovers(tx: Tx, _: object, { now }: Context): Promise<number> {
  return tx.run(deleteExpired, { now })
}

/** Returns the box of a code. The derived key reveals nothing of the hash that the store keeps, and the reverse. */
function boxOf(code: string): SecretBox {
  return makeSecretBox(new Uint8Array(hkdfSync('sha256', code, '', 'petstore handover', SECRET_KEY_BYTES)))
}

export const handoverCommands: CommandsOf<typeof handovers> = { handOverKey, claimKey }
