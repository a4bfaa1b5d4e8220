import { useQuery } from '@tanstack/react-query'
import { useCan, useSession } from './session-context.ts'

const CHANGES_MAX = 100

interface PastNameInput {
  readonly resource: 'pets' | 'categories'
  readonly id: bigint
  /** The position in the log at which the name is asked for; the last name if it is absent. */
  readonly at?: bigint | undefined
  readonly enabled: boolean
}

/**
 * Returns the name of a pet or a category at a position of the log: that in the last change before. It is undefined if
 * it is not among the changes that one read of the log finds, or if the key of the session may not read the log.
 */
export function usePastName({ resource, id, at, enabled }: PastNameInput): string | undefined {
  const { client } = useSession()
  const can = useCan()
  const { data } = useQuery({
    queryKey: [resource, 'past names', id],
    queryFn: async () => {
      const { data: page } = await client.listAudit({ subject: `${resource}/${id}`, limit: CHANGES_MAX })
      return page.items.flatMap(({ position, data: changed }) =>
        'name' in changed ? [{ position, name: changed.name }] : [],
      )
    },
    enabled: enabled && can('audit:read'),
  })
  return data?.find(({ position }) => at === undefined || position <= at)?.name
}
