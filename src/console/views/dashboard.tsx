import { Alert, SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCan, useSession } from '../data/session-context.ts'
import { today } from '../data/shop-clock.ts'
import { Figure } from '../parts/generic/figure.tsx'
import { Page } from '../parts/generic/page.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { OverdueOrders } from '../parts/orders/overdue-orders.tsx'
import { t } from '../words/sentences.tsx'
import { Backup } from './dashboard/backup.tsx'
import { EventFeed } from './dashboard/event-feed.tsx'
import { OrdersByDayPanel } from './dashboard/orders-by-day-panel.tsx'
import { StartHere } from './dashboard/start-here.tsx'
import { StockByStatusPanel } from './dashboard/stock-by-status-panel.tsx'
import { ToReorder } from './dashboard/to-reorder.tsx'

export function Dashboard() {
  const can = useCan()
  return (
    <Page title={t('Dashboard')}>
      <StartHere />
      <Backup isDue />
      {can('orders:read') ? (
        <Totals />
      ) : (
        <Alert>{t('Your key may not read orders, so there are no totals and no charts.')}</Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <ToReorder />
        {can('events:read') && <EventFeed />}
      </SimpleGrid>
      <Backup isDue={false} />
    </Page>
  )
}

function Totals() {
  const { client } = useSession()
  const { data, error, refetch } = useQuery({
    // The last day of the chart is today.
    queryKey: ['summary', today.use()],
    queryFn: async () =>
      (await client.getStoreSummary({}, { headers: { 'Petstore-Preview': 'store-summary' } })).data,
  })
  const refusal = <Refusal error={error} onRetry={() => void refetch()} />
  if (error && !data) return refusal
  return (
    <>
      {refusal}
      <OverdueOrders />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        <Figure label={t('Pets available')} count={data?.pets.available} />
        <Figure label={t('Pets set aside')} count={data?.pets.pending} />
        <Figure label={t('Pets sold')} count={data?.pets.sold} />
        <Figure label={t('Open orders')} count={data?.openOrders} />
        <Figure label={t('Units in stock')} count={data?.unitsOnHand} />
        <Figure label={t('Units reserved')} count={data?.unitsReserved} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <StockByStatusPanel pets={data?.pets} />
        <OrdersByDayPanel days={data?.ordersByDay} />
      </SimpleGrid>
    </>
  )
}
