import { BarChart } from '@mantine/charts'
import type { OrdersOnDay } from '../../client/petstore-client.ts'
import { formatCount, formatDay } from '../parts/names/format.ts'

interface OrdersByDayProps {
  readonly days: readonly OrdersOnDay[]
  /** In pixels. */
  readonly height: number
}

export function OrdersByDay({ days, height }: OrdersByDayProps) {
  return (
    <BarChart
      h={height}
      // The chart library takes floating-point numbers, which are exact enough for a chart.
      data={days.map(({ day, orders }) => ({ day: formatDay(day), Orders: Number(orders) }))}
      dataKey="day"
      series={[{ name: 'Orders', color: 'teal.7' }]}
      valueFormatter={formatCount}
      yAxisProps={{ allowDecimals: false, width: 40 }}
      xAxisProps={{ minTickGap: 24 }}
      // `ChartPlace` presents the chart as one image with a text alternative, so no part of it takes the focus.
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      tickLine="none"
    />
  )
}
