import { useQuery } from '@tanstack/react-query'
import { useCan, useSession } from './session-context.ts'

const KEYS_MAX = 100
/** How long the names are used before they are read again, in milliseconds. No event reports a change of a key. */
const NAMES_FRESH_MS = 300_000

/**
 * Returns the names of at most `KEYS_MAX` keys by id. The map is empty if the key of the session may not list keys.
 */
export function useKeyNames(): ReadonlyMap<bigint, string> {
  const { client } = useSession()
  const can = useCan()
  const { data = none } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: async () => {
      const { items } = (await client.listKeys({ limit: KEYS_MAX })).data
      return new Map(items.map(({ id, name }) => [id, name]))
    },
    staleTime: NAMES_FRESH_MS,
    enabled: can('keys:manage'),
  })
  return data
}

const none: ReadonlyMap<bigint, string> = new Map()
