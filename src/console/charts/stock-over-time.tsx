import { LineChart } from '@mantine/charts'
import { DAY_MS } from '../../values/time-zone.ts'
import { formatCount, formatDate, formatInstant, formatTime } from '../parts/names/format.ts'
import { words } from '../parts/names/shop-words.ts'

/** The stock at one instant. It stays the same until the instant of the next point. */
export interface StockPoint {
  /** In milliseconds since 1970. */
  readonly atMs: number
  readonly quantity: bigint
  readonly reserved: bigint
}

interface StockOverTimeProps {
  readonly points: readonly StockPoint[]
  /** In pixels. */
  readonly height: number
}

/** The axis shows days for a period of at least this length, in milliseconds, and otherwise times of the day. */
const DAYS_FROM_MS = 2 * DAY_MS

/** The room right of the last point, in pixels: half of the longest label. */
const EDGE_PX = 32

/** A step chart of the units in stock and the reserved units: both stay the same until the next movement. */
export function StockOverTime({ points, height }: StockOverTimeProps) {
  return (
    <LineChart
      h={height}
      // The chart library takes floating-point numbers. The exact numbers are in the table.
      data={points.map(({ atMs, quantity, reserved }) => ({
        atMs,
        [words.quantity]: Number(quantity),
        [words.reserved]: Number(reserved),
      }))}
      dataKey="atMs"
      series={[
        { name: words.quantity, color: 'teal.7' },
        { name: words.reserved, color: 'orange.7', strokeDasharray: '5 3' },
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
        tickFormatter: tickFormat(points),
        minTickGap: 40,
      }}
      yAxisProps={{ allowDecimals: false, width: 48, domain: [0, 'auto'] }}
      // While no pointer is over the chart, the tooltip has no point, and `atMs` is not a number.
      tooltipProps={{ labelFormatter: atMs => (typeof atMs === 'number' ? tooltipLabel(atMs) : '') }}
      // The last point and the label below it are at the right edge, and half of each is beyond it.
      lineChartProps={{ accessibilityLayer: false, margin: { top: 8, right: EDGE_PX } }}
      lineProps={{ isAnimationActive: false }}
      tickLine="none"
    />
  )
}

function tickFormat(points: readonly StockPoint[]): (atMs: number) => string {
  const periodMs = (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)
  return periodMs < DAYS_FROM_MS ? formatTime : formatDate
}

function tooltipLabel(atMs: number): string {
  return formatInstant(new Date(atMs).toISOString())
}
