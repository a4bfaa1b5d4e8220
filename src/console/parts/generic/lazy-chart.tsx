import { Text } from '@mantine/core'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { loadScript } from '../../data/script.ts'

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
      The chart cannot be shown. Reload the page to try again.
    </Text>
  )
}
