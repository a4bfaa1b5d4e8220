import { Alert, Anchor, Button, Code, FileInput, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { type CatalogueFile, readCatalogue, UnreadableFile } from '../data/catalogue-file.ts'
import { type ImportResult, importRows } from '../data/catalogue-import.ts'
import { useSession } from '../data/store.ts'
import { formatNumber } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { Refusal } from '../parts/refusal.tsx'

/** The maximum number of problems that the page lists. */
const SHOWN_MAX = 100

type ChosenFiles = Readonly<Record<CatalogueFile, File | null>>

/** Loads categories and pets from CSV files, after a dry run that lists the invalid lines. */
export function Import() {
  const { key } = useSession()
  const queries = useQueryClient()
  const [files, setFiles] = useState<ChosenFiles>({ categories: null, pets: null })
  const run = useMutation({
    mutationFn: async (dryRun: boolean) => ({ dryRun, result: await load(key, files, dryRun) }),
    onSuccess: ({ dryRun }) => (dryRun ? undefined : queries.invalidateQueries()),
  })
  const choose = (name: CatalogueFile, file: File | null): void => {
    run.reset()
    setFiles({ ...files, [name]: file })
  }
  const checked = run.data?.dryRun ? run.data.result : undefined
  const loaded = run.data?.dryRun === false ? run.data.result : undefined
  const isValid = checked !== undefined && checked.problems.length === 0
  const isEmpty = !files.categories && !files.pets
  return (
    <Page title="Import">
      <Text>
        A categories file has the columns <Code>name</Code> and <Code>description</Code>. A pets file has{' '}
        <Code>name</Code>, <Code>category</Code> (the name of the category), <Code>quantity</Code> and{' '}
        <Code>hold</Code> (yes, no or empty). Only <Code>name</Code> and <Code>category</Code> are required.
        Nothing is loaded until every line is valid.
      </Text>
      <Stack maw={480}>
        <FileField
          label="Categories"
          kind="categories"
          file={files.categories}
          onChange={file => choose('categories', file)}
        />
        <FileField label="Pets" kind="pets" file={files.pets} onChange={file => choose('pets', file)} />
        <Group>
          <Button
            variant="default"
            onClick={() => run.mutate(true)}
            loading={run.isPending}
            disabled={isEmpty}
          >
            Check
          </Button>
          <Button onClick={() => run.mutate(false)} loading={run.isPending} disabled={!isValid}>
            Import
          </Button>
        </Group>
      </Stack>
      <ImportError error={run.error} />
      {checked && <Checked result={checked} />}
      {loaded && <Loaded result={loaded} />}
    </Page>
  )
}

interface FileFieldProps {
  readonly label: string
  readonly kind: CatalogueFile
  readonly file: File | null
  readonly onChange: (file: File | null) => void
}

function FileField({ label, kind, file, onChange }: FileFieldProps) {
  const forget = useRef<() => void>(null)
  return (
    <FileInput
      label={label}
      placeholder={`${kind}.csv`}
      accept=".csv,text/csv"
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

async function load(key: string, files: ChosenFiles, dryRun: boolean): Promise<ImportResult> {
  const read = async (name: CatalogueFile) =>
    files[name] ? readCatalogue(name, files[name]) : { rows: [], problems: [] }
  const [categories, pets] = [await read('categories'), await read('pets')]
  const fileProblems = [...categories.problems, ...pets.problems]
  const rows = { categories: categories.rows, pets: pets.rows }
  const result = await importRows(key, rows, dryRun || fileProblems.length > 0)
  const problems = [...fileProblems, ...result.problems].toSorted(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line,
  )
  return { ...result, problems }
}

/** Shows why a file cannot be read, or why the store refused the import. */
function ImportError({ error }: { readonly error: unknown }) {
  if (error instanceof UnreadableFile) {
    return (
      <Alert color="red" role="alert" title="The file cannot be read" className="name">
        {error.message}
      </Alert>
    )
  }
  return <Refusal error={error} change="once" />
}

function Checked({ result }: { readonly result: ImportResult }) {
  const { problems } = result
  if (problems.length === 0) {
    return (
      <Alert color="teal" role="status" title="Every line is valid">
        {summaryOf(result)} can be imported.
      </Alert>
    )
  }
  return (
    <>
      <Alert
        color="red"
        role="alert"
        title={`${formatNumber(problems.length, 'line', 'lines')} cannot be imported`}
      >
        Nothing was loaded. Correct the lines in the file, choose the file again, and check it again.
      </Alert>
      <Table aria-label="Problems">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>File</Table.Th>
            <Table.Th className="number">Line</Table.Th>
            <Table.Th>Problem</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {problems.slice(0, SHOWN_MAX).map(({ file, line, message }) => (
            <Table.Tr key={`${file} ${line} ${message}`}>
              <Table.Td>{file}</Table.Td>
              <Table.Td className="number">{line}</Table.Td>
              <Table.Td className="name">{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {problems.length > SHOWN_MAX && <Text c="dimmed">Only the first {SHOWN_MAX} are listed.</Text>}
    </>
  )
}

function summaryOf({ categories, pets }: ImportResult): string {
  const first = formatNumber(categories, 'new category', 'new categories')
  return `${first} and ${formatNumber(pets, 'pet', 'pets')}`
}

function Loaded({ result }: { readonly result: ImportResult }) {
  return (
    <Alert color="teal" role="status" title="Imported">
      {summaryOf(result)} were loaded.{' '}
      <Anchor component={Link} href="/pets">
        See the pets
      </Anchor>
    </Alert>
  )
}
