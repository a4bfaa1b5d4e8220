import { Code, Group } from '@mantine/core'
import { type AuditEntry, toJson } from '../../client/petstore-client.ts'
import { useKeyNames } from '../data/key-names.ts'
import { nameText } from '../data/name-text.ts'
import { useSession } from '../data/session-context.ts'
import { idIn, useUrlFilters } from '../data/url-filters.ts'
import { ChangeSentence } from '../parts/events/change-sentence.tsx'
import { KeyName } from '../parts/events/names.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { FilterSelect } from '../parts/generic/filters.tsx'
import { formatInstant } from '../parts/generic/format.ts'
import { Page } from '../parts/generic/page.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { TextField } from '../parts/generic/text-field.tsx'

/** The state after a change is JSON: a narrower column would make each row as high as a page. */
const AUDIT_MIN_PX = 1000

export function Audit() {
  const { client } = useSession()
  const names = useKeyNames()
  const { get, set } = useUrlFilters()
  const keyId = idIn(get('keyId'))
  const since = dayIn(get('since'))
  const until = dayIn(get('until'))
  const input = {
    ...(keyId !== undefined && { keyId }),
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
  }
  return (
    <Page title="Audit log">
      <Group align="flex-end">
        {names.size > 0 && (
          <FilterSelect
            label="Key"
            data={[...names].map(([id, name]) => ({ value: String(id), label: nameText(name, id) }))}
            value={keyId?.toString()}
            onChange={id => set('keyId', id)}
          />
        )}
        <TextField
          type="date"
          label="From"
          description="UTC"
          value={since}
          onChange={day => set('since', day)}
        />
        <TextField
          type="date"
          label="To"
          description="UTC"
          value={until}
          onChange={day => set('until', day)}
        />
      </Group>
      <PagedTable
        label="Audit log"
        minWidth={AUDIT_MIN_PX}
        queryKey={['audit', input]}
        read={cursor => client.listAudit({ ...input, cursor })}
        columns={columns}
        idOf={({ position }) => position}
        empty={<Empty title="No changes">No change matches. Choose another key or period.</Empty>}
      />
    </Page>
  )
}

/** Returns the day in a text such as `2026-11-22`; an empty text for any other text. */
function dayIn(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : ''
}

const columns: readonly Column<AuditEntry>[] = [
  { head: 'When', isShort: true, cell: ({ at }) => formatInstant(at) },
  { head: 'Change', cell: entry => <ChangeSentence change={entry} /> },
  { head: 'Key', cell: ({ keyId }) => (keyId === undefined ? 'The store' : <KeyName id={keyId} />) },
  { head: 'After the change', cell: ({ data }) => <Code className="name">{toJson(data)}</Code> },
]
