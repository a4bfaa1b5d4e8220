import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../data/session-context.ts'
import { PetLink } from '../../parts/events/names.tsx'
import { formatUnits } from '../../parts/generic/format.ts'
import { Panel } from '../../parts/generic/panel.tsx'
import { Refusal } from '../../parts/generic/refusal.tsx'
import { ViewLink } from '../../parts/generic/view-link.tsx'
import { StatusBadge, unsoldStatuses } from '../../parts/pets/status.tsx'

/** A pet with at most this number of units in stock has low stock. */
const LOW_STOCK_MAX = 2
const ROWS_MAX = 8

/** The pets to restock first. Sold pets are left out: most shops sell each animal once. */
export function LowStock() {
  const { client } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['inventory', 'low'],
    queryFn: async () =>
      (
        await client.listInventory({
          quantityAtMost: LOW_STOCK_MAX,
          status: unsoldStatuses,
          limit: ROWS_MAX,
        })
      ).data.items,
  })
  const link = (
    <ViewLink href={`/inventory?status=unsold&atMost=${LOW_STOCK_MAX}`} size="sm">
      See all
    </ViewLink>
  )
  return (
    <Panel title={`Low stock (${LOW_STOCK_MAX} units or fewer)`} link={link}>
      <Stack gap="xs">
        {error && <Refusal error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={ROWS_MAX * 30} />}
        {data?.length === 0 && (
          <Text size="sm" c="dimmed">
            Every pet that is not sold has more than {LOW_STOCK_MAX} units in stock.
          </Text>
        )}
        {data?.map(item => (
          <Group key={String(item.petId)} justify="space-between" wrap="nowrap">
            <Text size="sm" className="name" lineClamp={2}>
              <PetLink id={item.petId} />
            </Text>
            <Group gap="sm" wrap="nowrap">
              <StatusBadge {...item} />
              <Text size="sm" className="number" miw={56}>
                {formatUnits(item.quantity)}
              </Text>
            </Group>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
