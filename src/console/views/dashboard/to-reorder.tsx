import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../data/session-context.ts'
import { Panel } from '../../parts/generic/panel.tsx'
import { formatCount, formatUnits } from '../../parts/names/format.ts'
import { PetLink } from '../../parts/names/names.tsx'
import { Refusal } from '../../parts/names/refusal.tsx'

import { ViewLink } from '../../parts/names/view-link.tsx'
import { rich, t } from '../../words/sentences.tsx'

const ROWS_MAX = 8

/** The pets at or below the level at which they should be reordered, the lowest quantity first. */
export function ToReorder() {
  const { client } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['inventory', 'to reorder'],
    queryFn: async () => (await client.listInventory({ toReorder: true, limit: ROWS_MAX })).data.items,
  })
  const link = (
    <ViewLink href="/inventory?toReorder=true" size="sm">
      {t('See all')}
    </ViewLink>
  )
  return (
    <Panel title={t('To reorder')} link={link}>
      <Stack gap="xs">
        {error && <Refusal error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={ROWS_MAX * 30} />}
        {data?.length === 0 && (
          <Text size="sm" c="dimmed">
            {rich(
              'No pet is at or below its level. To give a pet a level, choose “Reorder at” on its page or in {inventory}.',
              {
                inventory: (
                  <ViewLink href="/inventory" underline="always">
                    {t('Inventory')}
                  </ViewLink>
                ),
              },
            )}
          </Text>
        )}
        {data?.map(({ petId, quantity, reorderAt = 0n }) => (
          <Group key={String(petId)} justify="space-between" wrap="nowrap">
            <Text size="sm" className="name" lineClamp={2}>
              <PetLink id={petId} />
            </Text>
            <Text size="sm" className="number">
              {t('{units} (level {level})', { units: formatUnits(quantity), level: formatCount(reorderAt) })}
            </Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
