import { type UseQueryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Sandbox } from '../../client/petstore-client.ts'
import { type Changing, useChange } from './change.ts'
import { hostClient, isSandbox, sandboxId } from './host-api.ts'
import { isVisible } from './name-text.ts'
import { useCan, useSession } from './session-context.ts'

/** The number of characters that a short id has: enough to distinguish the sandboxes of one lesson. */
const SHORT_ID_CHARS = 6

export function sandboxQuery(key: string): UseQueryOptions<Sandbox> {
  return {
    queryKey: ['sandbox'],
    queryFn: async () => (await hostClient(key).getSandbox({ sandboxId })).data,
  }
}

/** Prepares a change of the sandbox, after which the data with a query key is read again. */
export function useControlChange(name: string, queryKey: string): Changing<unknown> {
  const queries = useQueryClient()
  return useChange<unknown>(name, { onDone: () => queries.invalidateQueries({ queryKey: [queryKey] }) })
}

/**
 * Returns the label of the sandbox, or the start of its id if it has no label or the key may not read it. Returns
 * undefined if the store is not a sandbox, and until the sandbox has been read.
 */
export function useSandboxName(): string | undefined {
  const { key } = useSession()
  const can = useCan()
  const { data, isLoading } = useQuery({
    ...sandboxQuery(key),
    enabled: isSandbox && can('admin'),
    // Each view asks for the name. After a refusal, the next views do not send the request again.
    retryOnMount: false,
  })
  if (!isSandbox || isLoading) return undefined
  const { label = '' } = data ?? {}
  return isVisible(label) ? label : sandboxId.slice(0, SHORT_ID_CHARS)
}
