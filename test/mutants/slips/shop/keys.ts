import type { Slips } from '../../slip.ts'

export const keySlips: Slips = {
  'src/shop/keys/verbs.ts': [
    {
      before: `(expiresAt === null || expiresAt > now),`,
      after: `expiresAt === null,`,
      breaks: 'a start adds an admin key that never expires, although an admin key that expires is valid',
      tests: ['test/cli/admin-key.test.ts: a start adds an admin key only if no admin key is valid'],
    },
    {
      before: `if (key.expiresAt !== null && key.expiresAt <= now) throw expiredKey()`,
      after: `if (key.expiresAt !== null && key.expiresAt < now) throw expiredKey()`,
      breaks: 'a key works at the instant of its expiry',
      tests: ['test/shop/keys.test.ts: a key is refused from the instant of its expiry'],
    },
    {
      before: `  if (!requested) return latest ?? null`,
      after: `  if (!requested) return null`,
      breaks: 'a key that expires creates a key that never expires',
      tests: ['test/shop/keys.test.ts: a key that expires cannot create a key that expires later'],
    },
    {
      before: `if (latest === undefined || expiresAt <= latest) return expiresAt`,
      after: `if (latest === undefined || expiresAt < latest) return expiresAt`,
      breaks: 'a key cannot create a key that expires with it',
      tests: ['test/shop/keys.test.ts: a key that expires cannot create a key that expires later'],
    },
    {
      before: `if (expiresAt <= now) throw wrongExpiry`,
      after: `if (expiresAt < now) throw wrongExpiry`,
      breaks: 'a key is created that has already expired',
      tests: ['test/shop/keys.test.ts: a key cannot be created that expires at the instant'],
    },
    {
      before: `  return expiresAt === null && readScopes(scopes).includes('admin')`,
      after: `  return readScopes(scopes).includes('admin')`,
      breaks: 'the last admin key is revoked because another one has not expired yet',
      tests: [
        'test/shop/keys.test.ts: the last admin key without an expiry cannot be revoked, whatever other keys there are',
      ],
    },
    {
      before: `  if (beyond) throw beyondScope(beyond, 'revoke a key that has it')\n`,
      after: ``,
      breaks: 'a key revokes keys that may do more than itself',
      tests: ['test/shop/keys.test.ts: a key cannot revoke a key that has a scope'],
    },
    {
      before: `key !== undefined && (key.expiresAt === null || key.expiresAt > now)`,
      after: `key !== undefined && (key.expiresAt === null || key.expiresAt !== now)`,
      breaks: 'the stream of an expired key continues',
      tests: ['test/http/events/stream.test.ts: the stream of an expired key ends soon after the expiry'],
    },
    {
      before: `expiresAt === null && revokedAt === null) return true`,
      after: `expiresAt === null) return true`,
      breaks: 'a revoked admin key of the environment stays revoked, and nobody can administer the store',
      tests: [
        'test/cli/environment-key.test.ts: a key that was revoked several times works again if it is in PETSTORE_ADMIN_KEY',
      ],
    },
    {
      before: `WHERE made_by = 'environment' AND hash <> $hash AND revoked_at IS NULL`,
      after: `WHERE made_by <> 'key' AND hash <> $hash AND revoked_at IS NULL`,
      breaks: 'an admin key in the environment revokes the key of the first start',
      tests: ['test/shop/keys.test.ts: a new admin key of the environment'],
    },
  ],
}
