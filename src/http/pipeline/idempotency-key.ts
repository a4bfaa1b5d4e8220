import type { Operation } from '../../contract/operation.ts'
import { idempotencyKeyInvalid, idempotencyKeyRefused } from '../../contract/refusals.ts'
import type { Idempotency } from '../../shop/kernel/idempotency.ts'
import type { RequestContext } from '../request/request-context.ts'

const BARE = /^[\x21\x23-\x7e]{1,255}$/
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/
/** The start of a parameter (RFC 9651, section 3.1.2): its name. */
const NAME = /;\x20*[a-z*][a-z0-9_\-.*]*/y
/** The value of a parameter: a string, a display string, or anything without quotes. */
const VALUE =
  /=(?:"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|%"(?:[ !#$&-~]|%[0-9a-f]{2})*"|[\w!#$%&'*+\-.:=/?@^`|~]+)/y

/**
 * Returns the key in Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07) and the fingerprint of the request;
 * undefined without the header. The key is an RFC 9651 string, or unquoted. The fingerprint is the SHA-256 of path,
 * query and body. Throws `idempotency_key_invalid`, and `idempotency_key_refused` if the response contains a secret.
 */
export function readIdempotencyKey(
  operation: Operation,
  { request, path, query }: RequestContext,
  body: Uint8Array,
): Idempotency | undefined {
  const field = request.headers.get('idempotency-key')
  if (field === null) return undefined
  if (operation.secret) {
    throw idempotencyKeyRefused()
  }
  const key = keyIn(field.trim())
  if (key === undefined) {
    throw idempotencyKeyInvalid()
  }
  const fingerprint = new Bun.CryptoHasher('sha256').update(`${path}?${query}\n`).update(body).digest('hex')
  return { key, fingerprint }
}

function keyIn(field: string): string | undefined {
  if (BARE.test(field)) return field
  const [item = '', text] = QUOTED.exec(field) ?? []
  const key = text?.replaceAll(/\\(["\\])/g, '$1')
  if (key === undefined || key.length < 1 || key.length > 255) return undefined
  return areParameters(field.slice(item.length)) ? key : undefined
}

/** Returns whether a text is a list of parameters, or empty. The store ignores the parameters of this header. */
function areParameters(text: string): boolean {
  let end = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = end
    if (!pattern.test(text)) return false
    end = pattern.lastIndex
    return true
  }
  while (end < text.length) {
    if (!skip(NAME)) return false
    if (text[end] === '=' && !skip(VALUE)) return false
  }
  return true
}
