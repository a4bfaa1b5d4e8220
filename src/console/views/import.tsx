import {
  Alert,
  Button,
  Checkbox,
  Code,
  Fieldset,
  FileInput,
  Group,
  List,
  Radio,
  Stack,
  Text,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { CatalogueKind } from '../../catalogue/catalogue-file.ts'
import { UnreadableFile } from '../../catalogue/file-text.ts'
import { escapeControls } from '../../values/control-characters.ts'
import {
  type ChosenFiles,
  type ImportChoices,
  type ImportResult,
  runImport,
} from '../data/catalogue-import.ts'
import { useChange } from '../data/change.ts'
import { useSession } from '../data/session-context.ts'
import { downloadCsv } from '../parts/generic/download.ts'
import { Page } from '../parts/generic/page.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { UnknownAlert } from '../parts/generic/unknown-alert.tsx'
import { countText } from '../parts/names/format.ts'
import { Refusal } from '../parts/names/refusal.tsx'
import { ViewLink } from '../parts/names/view-link.tsx'

const TABLE_MIN_PX = 440
/** The maximum number of problems that the page lists. */
const SHOWN_MAX = 100
/** The files that a person may have saved with a spreadsheet. */
const FILE_TYPES = '.xlsx,.csv,.tsv,.tab,.txt,text/csv,text/tab-separated-values,text/plain'

const options: readonly {
  readonly name: 'createCategories' | 'keepGoing'
  readonly label: string
}[] = [
  { name: 'createCategories', label: 'Create the categories that pets name and that do not exist' },
  { name: 'keepGoing', label: 'Load the valid lines even if others are invalid' },
]

export function Import() {
  const { key } = useSession()
  const queries = useQueryClient()
  const [files, setFiles] = useState<ChosenFiles>({ categories: null, pets: null })
  const [choices, setChoices] = useState<ImportChoices>({
    keepGoing: false,
    onExisting: 'load',
    createCategories: false,
  })
  const check = useMutation({ mutationFn: () => runImport(key, files, choices, 'check') })
  const [loaded, setLoaded] = useState<ImportResult>()
  const change = useChange<ImportResult>('import', {
    onDone: result => {
      setLoaded(result)
      return queries.invalidateQueries()
    },
    onFailed: () => void queries.invalidateQueries(),
  })
  // A result belongs to the files and the options that were checked.
  const forgetResult = (): void => {
    check.reset()
    change.reset()
    setLoaded(undefined)
  }
  const choose = (kind: CatalogueKind, file: File | null): void => {
    forgetResult()
    setFiles({ ...files, [kind]: file })
    // Another file may have another mark.
    if (kind === 'pets') setChoices({ ...choices, decimalMark: undefined })
  }
  const giveUp = (): void => {
    change.giveUp()
    forgetResult()
  }
  const result = loaded ?? check.data
  const isLoaded = loaded?.report.outcome !== undefined
  const isEmpty = !files.categories && !files.pets
  const isBusy = check.isPending || change.isRunning
  return (
    <Page title="Import">
      <Text>
        A categories file has the columns <Code>name</Code> and <Code>description</Code>. A pets file has{' '}
        <Code>name</Code>, <Code>category</Code> (the name of the category), <Code>quantity</Code>,{' '}
        <Code>hold</Code> (yes, no or empty), <Code>reorderAt</Code>, <Code>price</Code> and{' '}
        <Code>barcode</Code>. Only <Code>name</Code> and <Code>category</Code> are required. A file can be an
        Excel workbook (.xlsx) or “CSV UTF-8”.
      </Text>
      <Fieldset variant="unstyled" maw={480} disabled={isBusy || change.unknown !== undefined}>
        <Stack>
          {(['categories', 'pets'] as const).map(kind => (
            <FileField key={kind} kind={kind} file={files[kind]} onChange={file => choose(kind, file)} />
          ))}
          <Choices
            choices={choices}
            asksForMark={result?.findings.hasUnclearPrices ?? false}
            onChange={changed => {
              forgetResult()
              setChoices({ ...choices, ...changed })
            }}
          />
          <Group>
            <Button
              variant="default"
              onClick={() => {
                forgetResult()
                check.mutate()
              }}
              loading={isBusy}
              disabled={isEmpty}
            >
              Check
            </Button>
            <Button
              onClick={() => {
                change.start(() => ({
                  send: () => runImport(key, files, choices, 'import'),
                  isRepeatable: false,
                }))
              }}
              loading={isBusy}
              disabled={loaded !== undefined || change.error !== null || !canLoad(check.data, choices)}
            >
              Import
            </Button>
          </Group>
        </Stack>
      </Fieldset>
      <ImportError error={change.error ?? check.error} />
      <UnknownAlert
        change={{ ...change, giveUp }}
        look={{ path: '/pets?sort=-id', what: 'the newest pets' }}
      />
      {result && <Outcome result={result} isLoaded={isLoaded} keepGoing={choices.keepGoing} />}
      {result && <Notices result={result} choices={choices} />}
      {result && <Problems result={result} files={files} />}
    </Page>
  )
}

interface ChoicesProps {
  readonly choices: ImportChoices
  /** Whether the file has prices such as 1.250, and none that shows what they mean. */
  readonly asksForMark: boolean
  readonly onChange: (changed: Partial<ImportChoices>) => void
}

function Choices({ choices, asksForMark, onChange }: ChoicesProps) {
  return (
    <>
      {options.map(({ name, label }) => (
        <Checkbox
          key={name}
          label={label}
          checked={choices[name]}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
        />
      ))}
      {(asksForMark || choices.decimalMark) && (
        <Radio.Group
          label="How are decimals written in the prices?"
          description="Choose, and check the file again"
          value={choices.decimalMark ?? null}
          onChange={mark => onChange({ decimalMark: mark === ',' ? ',' : '.' })}
        >
          <Group mt="xs">
            <Radio value="," label="With a comma: 12,50" />
            <Radio value="." label="With a point: 12.50" />
          </Group>
        </Radio.Group>
      )}
    </>
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
      label={kind === 'pets' ? 'Pets' : 'Categories'}
      placeholder={`${kind}.csv`}
      accept={FILE_TYPES}
      clearable
      clearButtonProps={{ 'aria-label': `Remove the ${kind} file` }}
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
  const { categoriesCreated, petsCreated } = outcome
  return categoriesCreated + petsCreated > 0n && (keepGoing || result.findings.problemCount === 0)
}

function ImportError({ error }: { readonly error: unknown }) {
  if (error instanceof UnreadableFile) {
    return (
      <Alert color="red" role="alert" title="The file cannot be read" className="name">
        {error.message}
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
  const summary = summaryOf(result)
  const wrong = `${countText(problemCount, 'line', 'lines')} cannot be imported`
  if (isLoaded) {
    return (
      <Alert color="teal" role="status" title="Imported">
        {summary} were loaded.{problemCount > 0 && ` ${wrong}.`}{' '}
        <ViewLink href="/pets">See the pets</ViewLink>
      </Alert>
    )
  }
  if (problemCount === 0) {
    return (
      <Alert color="teal" role="status" title="Every line is valid">
        {summary} can be imported.
      </Alert>
    )
  }
  return (
    <Alert color="red" role="alert" title={wrong}>
      {keepGoing
        ? `Nothing was loaded yet. ${summary} can be imported.`
        : 'Nothing was loaded. Correct the lines in the file, choose the file again, and check it again.'}
    </Alert>
  )
}

function Notices({ result, choices }: { readonly result: ImportResult; readonly choices: ImportChoices }) {
  const { notices, missingCategoryCount, existing, existingCount } = result.findings
  const names = existing.map(({ line, name }) => `${line}: ${name}`).join(', ')
  const pets = countText(existingCount, 'line has', 'lines have')
  const fate = choices.onExisting === 'skip' ? 'left out' : 'loaded as well'
  const isMore = existingCount > existing.length
  const lines = [...notices]
  if (missingCategoryCount > 0) {
    const missing = countText(missingCategoryCount, 'category is', 'categories are')
    lines.push(`${missing} missing. The page can create them.`)
  }
  if (existingCount > 0)
    lines.push(
      `${pets} the name of another pet of the same category (to be ${fate}): ${names}${isMore ? ', …' : ''}`,
    )
  if (lines.length === 0) return null
  return (
    <Alert color="yellow" role="note" title="Notes" className="name">
      <List>
        {lines.map(line => (
          <List.Item key={line}>{escapeControls(line)}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

const problemColumns: readonly Column<ImportResult['report']['problems'][number]>[] = [
  { head: 'File', isShort: true, cell: ({ file }) => file },
  { head: 'Line', isNumber: true, cell: ({ line }) => String(line) },
  { head: 'Problem', cell: ({ message }) => escapeControls(message) },
]

function Problems({ result, files }: { readonly result: ImportResult; readonly files: ChosenFiles }) {
  const { problems, problemCount } = result.report
  if (problemCount === 0) return null
  return (
    <>
      <Group>
        {(['categories', 'pets'] as const).map(kind => (
          <RejectsLink key={kind} kind={kind} text={result.rejects[kind]} name={files[kind]?.name} />
        ))}
      </Group>
      <ColumnTable
        label="Problems"
        columns={problemColumns}
        rows={problems.slice(0, SHOWN_MAX)}
        idOf={({ file, line, message }) => `${file} ${line} ${message}`}
        minWidth={TABLE_MIN_PX}
      />
      {problemCount > SHOWN_MAX && <Text c="dimmed">Only the first {SHOWN_MAX} are listed.</Text>}
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
      Download the invalid lines of {kind}
    </Button>
  )
}

function summaryOf({ report }: ImportResult): string {
  const { categoriesCreated = 0n, petsCreated = 0n } = report.outcome ?? {}
  const first = countText(categoriesCreated, 'new category', 'new categories')
  return `${first} and ${countText(petsCreated, 'pet', 'pets')}`
}
