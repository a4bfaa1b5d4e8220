import { Box, Skeleton, Text } from '@mantine/core'
import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode, Suspense } from 'react'
import { loadScript } from '../../data/script.ts'
import { t } from '../../words/sentences.tsx'

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

/**
 * Returns a chart whose script is loaded when the chart is shown. If the script is missing, a sentence replaces the
 * chart. The page is not reloaded, because a dialog may be open on it.
 */
export function lazyChart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadScript(load).catch(() => MissingChart) }))
}

function MissingChart() {
  return (
    <Text size="sm" c="dimmed">
      {t('The chart cannot be shown. Reload the page to try again.')}
    </Text>
  )
}
