import { StoreError } from '../../contract/error.ts'

export function keyNotFound(keyId: bigint): StoreError {
  return new StoreError('key_not_found', `Key ${keyId} does not exist or was revoked.`, {
    subject: `keys/${keyId}`,
  })
}

/** The refusal of a code that is unknown, used or expired, or whose key is no longer valid: it does not say which. */
export function handoverNotFound(): StoreError {
  const message = 'The code was used, is older than ten minutes, or never existed.'
  return new StoreError('key_not_found', message)
}

export function lastAdminKey(keyId: bigint): StoreError {
  const message =
    `Key ${keyId} is the last admin key without an expiry. ` +
    'Create another one first, or replace it with "petstore keys reset-admin --revoke-others".'
  return new StoreError('last_admin_key', message, { subject: `keys/${keyId}` })
}

/**
 * The refusal of an action with a scope that the caller does not have. `action` uses "it" for the scope: `grant it`.
 */
export function beyondScope(scope: string, action: string): StoreError {
  return new StoreError('insufficient_scope', `A key without the scope ${scope} cannot ${action}.`, { scope })
}
