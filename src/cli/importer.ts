import { basename } from 'node:path'
import {
  IMPORT_ROWS_MAX,
  type ImportedCategory,
  type ImportedPet,
  type ImportOutcome,
  type ImportRows,
  type ImportScope,
} from '../model/import.ts'
import { type ParsedLine, readCategories, readPets } from './catalogue-file.ts'
import { escapeControls } from './terminal.ts'

/** A store, running or stopped, in which rows are staged and then loaded. */
export interface ImportTarget {
  stage(rows: ImportRows): Promise<void>
  apply(scope: ImportScope): Promise<ImportOutcome>
  discard(): Promise<void>
  close(): Promise<void>
}

export interface Files {
  readonly categories?: string | undefined
  readonly pets?: string | undefined
}

export interface ImportReport {
  readonly outcome: ImportOutcome | undefined
  /** Each problem as `file:line: problem`: at most 1000 from reading the files, and at most 1000 from the store. */
  readonly problems: readonly string[]
}

/** A group of rows is sent when its text reaches this length, well below the body size limit. */
const GROUP_CHARS_MAX = 100_000
const PROBLEMS_MAX = 1000

/**
 * Streams files of any size into a store: rows are staged in groups, then loaded in one transaction. Without
 * `keepGoing`, nothing is loaded if any line of either file is invalid.
 */
export async function importFiles(
  target: ImportTarget,
  { categories, pets }: Files,
  scope: ImportScope,
  onBytes: (count: number) => void,
): Promise<ImportReport> {
  const problems: string[] = []
  try {
    if (categories)
      await stageFile(target, categories, readCategories(categories, onBytes), asCategories, problems)
    if (pets) await stageFile(target, pets, readPets(pets, onBytes), asPets, problems)
  } catch (error) {
    await target.discard()
    throw error
  }
  if (problems.length > 0 && !scope.keepGoing && !scope.dryRun) {
    await target.discard()
    return { outcome: undefined, problems }
  }
  const outcome = await target.apply(scope)
  const names = { categories: basename(categories ?? ''), pets: basename(pets ?? '') }
  problems.push(
    ...outcome.problems.map(
      ({ file, line, message }) => `${names[file]}:${line}: ${escapeControls(message)}`,
    ),
  )
  return { outcome, problems }
}

async function stageFile<Row extends { readonly name: string }>(
  target: ImportTarget,
  file: string,
  entries: AsyncGenerator<ParsedLine<Row>>,
  asRows: (group: Row[]) => ImportRows,
  problems: string[],
): Promise<void> {
  let group: Row[] = []
  let chars = 0
  for await (const entry of entries) {
    if ('problem' in entry) {
      if (problems.length < PROBLEMS_MAX) problems.push(`${basename(file)}:${entry.line}: ${entry.problem}`)
      continue
    }
    group.push(entry.row)
    for (const value of Object.values(entry.row)) chars += String(value).length
    if (group.length === IMPORT_ROWS_MAX || chars >= GROUP_CHARS_MAX) {
      await target.stage(asRows(group))
      group = []
      chars = 0
    }
  }
  if (group.length > 0) await target.stage(asRows(group))
}

function asCategories(categories: ImportedCategory[]): ImportRows {
  return { categories, pets: [] }
}

function asPets(pets: ImportedPet[]): ImportRows {
  return { categories: [], pets }
}
