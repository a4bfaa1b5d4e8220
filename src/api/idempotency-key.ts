import type { Operation } from '../contract/operation.ts'
import { StoreError } from '../model/error.ts'
import type { Idempotency } from '../shop/replies.ts'
import type { Exchange } from './exchange.ts'

const BARE = /^[\x21\x23-\x7e]{1,255}$/
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/**
 * Reads Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07), quoted as an RFC 8941 string or bare, and
 * takes the fingerprint of the request: SHA-256 of path, query and body.
 * Throws `idempotency_key_invalid`, `idempotency_key_refused`.
 */
export function readIdempotencyKey(
  operation: Operation,
  { request, path, query }: Exchange,
  body: Uint8Array,
): Idempotency | undefined {
  const field = request.headers.get('idempotency-key')
  if (field === null) return undefined
  if (operation.secret) {
    throw new StoreError(
      'idempotency_key_refused',
      'The reply of this operation holds a secret, which is never stored: leave the Idempotency-Key out.',
    )
  }
  const key = keyIn(field.trim())
  if (key === undefined) {
    throw new StoreError(
      'idempotency_key_invalid',
      'Idempotency-Key must be 1 to 255 printable ASCII characters, in double quotes or bare.',
    )
  }
  const fingerprint = new Bun.CryptoHasher('sha256').update(`${path}?${query}\n`).update(body).digest('hex')
  return { key, fingerprint }
}

function keyIn(field: string): string | undefined {
  if (BARE.test(field)) return field
  const key = QUOTED.exec(field)?.[1]?.replaceAll(/\\(["\\])/g, '$1')
  return key !== undefined && key.length >= 1 && key.length <= 255 ? key : undefined
}
