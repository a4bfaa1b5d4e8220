import { Alert, Card, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFeed } from '../data/live.ts'
import { useCan, useSession } from '../data/store.ts'
import { formatAge, formatCount } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { Refusal } from '../parts/refusal.tsx'

export function Dashboard() {
  const can = useCan()
  return (
    <Page title="Dashboard">
      {can('orders:read') ? <Totals /> : <Alert>This key may not read orders, so there are no totals.</Alert>}
      {can('events:read') && <Feed />}
    </Page>
  )
}

function Totals() {
  const { client } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['summary'],
    queryFn: async () =>
      (await client.getStoreSummary({}, { headers: { 'Petstore-Preview': 'store-summary' } })).data,
  })
  if (error) return <Refusal error={error} onRetry={() => void refetch()} />
  const totals: [label: string, count: bigint | undefined][] = [
    ['Available', data?.pets.available],
    ['Pending', data?.pets.pending],
    ['Sold', data?.pets.sold],
    ['Open orders', data?.openOrders],
    ['Units on hand', data?.unitsOnHand],
    ['Units reserved', data?.unitsReserved],
  ]
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      {totals.map(([label, count]) => (
        <Card key={label} withBorder>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          {count === undefined ? (
            <Skeleton height={36} width={80} />
          ) : (
            <Title order={2}>{formatCount(count)}</Title>
          )}
        </Card>
      ))}
    </SimpleGrid>
  )
}

function Feed() {
  const events = useFeed()
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        Live events
      </Title>
      <Stack gap="xs" aria-live="polite">
        {events.length === 0 && <Text c="dimmed">Changes appear here as they happen.</Text>}
        {events.map(({ id, type, subject, time }) => (
          <Group key={id} justify="space-between" wrap="nowrap">
            <Text size="sm" className="name">
              {type.replace('petstore.', '')} · {subject}
            </Text>
            <Text size="xs" c="dimmed">
              {formatAge(time)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}
