import { Code, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AuditEntry, Client, ListPage } from '../../../client/petstore-client.ts'
import { toJson } from '../../../client/petstore-client.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { readNotes, stockMoment } from '../../data/stock-moments.ts'
import { t } from '../../words/sentences.tsx'
import { type Column, PagedTable } from '../generic/table.tsx'
import { formatShopDay, formatTime } from '../names/format.ts'
import { KeyName } from '../names/names.tsx'
import { ChangeSentence } from './change-sentence.tsx'

/** The filters of the audit log. */
type DiaryFilters = Omit<NonNullable<Parameters<Client['listAudit']>[0]>, 'cursor'>

interface DiaryProps {
  readonly label: string
  readonly filters: DiaryFilters
  /** The parameter of the address that contains the cursor, if a view has more than one table. */
  readonly cursorName?: string
  /** Shown instead of the diary if it has no entry. */
  readonly empty: ReactNode
}

interface DiaryRow {
  readonly entry: AuditEntry
  /** The previous entry of the same resource, if it is on the same page. */
  readonly before: AuditEntry | undefined
  /** Why the stock was changed. */
  readonly note: string | undefined
}

const columns: readonly Column<DiaryRow>[] = [
  { head: t('Time'), isShort: true, cell: ({ entry }) => formatTime(Date.parse(entry.at)) },
  {
    head: t('What'),
    cell: ({ entry, before, note }) => (
      <>
        <ChangeSentence change={entry} before={before} at={entry.position} />
        {note !== undefined && <Text size="sm">{note}</Text>}
        <Details entry={entry} />
      </>
    ),
  },
  {
    head: t('Who'),
    cell: ({ entry: { keyId } }) => (keyId === undefined ? t('The store') : <KeyName id={keyId} />),
  },
]

/** The audit log in sentences, newest first, under the days of the shop. */
export function Diary({ label, filters, cursorName, empty }: DiaryProps) {
  const { client } = useSession()
  const can = useCan()
  const { petId } = filters
  const read = async (cursor: string | undefined): Promise<{ readonly data: ListPage<DiaryRow> }> => {
    const { data } = await client.listAudit({ ...filters, cursor })
    const since = data.items.at(-1)?.at
    const hasNotes = petId !== undefined && since !== undefined && can('inventory:read')
    const notes = hasNotes ? await readNotes(client, BigInt(petId), since) : undefined
    return { data: withBefore(data, notes) }
  }
  return (
    <PagedTable
      label={label}
      {...(cursorName !== undefined && { cursorName })}
      queryKey={['audit', filters]}
      read={read}
      columns={columns}
      idOf={({ entry }) => entry.position}
      groupOf={({ entry }) => formatShopDay(entry.at)}
      minWidth={440}
      empty={empty}
    />
  )
}

/** The resource after the change, and the request that made it: what the API has about the entry. */
function Details({ entry: { data, requestId } }: Pick<DiaryRow, 'entry'>) {
  return (
    <Text component="details" size="xs" c="dimmed">
      <summary>{t('Details')}</summary>
      <Code className="name">{toJson(data)}</Code> {t('Request {id}', { id: requestId })}
    </Text>
  )
}

function withBefore(
  { items, ...page }: ListPage<AuditEntry>,
  notes: ReadonlyMap<string, string> = new Map(),
): ListPage<DiaryRow> {
  const rows = items.map((entry, index) => ({
    entry,
    note: entry.type === 'petstore.inventory.changed' ? notes.get(stockMoment(entry)) : undefined,
    before: items.find(({ subject }, otherIndex) => otherIndex > index && subject === entry.subject),
  }))
  return { items: rows, ...page }
}
