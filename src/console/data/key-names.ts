import { useQuery } from '@tanstack/react-query'
import { useCan, useSession } from './session-context.ts'

const KEYS_MAX = 1000
const PAGE_MAX = 100
/** How long the names are used before they are read again, in milliseconds. No event reports a change of a key. */
const NAMES_FRESH_MS = 300_000

interface NamedKey {
  readonly name: string
  readonly isRevoked: boolean
}

/**
 * Returns at most `KEYS_MAX` keys by id, also revoked ones: the log has their changes. The map is empty if the key of
 * the session may not list keys.
 */
export function useKeyNames(): ReadonlyMap<bigint, NamedKey> {
  const { client } = useSession()
  const can = useCan()
  const { data = none } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: async () => {
      const keys = new Map<bigint, NamedKey>()
      for await (const { id, name, revokedAt } of client.listKeys({ include: 'revoked', limit: PAGE_MAX })) {
        if (keys.size === KEYS_MAX) break
        keys.set(id, { name, isRevoked: revokedAt !== undefined })
      }
      return keys
    },
    staleTime: NAMES_FRESH_MS,
    enabled: can('keys:manage'),
  })
  return data
}

const none: ReadonlyMap<bigint, NamedKey> = new Map()
