import { Box, Skeleton } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'

interface ChartPlaceProps {
  /** What the chart shows, in words, for users who cannot see it. */
  readonly label: string
  /** In pixels. The place has this height from the start, so nothing moves when the chart appears. */
  readonly height: number
  /** The chart; undefined while its data is loading. A skeleton is shown until its data and its script are loaded. */
  readonly children: ReactNode
}

export function ChartPlace({ label, height, children }: ChartPlaceProps) {
  const skeleton = <Skeleton height={height} />
  return (
    <Box role="img" aria-label={label} h={height}>
      <Suspense fallback={skeleton}>{children ?? skeleton}</Suspense>
    </Box>
  )
}
