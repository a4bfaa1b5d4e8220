import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../data/session-context.ts'
import { today } from '../../data/shop-clock.ts'
import { startOfDay } from '../../data/shop-zone.ts'
import { rich, t } from '../../words/sentences.tsx'
import { formatDate, formatUnits } from '../names/format.ts'
import { OrderLink, PetLink } from '../names/names.tsx'

const SHOWN_MAX = 5
const RED_BAR = '6px solid var(--mantine-color-red-filled)'

/** The reservations that should have been collected before today, the oldest first. Shows nothing if there are none. */
export function OverdueOrders() {
  const { client } = useSession()
  const day = today.use()
  const { data } = useQuery({
    queryKey: ['orders', 'overdue', day],
    queryFn: async () =>
      (await client.listOrders({ complete: false, shipDateBefore: startOfDay(day), limit: SHOWN_MAX })).data,
  })
  if (!data || data.items.length === 0) return null
  return (
    <Alert
      variant="default"
      role="status"
      style={{ borderInlineStart: RED_BAR }}
      title={t('⚠ Overdue: not collected in time')}
    >
      <Stack gap={4}>
        {data.items.map(({ id, petId, quantity, reference, shipDate = '' }) => (
          <Text key={String(id)} size="sm" className="name sentence">
            {rich(
              reference === undefined
                ? '{order}: {units} of {pet}, until {day}.'
                : '{order} for {customer}: {units} of {pet}, until {day}.',
              {
                order: <OrderLink id={id} />,
                customer: reference,
                units: formatUnits(quantity),
                pet: <PetLink id={petId} />,
                day: formatDate(Date.parse(shipDate)),
              },
            )}
          </Text>
        ))}
        {data.next !== undefined && (
          <Text size="sm">{t('There are more, which are overdue since a later day.')}</Text>
        )}
      </Stack>
    </Alert>
  )
}
