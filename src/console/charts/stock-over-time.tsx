import { LineChart } from '@mantine/charts'
import { formatCount, formatDate, formatInstant, formatTime } from '../parts/format.ts'

/** The stock from an instant on. */
export interface StockPoint {
  /** In milliseconds since 1970. */
  readonly atMs: number
  readonly quantity: bigint
  readonly reserved: bigint
}

interface StockOverTimeProps {
  readonly points: readonly StockPoint[]
  readonly height: number
}

/** Below this period, the days on the axis would all be the same. In milliseconds. */
const DAYS_FROM_MS = 2 * 86_400_000

/** The units on hand and the reserved units, as lines with steps: the stock stays until the next movement. */
export function StockOverTime({ points, height }: StockOverTimeProps) {
  return (
    <LineChart
      h={height}
      // A chart positions points by floating-point numbers; the exact ones are in the table.
      data={points.map(({ atMs, quantity, reserved }) => ({
        atMs,
        'On hand': Number(quantity),
        Reserved: Number(reserved),
      }))}
      dataKey="atMs"
      series={[
        { name: 'On hand', color: 'teal.7' },
        { name: 'Reserved', color: 'orange.7', strokeDasharray: '5 3' },
      ]}
      curveType="stepAfter"
      withLegend
      legendProps={{ verticalAlign: 'bottom' }}
      withDots={points.length <= 30}
      valueFormatter={formatCount}
      xAxisProps={{
        type: 'number',
        scale: 'time',
        domain: ['dataMin', 'dataMax'],
        tickFormatter: tickText(points),
        minTickGap: 40,
      }}
      yAxisProps={{ allowDecimals: false, width: 48, domain: [0, 'auto'] }}
      // Without a pointer over the chart, the tooltip has no point.
      tooltipProps={{ labelFormatter: atMs => (typeof atMs === 'number' ? instantText(atMs) : '') }}
      lineChartProps={{ accessibilityLayer: false }}
      lineProps={{ isAnimationActive: false }}
      tickLine="none"
    />
  )
}

/** Returns the format of the axis: days, or times of the day for a short period. */
function tickText(points: readonly StockPoint[]): (atMs: number) => string {
  const periodMs = (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)
  return periodMs < DAYS_FROM_MS ? formatTime : formatDate
}

function instantText(atMs: number): string {
  return formatInstant(new Date(atMs).toISOString())
}
