import { Alert, Button, Group, List, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { TakeBackReport } from '../../../catalogue/importer.ts'
import { type ListedImport, listPastImports, takeBack } from '../../data/catalogue-import.ts'
import { useSession } from '../../data/session-context.ts'
import { countText, t } from '../../words/sentences.tsx'
import { type DialogProps, FormDialog } from '../generic/form-dialog.tsx'
import { RowButton } from '../generic/row-button.tsx'
import { type Column, ColumnTable } from '../generic/table.tsx'
import { formatCount, formatInstant } from '../names/format.ts'
import { KeyName, Name } from '../names/names.tsx'
import { ViewLink } from '../names/view-link.tsx'

const TABLE_MIN_PX = 440
/** The maximum number of pets and categories that stayed and are named. */
const SHOWN_MAX = 100

function usePastImports(): readonly ListedImport[] {
  const { key } = useSession()
  const { data = [] } = useQuery({ queryKey: ['imports'], queryFn: () => listPastImports(key) })
  return data
}

/** Returns a function that asks whether to take an import back, and the question and what stayed of the last one. */
function useTakeBack(): { readonly ask: (past: ListedImport) => void; readonly shown: ReactNode } {
  const [chosen, setChosen] = useState<ListedImport>()
  const [report, setReport] = useState<TakeBackReport>()
  return {
    ask: past => {
      setReport(undefined)
      setChosen(past)
    },
    shown: (
      <>
        {report && <Outcome report={report} />}
        {chosen && <TakeBack past={chosen} onDone={setReport} onClose={() => setChosen(undefined)} />}
      </>
    ),
  }
}

interface CutImportsProps {
  /** The import that this page loads. */
  readonly running: bigint | undefined
  readonly isBusy: boolean
  readonly onContinue: (past: ListedImport) => void
}

/** The imports of which only a part is loaded. */
export function CutImports({ running, isBusy, onContinue }: CutImportsProps) {
  const { ask, shown } = useTakeBack()
  const cut = usePastImports().filter(({ id, rowsLeft }) => rowsLeft > 0n && id !== running)
  return (
    <>
      {cut.map(past => (
        <CutImport key={String(past.id)} past={past}>
          <Button size="xs" disabled={isBusy} onClick={() => onContinue(past)}>
            {t('Continue the import')}
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => ask(past)}>
            {t('Take back')}
          </Button>
        </CutImport>
      ))}
      {shown}
    </>
  )
}

function CutImport({ past, children }: { readonly past: ListedImport; readonly children: ReactNode }) {
  const { at, categoriesCreated, petsCreated, petsUpdated, rowsLeft } = past
  const loaded = categoriesCreated + petsCreated + petsUpdated
  const rows = { loaded: formatCount(loaded), rows: formatCount(loaded + rowsLeft) }
  return (
    <Alert
      color="yellow"
      role="note"
      title={t('An import was cut: {loaded} of {rows} rows are loaded', rows)}
    >
      <Text size="sm">
        {t(
          'It began on {instant}, and may still run in another window. The store keeps the other rows for a day, so it continues without the file.',
          { instant: formatInstant(at) },
        )}
      </Text>
      <Group mt="xs">{children}</Group>
    </Alert>
  )
}

/** The imports that can be taken back, if there are any. */
export function PastImports() {
  const { ask, shown } = useTakeBack()
  const imports = usePastImports()
  if (imports.length === 0) return null
  const columns: readonly Column<ListedImport>[] = [
    { head: t('When'), isShort: true, cell: ({ at }) => formatInstant(at) },
    { head: t('Who'), cell: ({ keyId }) => (keyId === undefined ? t('A command') : <KeyName id={keyId} />) },
    { head: t('What'), cell: past => <Done past={past} /> },
    {
      head: t('Action'),
      cell: past =>
        past.hasChanges && (
          <RowButton label={t('Take back')} subject={formatInstant(past.at)} onClick={() => ask(past)} />
        ),
    },
  ]
  return (
    <>
      <Title order={2}>{t('Imports of the last 30 days')}</Title>
      <ColumnTable
        label={t('Imports of the last 30 days')}
        columns={columns}
        rows={imports}
        idOf={({ id }) => String(id)}
        minWidth={TABLE_MIN_PX}
      />
      {shown}
    </>
  )
}

function Done({
  past: { categoriesCreated, petsCreated, petsUpdated, takenBack },
}: {
  readonly past: ListedImport
}) {
  const parts = [
    categoriesCreated > 0n && countText(categoriesCreated, '{count} new category', '{count} new categories'),
    petsCreated > 0n && countText(petsCreated, '{count} new pet', '{count} new pets'),
    petsUpdated > 0n && countText(petsUpdated, '{count} pet updated', '{count} pets updated'),
    takenBack > 0n && countText(takenBack, '{count} change taken back', '{count} changes taken back'),
  ]
  return parts.filter(part => part !== false).join(', ')
}

interface TakeBackProps extends DialogProps {
  readonly past: ListedImport
  readonly onDone: (report: TakeBackReport) => void
}

function TakeBack({ past, onDone, onClose }: TakeBackProps) {
  const { key } = useSession()
  const queries = useQueryClient()
  return (
    <FormDialog
      name="take-back"
      title={t('Take back the import of {instant}?', { instant: formatInstant(past.at) })}
      action={t('Take back')}
      isDestructive
      done={() => void queries.invalidateQueries()}
      make={() => ({
        send: ({ signal, idempotencyKey }) => takeBack(key, past.id, { signal, idempotencyKey }),
        isRepeatable: true,
      })}
      look={{ path: '/pets?sort=-id', what: t('the newest pets') }}
      onDone={onDone}
      onClose={onClose}
    >
      <Text size="sm">
        <Done past={past} />
      </Text>
      <Text size="sm">
        {t(
          'What it created is deleted, and what it updated becomes as before. What was sold or changed since stays as it is.',
        )}
      </Text>
    </FormDialog>
  )
}

const reasons: Readonly<Record<TakeBackReport['kept'][number]['reason'], string>> = {
  changed: t('sold or changed since'),
  in_use: t('still has pets'),
  barcode_taken: t('another pet has its barcode'),
  category_deleted: t('its category was deleted'),
}

function Outcome({ report: { takenBack, kept, keptCount } }: { readonly report: TakeBackReport }) {
  const title = countText(takenBack, '{count} change was taken back', '{count} changes were taken back')
  if (keptCount === 0) return <Alert color="teal" role="status" title={title} />
  return (
    <Alert
      color="yellow"
      role="status"
      title={`${title}. ${countText(keptCount, '{count} stays:', '{count} stay:')}`}
    >
      <List>
        {kept.slice(0, SHOWN_MAX).map(({ file, id, name, reason }) => (
          <List.Item key={`${file} ${id}`}>
            {file === 'pets' ? (
              <ViewLink href={`/pets/${id}`}>
                <Name name={name} id={id} />
              </ViewLink>
            ) : (
              <Name name={name} id={id} />
            )}
            {`: ${reasons[reason]}`}
          </List.Item>
        ))}
      </List>
      {keptCount > SHOWN_MAX && (
        <Text size="sm">{t('Only the first {count} are listed.', { count: String(SHOWN_MAX) })}</Text>
      )}
    </Alert>
  )
}
