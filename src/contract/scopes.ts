/** The permissions that a key can have. */
export const scopeNames = [
  'pets:write',
  'orders:read',
  'orders:write',
  'orders:return',
  'inventory:read',
  'inventory:write',
  'events:read',
  'webhooks:manage',
  'keys:manage',
  'audit:read',
  'admin',
] as const
export type ScopeName = (typeof scopeNames)[number]

/** How long a key without `orders:return` may return what it sold itself, in milliseconds. */
export const OWN_RETURN_MS = 15 * 60_000

/**
 * Returns whether a key with some scopes has `scope`, directly or through a scope that includes it. `admin` includes
 * all scopes, and `keys:manage` includes `audit:read`.
 */
export function hasScope({ scopes }: { readonly scopes: readonly string[] }, scope: ScopeName): boolean {
  if (scopes.includes(scope) || scopes.includes('admin')) return true
  // The audit log required keys:manage before it had a scope of its own, so keys from that time keep their access.
  return scope === 'audit:read' && scopes.includes('keys:manage')
}
