import {
  Alert,
  Button,
  Checkbox,
  Code,
  Fieldset,
  FileInput,
  Group,
  List,
  Progress,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import {
  type CatalogueKind,
  type ColumnChoices,
  type FileColumn,
  petColumns,
} from '../../catalogue/catalogue-file.ts'
import { UnclearColumns, UnreadableFile } from '../../catalogue/file-text.ts'
import { escapeControls } from '../../values/control-characters.ts'
import {
  type ChosenFiles,
  checkChosen,
  type ImportChoices,
  importOf,
  resumeOf,
} from '../data/catalogue-import.ts'
import { useChange } from '../data/change.ts'
import { type ImportResult, importRun } from '../data/import-run.ts'
import { useSession } from '../data/session-context.ts'
import { downloadCsv } from '../parts/generic/download.ts'
import { Page } from '../parts/generic/page.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { UnknownAlert } from '../parts/generic/unknown-alert.tsx'
import { formatCount } from '../parts/names/format.ts'
import { Refusal } from '../parts/names/refusal.tsx'
import { ViewLink } from '../parts/names/view-link.tsx'
import { CutImports, PastImports } from '../parts/pets/past-imports.tsx'
import { countText, rich, t } from '../words/sentences.tsx'

const TABLE_MIN_PX = 440
/** The maximum number of problems that the page lists. */
const SHOWN_MAX = 100
/** The files that a person may have saved with a spreadsheet. */
const FILE_TYPES = '.xlsx,.csv,.tsv,.tab,.txt,text/csv,text/tab-separated-values,text/plain'

const options: readonly {
  readonly name: 'createCategories' | 'keepGoing'
  readonly label: string
}[] = [
  { name: 'createCategories', label: t('Create the categories that pets name and that do not exist') },
  { name: 'keepGoing', label: t('Load the valid lines even if others are invalid') },
]

const existingOptions: readonly {
  readonly value: ImportChoices['onExisting']
  readonly label: string
}[] = [
  { value: 'load', label: t('Add them once more') },
  { value: 'skip', label: t('Leave them out') },
  { value: 'update', label: t('Update the price, barcode, level and category') },
  { value: 'set', label: t('Update, and set the stock (a count)') },
  { value: 'add', label: t('Update, and add to the stock (a delivery)') },
]

const columnNames = {
  name: <Code>{t('name')}</Code>,
  description: <Code>{t('description')}</Code>,
  category: <Code>{t('category')}</Code>,
  quantity: <Code>{t('quantity')}</Code>,
  hold: <Code>{t('hold')}</Code>,
  reorderAt: <Code>{t('reorderAt')}</Code>,
  price: <Code>{t('price')}</Code>,
  barcode: <Code>{t('barcode')}</Code>,
}

const firstChoices: ImportChoices = {
  keepGoing: false,
  onExisting: 'load',
  createCategories: false,
  addsZeros: false,
  columns: new Map(),
}

function useImport() {
  const queries = useQueryClient()
  const change = useChange<ImportResult>('import', {
    onDone: () => queries.invalidateQueries(),
    onFailed: () => void queries.invalidateQueries(),
  })
  // Whoever leaves the view has seen what became of the import.
  useEffect(
    () => () => {
      if (importRun.get()?.isRunning === false) importRun.set(undefined)
    },
    [],
  )
  return {
    ...change,
    load: (prepare: () => (signal: AbortSignal) => Promise<ImportResult>): void =>
      change.start(() => {
        const send = prepare()
        return { send: ({ signal }) => send(signal), isRepeatable: true }
      }),
  }
}

export function Import() {
  const { key } = useSession()
  const [files, setFiles] = useState<ChosenFiles>({ categories: null, pets: null })
  const [choices, setChoices] = useState(firstChoices)
  const [columns, setColumns] = useState<readonly FileColumn[]>([])
  const check = useMutation({ mutationFn: () => checkChosen(key, files, choices, setColumns) })
  const run = importRun.use()
  const loaded = run?.result
  const change = useImport()
  // A result belongs to the files and the options that were checked.
  const forgetResult = (): void => {
    check.reset()
    change.reset()
    importRun.set(undefined)
  }
  const choose = (kind: CatalogueKind, file: File | null): void => {
    forgetResult()
    setFiles({ ...files, [kind]: file })
    if (kind !== 'pets') return
    // Another file may have another mark. What is said about its columns stays for those of the same names.
    setChoices({ ...choices, decimalMark: undefined })
    setColumns([])
  }
  const changeChoices = (changed: Partial<ImportChoices>): void => {
    forgetResult()
    setChoices({ ...choices, ...changed })
  }
  const giveUp = (): void => {
    change.giveUp()
    forgetResult()
  }
  const result = loaded ?? check.data
  const isLoaded = loaded?.report.outcome !== undefined
  const isBusy = check.isPending || change.isRunning || run?.isRunning === true
  const isUnknown = change.unknown !== undefined
  return (
    <Page title={t('Import')}>
      <CutImports
        running={run?.error === undefined || isUnknown ? run?.importId : undefined}
        isBusy={isBusy || isUnknown}
        onContinue={past => {
          forgetResult()
          change.load(() => resumeOf(key, past))
        }}
      />
      <Columns />
      <Fieldset variant="unstyled" maw={480} disabled={isBusy || isUnknown}>
        <Stack>
          {(['categories', 'pets'] as const).map(kind => (
            <FileField key={kind} kind={kind} file={files[kind]} onChange={file => choose(kind, file)} />
          ))}
          <Choices choices={choices} findings={result?.findings} onChange={changeChoices} />
          <FileColumns
            columns={columns}
            chosen={choices.columns}
            onChange={chosen => changeChoices({ columns: chosen })}
          />
          <ImportButtons
            isBusy={isBusy}
            canCheck={Boolean(files.categories ?? files.pets)}
            canLoad={loaded === undefined && change.error === null && canLoad(check.data, choices)}
            onCheck={() => {
              forgetResult()
              check.mutate()
            }}
            onLoad={() => change.load(() => importOf(key, files, choices))}
          />
        </Stack>
      </Fieldset>
      <Loading />
      <ImportError error={isUnknown ? null : (change.error ?? check.error ?? run?.error)} />
      <UnknownAlert
        change={{ ...change, giveUp }}
        look={{ path: '/pets?sort=-id', what: t('the newest pets') }}
      />
      {result && <Outcome result={result} isLoaded={isLoaded} keepGoing={choices.keepGoing} />}
      {result && <Notices result={result} choices={choices} />}
      {result && <Problems result={result} files={files} />}
      <PastImports />
    </Page>
  )
}

/** How far the import of this page is. */
function Loading() {
  const { isRunning, loaded = 0, rows } = importRun.use() ?? {}
  if (!isRunning || !rows) return null
  const counts = { loaded: formatCount(BigInt(loaded)), rows: formatCount(BigInt(rows)) }
  return (
    <Stack gap="xs" maw={480}>
      <Text role="status">{t('{loaded} of {rows} rows are loaded', counts)}</Text>
      <Progress value={(100 * loaded) / rows} aria-label={t('Import')} />
    </Stack>
  )
}

interface ImportButtonsProps {
  readonly isBusy: boolean
  readonly canCheck: boolean
  readonly canLoad: boolean
  readonly onCheck: () => void
  readonly onLoad: () => void
}

function ImportButtons({ isBusy, canCheck, canLoad, onCheck, onLoad }: ImportButtonsProps) {
  return (
    <Group>
      <Button variant="default" onClick={onCheck} loading={isBusy} disabled={!canCheck}>
        {t('Check')}
      </Button>
      <Button onClick={onLoad} loading={isBusy} disabled={!canLoad}>
        {t('Import')}
      </Button>
    </Group>
  )
}

function Columns() {
  return (
    <Text>
      {rich(
        'A categories file has the columns {name} and {description}. A pets file has {name}, {category} (the name of the category), {quantity}, {hold} (yes, no or empty), {reorderAt}, {price} and {barcode}. Only {name} and {category} are required. A file can be an Excel workbook (.xlsx) or “CSV UTF-8”.',
        columnNames,
      )}
    </Text>
  )
}

interface ChoicesProps {
  readonly choices: ImportChoices
  readonly findings: ImportResult['findings'] | undefined
  readonly onChange: (changed: Partial<ImportChoices>) => void
}

function Choices({ choices, findings, onChange }: ChoicesProps) {
  return (
    <>
      <Radio.Group
        label={t('Pets that exist')}
        description={t('Found by the barcode, or else by the name and the category')}
        value={choices.onExisting}
        onChange={value => {
          const chosen = existingOptions.find(option => option.value === value)
          if (chosen) onChange({ onExisting: chosen.value })
        }}
      >
        <Stack gap="xs" mt="xs">
          {existingOptions.map(option => (
            <Radio key={option.value} {...option} />
          ))}
        </Stack>
      </Radio.Group>
      {options.map(({ name, label }) => (
        <Checkbox
          key={name}
          label={label}
          checked={choices[name]}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
        />
      ))}
      {(findings?.hasLostZeros || choices.addsZeros) && (
        <Checkbox
          label={t('Add the zeros that the barcodes have lost')}
          description={t('Choose, and check the file again')}
          checked={choices.addsZeros}
          onChange={({ currentTarget }) => onChange({ addsZeros: currentTarget.checked })}
        />
      )}
      {(findings?.hasUnclearPrices || choices.decimalMark) && (
        <Radio.Group
          label={t('How are decimals written in the prices?')}
          description={t('Choose, and check the file again')}
          value={choices.decimalMark ?? null}
          onChange={mark => onChange({ decimalMark: mark === ',' ? ',' : '.' })}
        >
          <Group mt="xs">
            <Radio value="," label={t('With a comma: 12,50')} />
            <Radio value="." label={t('With a point: 12.50')} />
          </Group>
        </Radio.Group>
      )}
    </>
  )
}

/** The value of the choice to leave a column out. */
const LEFT_OUT = '-'

interface FileColumnsProps {
  readonly columns: readonly FileColumn[]
  readonly chosen: ColumnChoices
  readonly onChange: (chosen: ColumnChoices) => void
}

/** What each column of the pets file is read as. The user can change it, and checks the file again. */
function FileColumns({ columns, chosen, onChange }: FileColumnsProps) {
  const data = [
    { value: LEFT_OUT, label: t('left out') },
    ...petColumns.map(column => ({ value: String(column), label: t(column) })),
  ]
  const named = columns.filter(({ written }) => written !== '')
  if (named.length === 0) return null
  return (
    <Fieldset legend={t('Columns of the pets file')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {named.map(({ key, written, column }) => (
          <Select
            key={key}
            size="xs"
            label={escapeControls(written)}
            className="name"
            data={data}
            value={(chosen.has(key) ? chosen.get(key) : column) ?? LEFT_OUT}
            onChange={value => {
              if (value !== null) onChange(new Map(chosen).set(key, value === LEFT_OUT ? undefined : value))
            }}
            allowDeselect={false}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
}

interface FileFieldProps {
  readonly kind: CatalogueKind
  readonly file: File | null
  readonly onChange: (file: File | null) => void
}

function FileField({ kind, file, onChange }: FileFieldProps) {
  const forget = useRef<() => void>(null)
  return (
    <FileInput
      label={fileNames[kind]}
      placeholder={`${kind}.csv`}
      accept={FILE_TYPES}
      clearable
      clearButtonProps={{
        'aria-label': t(kind === 'pets' ? 'Remove the pets file' : 'Remove the categories file'),
      }}
      value={file}
      resetRef={forget}
      onChange={chosen => {
        onChange(chosen)
        // Otherwise the browser would ignore a corrected file that the user chooses again.
        forget.current?.()
      }}
    />
  )
}

/** Returns whether the check found rows that can be loaded. */
function canLoad(result: ImportResult | undefined, { keepGoing }: ImportChoices): boolean {
  const outcome = result?.report.outcome
  if (!outcome) return false
  const { categoriesCreated, petsCreated, petsUpdated } = outcome
  return (
    categoriesCreated + petsCreated + petsUpdated > 0n && (keepGoing || result.findings.problemCount === 0)
  )
}

function ImportError({ error }: { readonly error: unknown }) {
  if (error instanceof UnreadableFile) {
    return (
      <Alert color="red" role="alert" title={t('The file cannot be read')} className="name">
        {error.message}
        {error instanceof UnclearColumns && (
          <Text size="sm">
            {t('Say what each column is in “Columns of the pets file”, and check again.')}
          </Text>
        )}
      </Alert>
    )
  }
  return <Refusal error={error} />
}

interface OutcomeProps {
  readonly result: ImportResult
  readonly isLoaded: boolean
  readonly keepGoing: boolean
}

function Outcome({ result, isLoaded, keepGoing }: OutcomeProps) {
  const { problemCount } = result.report
  const pets = summaryOf(result)
  const wrong = countText(problemCount, '{count} line cannot be imported', '{count} lines cannot be imported')
  if (isLoaded) {
    const title = countText(
      problemCount,
      'Imported, but {count} line is not loaded',
      'Imported, but {count} lines are not loaded',
    )
    return (
      <Alert
        color={problemCount > 0 ? 'yellow' : 'teal'}
        role="status"
        title={problemCount > 0 ? title : t('Imported')}
      >
        {t('{pets} were loaded.', { pets })}{' '}
        {problemCount > 0 &&
          `${t('Download the lines below that are not loaded, correct them, and import that file.')} `}
        <ViewLink href="/pets">{t('See the pets')}</ViewLink>
      </Alert>
    )
  }
  if (problemCount === 0) {
    return (
      <Alert color="teal" role="status" title={t('Every line is valid')}>
        {t('{pets} can be imported.', { pets })}{' '}
        {(result.report.outcome?.petsUpdated ?? 0n) > 0n &&
          t('A line that the store refuses while it loads is left out, and the other lines are loaded.')}
      </Alert>
    )
  }
  return (
    <Alert color="red" role="alert" title={wrong}>
      {keepGoing
        ? t('Nothing was loaded yet. {pets} can be imported.', { pets })
        : t('Nothing was loaded. Correct the lines in the file, choose the file again, and check it again.')}
    </Alert>
  )
}

function Notices({ result, choices }: { readonly result: ImportResult; readonly choices: ImportChoices }) {
  const { notices, missingCategoryCount, existing, existingCount } = result.findings
  const isMore = existingCount > existing.length
  const names = existing.map(({ line, name }) => `${line}: ${name}`).join(', ') + (isMore ? ', …' : '')
  const lines = [...notices]
  if (missingCategoryCount > 0) {
    lines.push(
      countText(
        missingCategoryCount,
        '{count} category is missing. The page can create it.',
        '{count} categories are missing. The page can create them.',
      ),
    )
  }
  if (existingCount > 0) lines.push(existingText(existingCount, names, choices))
  if (lines.length === 0) return null
  return (
    <Alert color="yellow" role="note" title={t('Notes')} className="name">
      <List>
        {lines.map(line => (
          <List.Item key={line}>{escapeControls(line)}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** What becomes of a line whose pet exists. */
const fates: Readonly<Record<ImportChoices['onExisting'], string>> = {
  load: t('loaded as well'),
  skip: t('left out'),
  update: t('updated'),
  set: t('updated'),
  add: t('updated'),
}

function existingText(count: number, names: string, { onExisting }: ImportChoices): string {
  return countText(
    count,
    '{count} line has the name of another pet of the same category (to be {fate}): {names}',
    '{count} lines have the name of another pet of the same category (to be {fate}): {names}',
    {
      names,
      fate: fates[onExisting],
    },
  )
}

const fileNames = { pets: t('Pets'), categories: t('Categories') }

const problemColumns: readonly Column<ImportResult['report']['problems'][number]>[] = [
  { head: t('File'), isShort: true, cell: ({ file }) => fileNames[file] },
  { head: t('Line'), isNumber: true, cell: ({ line }) => String(line) },
  { head: t('Problem'), cell: ({ message }) => escapeControls(message) },
]

function Problems({ result, files }: { readonly result: ImportResult; readonly files: ChosenFiles }) {
  const { problems, problemCount, rejectsFailure } = result.report
  if (problemCount === 0) return null
  return (
    <>
      {rejectsFailure !== undefined && (
        <Text c="red">
          {t('The invalid lines below are not all: those that the store refused could not be read again.')}
        </Text>
      )}
      <Group>
        {(['categories', 'pets'] as const).map(kind => (
          <RejectsLink key={kind} kind={kind} text={result.rejects[kind]} name={files[kind]?.name} />
        ))}
      </Group>
      <ColumnTable
        label={t('Problems')}
        columns={problemColumns}
        rows={problems.slice(0, SHOWN_MAX)}
        idOf={({ file, line, message }) => `${file} ${line} ${message}`}
        minWidth={TABLE_MIN_PX}
      />
      {problemCount > SHOWN_MAX && (
        <Text c="dimmed">{t('Only the first {count} are listed.', { count: String(SHOWN_MAX) })}</Text>
      )}
    </>
  )
}

interface RejectsLinkProps {
  readonly kind: CatalogueKind
  readonly text: string | undefined
  readonly name: string | undefined
}

/** A button that saves the invalid lines as a file, with the header, to be corrected and imported. */
function RejectsLink({ kind, text, name = `${kind}.csv` }: RejectsLinkProps) {
  if (text === undefined) return null
  return (
    <Button
      variant="default"
      onClick={() => downloadCsv(text, `rejected-${name.replace(/\.xlsx$/i, '.csv')}`)}
    >
      {t(kind === 'pets' ? 'Download the invalid lines of pets' : 'Download the invalid lines of categories')}
    </Button>
  )
}

function summaryOf({ report }: ImportResult): string {
  const { categoriesCreated = 0n, petsCreated = 0n, petsUpdated = 0n } = report.outcome ?? {}
  const created = t('{categories} and {pets}', {
    categories: countText(categoriesCreated, '{count} new category', '{count} new categories'),
    pets: countText(petsCreated, '{count} pet', '{count} pets'),
  })
  if (petsUpdated === 0n) return created
  return `${created}, ${countText(petsUpdated, '{count} pet updated', '{count} pets updated')}`
}
