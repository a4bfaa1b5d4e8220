import { BarChart } from '@mantine/charts'
import type { OrdersOnDay } from '../../client/petstore-client.ts'
import { formatCount, formatDay } from '../parts/format.ts'

interface OrdersByDayProps {
  readonly days: readonly OrdersOnDay[]
  readonly height: number
}

/** The number of orders of each day, as bars. */
export function OrdersByDay({ days, height }: OrdersByDayProps) {
  return (
    <BarChart
      h={height}
      // A chart positions points by floating-point numbers; the exact ones are not needed.
      data={days.map(({ day, orders }) => ({ day: formatDay(day), Orders: Number(orders) }))}
      dataKey="day"
      series={[{ name: 'Orders', color: 'teal.7' }]}
      valueFormatter={formatCount}
      yAxisProps={{ allowDecimals: false, width: 40 }}
      xAxisProps={{ minTickGap: 24 }}
      // The place of the chart is an image with a text, so nothing in it takes the focus.
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      tickLine="none"
    />
  )
}
