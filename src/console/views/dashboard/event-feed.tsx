import { Group, Stack, Text } from '@mantine/core'
import { useFeed } from '../../data/live.ts'
import { ChangeSentence } from '../../parts/change-sentence.tsx'
import { formatAge } from '../../parts/format.ts'
import { Panel } from '../../parts/panel.tsx'

/** The events since the page was opened, newest first. */
export function EventFeed() {
  const events = useFeed()
  return (
    <Panel title="Live events">
      <Stack gap="xs" aria-live="polite" mah={420} style={{ overflowY: 'auto' }} tabIndex={0}>
        {events.length === 0 && (
          <Text c="dimmed" size="sm">
            Each change of the shop appears here as it happens. Keep this page open.
          </Text>
        )}
        {events.map(event => (
          <Group key={event.id} justify="space-between" wrap="nowrap" align="baseline">
            <Text size="sm" className="name">
              <ChangeSentence change={event} />
            </Text>
            <Text size="xs" c="dimmed" className="number">
              {formatAge(event.time)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
