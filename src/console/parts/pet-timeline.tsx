import { Stack, Title } from '@mantine/core'
import type { AuditEntry, ListPage } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { ChangeSentence } from './change-sentence.tsx'
import { Empty } from './empty.tsx'
import { formatInstant } from './format.ts'
import { KeyName } from './names.tsx'
import { type Column, PagedTable } from './paged-table.tsx'

interface TimelineRow {
  readonly entry: AuditEntry
  /** The entry of the same resource before this one, if it is on the same page. */
  readonly before: AuditEntry | undefined
}

const columns: readonly Column<TimelineRow>[] = [
  { head: 'When', cell: ({ entry }) => formatInstant(entry.at) },
  { head: 'What', cell: ({ entry, before }) => <ChangeSentence change={entry} before={before} /> },
  {
    head: 'By',
    cell: ({ entry: { keyId } }) => (keyId === undefined ? 'The store itself' : <KeyName id={keyId} />),
  },
]

/** Everything that happened to a pet, to its stock and to its orders, newest first. */
export function PetTimeline({ petId }: { readonly petId: bigint }) {
  const { client } = useSession()
  return (
    <Stack component="section" aria-label="History">
      <Title order={2} size="h4">
        History
      </Title>
      <PagedTable
        label="History"
        queryKey={['timeline', petId]}
        read={async cursor => withBefore((await client.listAudit({ petId, ...(cursor && { cursor }) })).data)}
        columns={columns}
        idOf={({ entry }) => entry.position}
        empty={<Empty title="No history">The audit log has no change of this pet.</Empty>}
        minWidth={440}
      />
    </Stack>
  )
}

function withBefore({ items, ...page }: ListPage<AuditEntry>): ListPage<TimelineRow> {
  const rows = items.map((entry, index) => ({
    entry,
    before: items.find(({ subject }, other) => other > index && subject === entry.subject),
  }))
  return { items: rows, ...page }
}
