import { Code, Group, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AuditEntry, toJson } from '../../client/petstore-client.ts'
import { useCan, useSession } from '../data/store.ts'
import { ChangeSentence } from '../parts/change-sentence.tsx'
import { Empty } from '../parts/empty.tsx'
import { formatInstant } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { type Column, PagedTable } from '../parts/paged-table.tsx'

/** The maximum number of keys that the filter and the column show by name. */
const KEYS_MAX = 100
/** The state after a change is JSON: a narrower column would make each row as high as a page. */
const AUDIT_MIN_PX = 1000

/** The audit log: what changed, when, and by which key. */
export function Audit() {
  const { client } = useSession()
  const names = useKeyNames()
  const [keyId, setKeyId] = useState<string | null>(null)
  const [since, setSince] = useState('')
  const [until, setUntil] = useState('')
  const input = {
    ...(keyId !== null && { keyId: BigInt(keyId) }),
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
  }
  return (
    <Page title="Audit log">
      <Group align="flex-end">
        {names.size > 0 && (
          <Select
            label="Key"
            placeholder="Any"
            clearable
            data={[...names].map(([id, name]) => ({ value: id, label: name }))}
            value={keyId}
            onChange={setKeyId}
          />
        )}
        <TextInput
          type="date"
          label="From"
          description="UTC"
          value={since}
          onChange={event => setSince(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="To"
          description="UTC"
          value={until}
          onChange={event => setUntil(event.currentTarget.value)}
        />
      </Group>
      <PagedTable
        label="Audit log"
        minWidth={AUDIT_MIN_PX}
        queryKey={['audit', input]}
        read={async cursor => (await client.listAudit({ ...input, ...(cursor && { cursor }) })).data}
        columns={columnsOf(names)}
        idOf={({ position }) => position}
        empty={<Empty title="No changes">No change matches. Choose another key or period.</Empty>}
      />
    </Page>
  )
}

/** Returns the names of the keys, by id as text. It is empty if the key of the session may not list keys. */
function useKeyNames(): ReadonlyMap<string, string> {
  const { client } = useSession()
  const can = useCan()
  const { data } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: async () => (await client.listKeys({ limit: KEYS_MAX })).data.items,
    enabled: can('keys:manage'),
  })
  return new Map(data?.map(({ id, name }) => [String(id), name]))
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<AuditEntry>[] {
  return [
    { head: 'When', isShort: true, cell: ({ at }) => formatInstant(at) },
    { head: 'Change', cell: entry => <ChangeSentence change={entry} /> },
    {
      head: 'Key',
      cell: ({ keyId }) => (keyId === undefined ? 'The store' : (names.get(String(keyId)) ?? `Key ${keyId}`)),
    },
    { head: 'After the change', cell: ({ data }) => <Code className="name">{toJson(data)}</Code> },
  ]
}
