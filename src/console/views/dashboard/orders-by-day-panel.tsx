import { Center, Text } from '@mantine/core'
import type { OrdersOnDay } from '../../../client/petstore-client.ts'
import { takingsOf } from '../../data/sale-lines.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { shopZone } from '../../data/shop-zone.ts'
import { ChartPlace, lazyChart } from '../../parts/generic/chart.tsx'
import { Panel } from '../../parts/generic/panel.tsx'
import { formatDay } from '../../parts/names/format.ts'
import { countText, t } from '../../words/sentences.tsx'

const OrdersByDay = lazyChart(async () => (await import('../../charts/orders-by-day.tsx')).OrdersByDay)

const CHART_PX = 220

interface OrdersByDayPanelProps {
  /** Undefined while the numbers are loading. */
  readonly days: readonly OrdersOnDay[] | undefined
}

/**
 * The takings of each of the last 30 days, if there were any. Otherwise the number of orders placed on each of them,
 * without cancelled ones.
 */
export function OrdersByDayPanel({ days }: OrdersByDayPanelProps) {
  const hasAmounts =
    days?.some(({ amount = 0n, returnedAmount = 0n }) => amount + returnedAmount > 0n) ?? false
  return (
    <Panel
      title={hasAmounts ? t('Takings per day') : t('Orders per day')}
      link={
        <Text size="sm" c="dimmed">
          {t('Days of {zone}', { zone: shopZone })}
        </Text>
      }
    >
      {!hasAmounts && days?.every(({ orders }) => orders === 0n) ? (
        <Center h={CHART_PX}>
          <Text size="sm" c="dimmed" ta="center">
            {t(
              'No orders in the last {days} days. An order appears on the day on which it was placed, unless it was cancelled.',
              { days: String(days.length) },
            )}
          </Text>
        </Center>
      ) : (
        <ChartPlace
          label={days ? summaryOf(days, hasAmounts) : t('Orders per day are loading')}
          height={CHART_PX}
        >
          {days && <OrdersByDay days={days} hasAmounts={hasAmounts} height={CHART_PX} />}
        </ChartPlace>
      )}
    </Panel>
  )
}

function summaryOf(days: readonly OrdersOnDay[], hasAmounts: boolean): string {
  const values = days.map(({ day, orders, amount = 0n, returnedAmount = 0n }) => ({
    day,
    value: hasAmounts ? takingsOf({ amount, returnedAmount }) : orders,
  }))
  const total = values.reduce((sum, { value }) => sum + value, 0n)
  const shown = values
    .filter(({ value }) => value !== 0n)
    .map(({ day, value }) => `${formatDay(day)}: ${hasAmounts ? formatMoney(value) : value}`)
  const what = hasAmounts
    ? t('Takings of {amount}', { amount: formatMoney(total) })
    : countText(total, '{count} order', '{count} orders')
  return t('{what} in the last {days} days. {values}.', {
    what,
    days: String(days.length),
    values: shown.join(', '),
  })
}
