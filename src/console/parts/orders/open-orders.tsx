import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../data/session-context.ts'
import { t } from '../../words/sentences.tsx'
import { Panel } from '../generic/panel.tsx'
import { formatInstant, formatUnits } from '../names/format.ts'
import { OrderLink } from '../names/names.tsx'
import { OverdueBadge } from '../pets/status.tsx'

const ORDERS_MAX = 10

/** The newest open orders of a pet. Shows nothing if there are none. */
export function OpenOrders({ petId }: { readonly petId: bigint }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['orders', 'open', petId],
    queryFn: async () =>
      (await client.listOrders({ petId: [petId], complete: false, sort: '-id', limit: ORDERS_MAX })).data,
  })
  if (!data || data.items.length === 0) return null
  return (
    <Panel title={t('Open orders')}>
      <Stack gap="xs">
        {data.items.map(({ id, quantity, shipDate, reference }) => (
          <Group key={String(id)} gap="sm">
            <Text size="sm">
              <OrderLink id={id} />
            </Text>
            <Text size="sm">{formatUnits(quantity)}</Text>
            {shipDate && <Text size="sm">{t('ships {day}', { day: formatInstant(shipDate) })}</Text>}
            <OverdueBadge shipDate={shipDate} />
            {reference && (
              <Text size="sm" c="dimmed" className="name">
                {reference}
              </Text>
            )}
          </Group>
        ))}
        {data.next !== undefined && (
          <Text size="sm" c="dimmed">
            {t('Older orders are not listed here.')}
          </Text>
        )}
      </Stack>
    </Panel>
  )
}
