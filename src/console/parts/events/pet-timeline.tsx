import { Stack, Title } from '@mantine/core'
import type { AuditEntry, ListPage } from '../../../client/petstore-client.ts'
import { useSession } from '../../data/session-context.ts'
import { Empty } from '../generic/empty.tsx'
import { formatInstant } from '../generic/format.ts'
import { type Column, PagedTable } from '../generic/table.tsx'
import { ChangeSentence } from './change-sentence.tsx'
import { KeyName } from './names.tsx'

interface TimelineRow {
  readonly entry: AuditEntry
  /** The previous entry of the same resource, if it is on the same page. */
  readonly before: AuditEntry | undefined
}

const columns: readonly Column<TimelineRow>[] = [
  { head: 'When', cell: ({ entry }) => formatInstant(entry.at) },
  { head: 'Change', cell: ({ entry, before }) => <ChangeSentence change={entry} before={before} /> },
  {
    head: 'Key',
    cell: ({ entry: { keyId } }) => (keyId === undefined ? 'The store' : <KeyName id={keyId} />),
  },
]

/** All changes of a pet, its stock and its orders, newest first. */
export function PetTimeline({ petId }: { readonly petId: bigint }) {
  const { client } = useSession()
  return (
    <Stack component="section" aria-label="History">
      <Title order={2} size="h4">
        History
      </Title>
      <PagedTable
        label="History"
        cursorName="history"
        queryKey={['timeline', petId]}
        read={async cursor => ({ data: withBefore((await client.listAudit({ petId, cursor })).data) })}
        columns={columns}
        idOf={({ entry }) => entry.position}
        empty={<Empty title="No history">The audit log contains no change of this pet.</Empty>}
        minWidth={440}
      />
    </Stack>
  )
}

function withBefore({ items, ...page }: ListPage<AuditEntry>): ListPage<TimelineRow> {
  const rows = items.map((entry, index) => ({
    entry,
    before: items.find(({ subject }, otherIndex) => otherIndex > index && subject === entry.subject),
  }))
  return { items: rows, ...page }
}
