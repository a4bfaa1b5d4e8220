import { Group, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import { feed, isStreamSilent } from '../../data/live.ts'
import { ChangeSentence } from '../../parts/events/change-sentence.tsx'
import { SilentStream } from '../../parts/generic/alerts.tsx'
import { formatAge } from '../../parts/generic/format.ts'
import { Panel } from '../../parts/generic/panel.tsx'

/** How often the ages of the events are updated, in milliseconds. */
const AGE_MS = 30_000

export function EventFeed() {
  const events = feed.use()
  const isSilent = isStreamSilent.use()
  // Renders again, because the ages change without an event.
  const [, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now), AGE_MS, { autoInvoke: true })
  return (
    <Panel title="Live events">
      <Stack gap="xs" aria-live="polite" mah={420} style={{ overflowY: 'auto' }} tabIndex={0}>
        {isSilent && <SilentStream />}
        {events.length === 0 && !isSilent && (
          <Text c="dimmed" size="sm">
            Changes appear here from now on.
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
