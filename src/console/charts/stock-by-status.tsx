import { DonutChart } from '@mantine/charts'
import { formatCount } from '../parts/names/format.ts'

interface StatusShare {
  readonly name: string
  readonly value: number
  readonly color: string
}

interface StockByStatusProps {
  readonly shares: readonly StatusShare[]
  /** The diameter in pixels. */
  readonly size: number
}

export function StockByStatus({ shares, size }: StockByStatusProps) {
  return (
    <DonutChart
      data={[...shares]}
      size={size}
      thickness={28}
      paddingAngle={shares.filter(({ value }) => value > 0).length > 1 ? 2 : 0}
      strokeWidth={0}
      tooltipDataSource="segment"
      valueFormatter={formatCount}
      accessibilityLayer={false}
      pieProps={{ isAnimationActive: false, rootTabIndex: -1 }}
    />
  )
}
