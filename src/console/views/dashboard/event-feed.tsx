import { Group, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditEntry, Client, Event } from '../../../client/petstore-client.ts'
import { feed, isStreamSilent } from '../../data/live.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { ChangeSentence } from '../../parts/events/change-sentence.tsx'
import { SilentStream } from '../../parts/generic/alerts.tsx'
import { Panel } from '../../parts/generic/panel.tsx'
import { formatAge } from '../../parts/names/format.ts'
import { t } from '../../words/sentences.tsx'

/** How often the ages of the events are updated, in milliseconds. */
const AGE_MS = 30_000

/** The number of changes that are shown at once, before one arrives. */
const RECENT_MAX = 10
/** The number of changes that are read for that: those of keys and webhooks are in the audit log, but are no events. */
const READ_MAX = 20

/** The changes as they happen, and the last ones before. */
export function EventFeed() {
  const { client } = useSession()
  const canRead = useCan()('audit:read')
  const events = feed.use()
  // The feed of events can only be read from its oldest event on. The audit log has the newest changes first.
  const { data: recent = [] } = useQuery({
    queryKey: ['audit', 'recent'],
    queryFn: () => readRecent(client),
    enabled: canRead,
  })
  const changes = newestFirst([...events, ...recent])
  const isSilent = isStreamSilent.use()
  // Renders again, because the ages change without an event.
  const [, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now), AGE_MS, { autoInvoke: true })
  return (
    <Panel title={t('Live events')}>
      <Stack gap="xs" aria-live="polite" mah={420} style={{ overflowY: 'auto' }} tabIndex={0}>
        {isSilent && <SilentStream />}
        {changes.length === 0 && !isSilent && (
          <Text c="dimmed" size="sm">
            {t('Changes appear here from now on.')}
          </Text>
        )}
        {changes.map(change => (
          <Group key={String(positionOf(change))} justify="space-between" wrap="nowrap" align="baseline">
            <Text size="sm" className="name">
              <ChangeSentence change={change} />
            </Text>
            <Text size="xs" c="dimmed" className="number">
              {formatAge('at' in change ? change.at : change.time)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}

async function readRecent(client: Client): Promise<AuditEntry[]> {
  const { items } = (await client.listAudit({ limit: READ_MAX })).data
  return items.filter(({ type }) => !/^petstore\.(key|webhook)\./.test(type)).slice(0, RECENT_MAX)
}

/** Returns the changes without repetitions, newest first. An event and its entry in the audit log have one position. */
function newestFirst(changes: readonly (Event | AuditEntry)[]): (Event | AuditEntry)[] {
  const byPosition = new Map(changes.map(change => [positionOf(change), change]))
  return [...byPosition].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, change]) => change)
}

function positionOf(change: Event | AuditEntry): bigint {
  return 'position' in change ? change.position : BigInt(change.sequence)
}
