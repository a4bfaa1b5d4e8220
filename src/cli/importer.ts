import { basename } from 'node:path'
import {
  IMPORT_ROWS_MAX,
  type ImportedCategory,
  type ImportedPet,
  type ImportOutcome,
  type ImportProblem,
  type ImportRows,
  type ImportScope,
  type ImportSlice,
  type ImportSliceOutcome,
} from '../model/import.ts'
import { type ParsedLine, readCategories, readPets } from './catalogue-file.ts'
import { NamesInFiles } from './names-in-files.ts'
import { nextSliceRows, SLICE_ROWS_FIRST } from './slice-size.ts'
import { escapeControls } from './terminal.ts'

/** A store, running or stopped, in which rows are staged and then loaded. */
export interface ImportTarget {
  readonly importId: bigint
  stage(rows: ImportRows): Promise<void>
  apply(scope: ImportScope): Promise<ImportOutcome>
  /** Returns the number of categories with each name: 0, 1, or 2 for several. */
  countNames(names: readonly string[]): Promise<readonly bigint[]>
  loadSlice(slice: ImportSlice): Promise<ImportSliceOutcome>
  discard(): Promise<void>
  close(): Promise<void>
}

export interface Files {
  readonly categories?: string | undefined
  readonly pets?: string | undefined
}

export interface ImportReport {
  /** Undefined if the import was discarded before the store was asked to load it. */
  readonly outcome: Omit<ImportOutcome, 'problems'> | undefined
  /** Each problem as `file:line: problem`. Reading, the check of the names, and loading add at most 1000 each. */
  readonly problems: readonly string[]
  /** Whether another process loaded or deleted the rest of an import in slices. */
  readonly isTakenOver?: boolean
}

/** What an import reports while it runs. */
export interface ImportProgress {
  /** Called after each read from a file, with the number of bytes. */
  onBytes(count: number): void
  /** Called once, when all rows are staged and none is loaded. */
  onStaged(rows: number): void
  /** Called with the problems of an import in slices as they are found: an interruption must not hide them. */
  onProblems(problems: readonly string[]): void
  /** Called after each slice, with the number of rows that it loaded or reported as problems. */
  onLoaded(count: number): void
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
  files: Files,
  scope: ImportScope,
  progress: ImportProgress,
): Promise<ImportReport> {
  const { problems, rows } = await stageFiles(target, files, progress)
  if (problems.length > 0 && !scope.keepGoing && !scope.dryRun) {
    await target.discard()
    return { outcome: undefined, problems }
  }
  progress.onStaged(rows)
  const outcome = await target.apply(scope)
  return { outcome, problems: [...problems, ...outcome.problems.map(found => problemText(files, found))] }
}

/**
 * Like `importFiles`, but loads the rows in many short transactions, between which other commands run. All rows are
 * validated before the first is loaded; without `keepGoing`, nothing is loaded if any line is invalid.
 */
export async function importInSlices(
  target: ImportTarget,
  files: Files,
  { keepGoing }: Pick<ImportScope, 'keepGoing'>,
  progress: ImportProgress,
): Promise<ImportReport> {
  const names = new NamesInFiles()
  const { problems, rows } = await stageFiles(target, files, progress, names)
  const refused = await names.check(target)
  // Only the problems of single lines. With keepGoing, the slices report the problems with the names.
  const withoutNames = [...problems]
  problems.push(...refused.slice(0, PROBLEMS_MAX).map(found => problemText(files, found)))
  if (problems.length > 0 && !keepGoing) {
    await target.discard()
    return { outcome: undefined, problems }
  }
  progress.onProblems(withoutNames)
  progress.onStaged(rows)
  const report = await loadSlices(target, files, true, progress)
  // The check reports one problem for all lines with the same unknown name, but the slices report each line.
  return { ...report, problems: [...withoutNames, ...report.problems] }
}

/** Loads the rest of an interrupted import that was started in slices. Returns undefined if there is none. */
export async function resumeSlices(
  target: ImportTarget,
  progress: ImportProgress,
): Promise<ImportReport | undefined> {
  // A resumed import does not know the names of its files.
  const { isKnown, ...report } = await loadSlices(target, {}, false, progress)
  return isKnown ? report : undefined
}

async function loadSlices(
  target: ImportTarget,
  files: Files,
  begins: boolean,
  { onLoaded, onProblems }: ImportProgress,
): Promise<ImportReport & { readonly isKnown: boolean }> {
  const problems: string[] = []
  const sums = { categoriesCreated: 0n, categoriesFound: 0n, petsCreated: 0n }
  let rows = SLICE_ROWS_FIRST
  for (let isFirst = true; ; isFirst = false) {
    const startedMs = performance.now()
    const slice = await target.loadSlice({ rows: BigInt(rows), begins: begins && isFirst })
    rows = nextSliceRows(rows, performance.now() - startedMs)
    sums.categoriesCreated += slice.categoriesCreated
    sums.categoriesFound += slice.categoriesFound
    sums.petsCreated += slice.petsCreated
    const texts = slice.problems.map(found => problemText(files, found))
    onProblems(texts)
    problems.push(...texts.slice(0, PROBLEMS_MAX - problems.length))
    const { categoriesCreated, categoriesFound, petsCreated } = slice
    onLoaded(Number(categoriesCreated + categoriesFound + petsCreated) + slice.problems.length)
    if (!slice.isLast) continue
    const { isKnown } = slice
    return { outcome: sums, problems, isKnown: isKnown || !isFirst, isTakenOver: !isKnown && !isFirst }
  }
}

/** Stages the rows of both files. If that fails, discards what was staged and throws the error. */
async function stageFiles(
  target: ImportTarget,
  { categories, pets }: Files,
  { onBytes }: ImportProgress,
  names?: NamesInFiles,
): Promise<{ problems: string[]; rows: number }> {
  const problems: string[] = []
  let rows = 0
  const stage = async (group: ImportRows): Promise<void> => {
    names?.add(group)
    rows += group.categories.length + group.pets.length
    await target.stage(group)
  }
  try {
    if (categories)
      await stageFile(stage, categories, readCategories(categories, onBytes), asCategories, problems)
    if (pets) await stageFile(stage, pets, readPets(pets, onBytes), asPets, problems)
  } catch (error) {
    // If this fails too, the store deletes the rows after a day. The first error is the one to report.
    await target.discard().catch(() => {})
    throw error
  }
  return { problems, rows }
}

async function stageFile<Row extends { readonly name: string }>(
  stage: (rows: ImportRows) => Promise<void>,
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
      await stage(asRows(group))
      group = []
      chars = 0
    }
  }
  if (group.length > 0) await stage(asRows(group))
}

function problemText(files: Files, { file, line, message }: ImportProblem): string {
  return `${basename(files[file] ?? file)}:${line}: ${escapeControls(message)}`
}

function asCategories(categories: ImportedCategory[]): ImportRows {
  return { categories, pets: [] }
}

function asPets(pets: ImportedPet[]): ImportRows {
  return { categories: [], pets }
}
