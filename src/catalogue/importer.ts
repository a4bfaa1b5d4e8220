import { IMPORT_ROWS_MAX, type OnExisting, SLICE_ROWS_MAX } from '../shop/imports/limits.ts'
import type {
  AppliedImport,
  AppliedSlice,
  ImportedCategory,
  ImportedPet,
  ImportProblem,
  ImportRows,
  ImportSlice,
  ImportTakeBack,
  TakenBack,
} from '../shop/imports/schema.ts'
import { escapeControls } from '../values/control-characters.ts'
import { CURRENCY_DEFAULT, type DecimalMark } from '../values/currency.ts'
import { message } from '../values/message.ts'
import { caselessForm } from '../values/same-name.ts'
import {
  type CatalogueKind,
  type ColumnChoices,
  type FileColumn,
  type ParsedLine,
  type RecordText,
  readCategories,
  readPets,
} from './catalogue-file.ts'
import { shownCell } from './cell.ts'
import type { CatalogueSource } from './file-text.ts'
import { type NameSource, RowCheck, type RowResult } from './row-check.ts'
import { nextSliceRows, SLICE_ROWS_FIRST } from './slice-size.ts'

/** A store, running or stopped, in which rows are staged and then loaded. */
export interface ImportTarget extends NameSource {
  readonly importId: bigint
  stage(rows: ImportRows): Promise<void>
  /** A slice that is sent again after an error has the same idempotency key. */
  loadSlice(slice: ImportSlice, idempotencyKey: string): Promise<AppliedSlice>
  discard(): Promise<void>
  close(): Promise<void>
}

/** A store, running or stopped, in which an import is taken back. */
export interface TakeBackTarget {
  takeBack(slice: ImportTakeBack): Promise<TakenBack>
}

/** The files of an import; undefined if there is no such file. */
export type ImportSources = { readonly [kind in CatalogueKind]?: CatalogueSource | undefined }

/** How files are loaded. */
export interface ImportPlan {
  /** Whether to load the valid lines even if others are invalid. */
  readonly keepGoing: boolean
  /** What to do with a pet that exists, in the store or on an earlier line; `load` by default. */
  readonly onExisting?: OnExisting
  /** Whether to create a category that pets name, but neither the store nor the file of categories has. */
  readonly createCategories?: boolean
  /** The mark before the decimals of prices; by default, the prices of the file show it. */
  readonly decimalMark?: DecimalMark | undefined
  /** Whether barcodes get the zeros that a spreadsheet seems to have removed. */
  readonly addsZeros?: boolean
  /** What a person says about the columns of the file of pets. */
  readonly columns?: ColumnChoices
  /** Called with the columns of the file of pets, also if it is refused because one is missing. */
  readonly onColumns?: (columns: readonly FileColumn[]) => void
  readonly onRejected?: (file: CatalogueKind, text: RecordText) => void
  /** Shortens the texts that are remembered, for a file with a million pets. */
  readonly digest?: (text: string) => string
  /** Whether nothing else uses the store, so that slices may be long. */
  readonly isAlone?: boolean
  /** Aborts the import while the files are read, and between two slices. It then throws the reason of this signal. */
  readonly signal?: AbortSignal
}

/** What the check of all lines found, before any of them is loaded. */
export interface Findings {
  /** What a person should know about files that are read: ignored columns, categories in another case. */
  readonly notices: readonly string[]
  /** The first 1000 problems, in the order of the lines. */
  readonly problems: readonly ImportProblem[]
  readonly problemCount: number
  /** The number of names of categories that do not exist, and that `createCategories` would create. */
  readonly missingCategoryCount: number
  /** Whether a price may be read in two ways, so that `decimalMark` is needed. */
  readonly hasUnclearPrices?: boolean
  /** Whether a barcode seems to lack zeros, which `addsZeros` would add. */
  readonly hasLostZeros?: boolean
  /** The first ten of the pets that exist. */
  readonly existing: readonly Pick<ImportedPet, 'line' | 'name'>[]
  readonly existingCount: number
}

export interface ImportReport {
  /** Undefined if the import was discarded before the store was asked to load it. */
  readonly outcome: Omit<AppliedImport, 'problems'> | undefined
  /** At most 1000 problems from the check, and 1000 from the store. */
  readonly problems: readonly ImportProblem[]
  readonly problemCount: number
  /** Whether another process loaded or deleted the rest of the import. */
  readonly isTakenOver?: boolean
  /** Why lines that the store refused are not among the rejected ones. */
  readonly rejectsFailure?: unknown
}

/** What an import reports while it runs. */
export interface ImportProgress {
  /** Called after each read from a file, with the number of bytes. */
  onBytes(count: number): void
  /** Called once, when all lines are checked and none is loaded. */
  onChecked(findings: Findings): void
  /** Called once, when all rows are staged and none is loaded. */
  onStaged(rows: number): void
  /** Called with the rows that the store could not load, although they were valid when they were checked. */
  onProblems(problems: readonly ImportProblem[]): void
  /** Called after each slice, with the number of rows that it loaded, skipped or reported as problems. */
  onLoaded(count: number): void
}

/** A group of rows is sent when its text reaches this length, well below the body size limit. */
const GROUP_CHARS_MAX = 100_000
const PROBLEMS_MAX = 1000
const EXISTING_MAX = 10
const NAMES_SHOWN = 10
/**
 * Added to the line of a pet to number the row of a category that is created for it: a file of categories has fewer
 * lines.
 */
const CREATED_LINES_FROM = 500_000_000_000n

const countNames = [
  'categoriesCreated',
  'categoriesFound',
  'petsCreated',
  'petsUpdated',
  'petsSkipped',
] as const

function noCounts(): Record<(typeof countNames)[number], bigint> {
  return { categoriesCreated: 0n, categoriesFound: 0n, petsCreated: 0n, petsUpdated: 0n, petsSkipped: 0n }
}

/** Checks every line of the files, as an import does. Changes nothing, and returns what an import would load. */
export async function checkFiles(
  store: NameSource,
  files: ImportSources,
  plan: ImportPlan,
  progress: ImportProgress,
): Promise<ImportReport> {
  const checked = await readFiles(store, files, plan, progress, async () => {})
  progress.onChecked(checked)
  return { ...checked, outcome: checked.counts }
}

/** An import whose lines are checked, and whose rows are staged. */
export interface StagedImport {
  /** Loads the rows. After an error, it can be called again, and goes on with the slice that failed. */
  load(signal?: AbortSignal): Promise<ImportReport>
}

/** Like `stageFiles`, and then loads the rows. */
export async function importFiles(
  target: ImportTarget,
  files: ImportSources,
  plan: ImportPlan,
  progress: ImportProgress,
): Promise<ImportReport> {
  const staged = await stageFiles(target, files, plan, progress)
  return staged.load(plan.signal)
}

/** Loads the rows that are staged in a store, in many short transactions, between which other commands run. */
export function loadStaged(
  target: ImportTarget,
  plan: Pick<ImportPlan, 'onExisting' | 'isAlone' | 'signal'>,
  progress: ImportProgress,
): Promise<ImportReport> {
  return new SliceLoader(target, { ...plan, begins: true }, progress).load(plan.signal)
}

/**
 * Loads the rest of an interrupted import, with the `onExisting` with which it was started. Returns undefined if the
 * store has no such import.
 */
export async function resumeImport(
  target: ImportTarget,
  plan: Pick<ImportPlan, 'isAlone' | 'signal'>,
  progress: ImportProgress,
): Promise<ImportReport | undefined> {
  const loader = new SliceLoader(target, { ...plan, begins: false }, progress)
  const report = await loader.load(plan.signal)
  return loader.isKnown ? report : undefined
}

/** What taking back an import did, or would do. */
export interface TakeBackReport {
  readonly takenBack: bigint
  /** The first 1000 of what stays. */
  readonly kept: TakenBack['kept']
  readonly keptCount: number
}

/** The number of changes that are taken back in one transaction. */
const TAKEN_BACK_PER_SLICE = 200n

/**
 * Takes an import back in slices: it may be repeated after an interruption. Returns undefined if the store keeps no
 * such import. With `dryRun`, changes nothing.
 */
export async function takeBackImport(
  target: TakeBackTarget,
  dryRun: boolean,
  signal?: AbortSignal,
): Promise<TakeBackReport | undefined> {
  const kept: TakenBack['kept'] = []
  let keptCount = 0
  let takenBack = 0n
  let after: TakenBack['next']
  do {
    signal?.throwIfAborted()
    const slice = await target.takeBack({ rows: TAKEN_BACK_PER_SLICE, dryRun, ...(after && { after }) })
    if (!slice.isKnown) return undefined
    takenBack += slice.takenBack
    keptCount += slice.kept.length
    kept.push(...slice.kept.slice(0, PROBLEMS_MAX - kept.length))
    after = slice.next
  } while (after)
  return { takenBack, kept, keptCount }
}

/** Loads the rows that are staged, slice by slice. After an error, it goes on with the slice that failed. */
class SliceLoader {
  /** Whether the store had the import when the first slice was loaded. */
  isKnown = true
  /** The lines that the store refused. */
  readonly refused = { categories: new Set<bigint>(), pets: new Set<bigint>() }
  readonly #target: ImportTarget
  readonly #plan: Pick<ImportPlan, 'onExisting' | 'isAlone'> & { readonly begins: boolean }
  readonly #progress: ImportProgress
  /** The first 1000 problems. */
  readonly #problems: ImportProblem[] = []
  #problemCount = 0
  readonly #sums = noCounts()
  /** Random, because another process may resume the import. */
  readonly #keyPrefix = crypto.getRandomValues(new BigUint64Array(2)).join('-')
  #slices = 0
  #rows: number

  constructor(
    target: ImportTarget,
    plan: Pick<ImportPlan, 'onExisting' | 'isAlone'> & { readonly begins: boolean },
    progress: ImportProgress,
  ) {
    this.#target = target
    this.#plan = plan
    this.#progress = progress
    this.#rows = plan.isAlone ? SLICE_ROWS_MAX : SLICE_ROWS_FIRST
  }

  async load(signal: AbortSignal | undefined): Promise<ImportReport> {
    for (;;) {
      signal?.throwIfAborted()
      const { isKnown, isLast } = await this.#loadSlice()
      if (!isLast) continue
      if (this.#slices === 1) this.isKnown = isKnown
      const counts = { outcome: this.#sums, problems: this.#problems, problemCount: this.#problemCount }
      return { ...counts, isTakenOver: !isKnown && this.#slices > 1 }
    }
  }

  async #loadSlice(): Promise<AppliedSlice> {
    const { onExisting = 'load', begins, isAlone } = this.#plan
    const startedMs = performance.now()
    const slice = await this.#target.loadSlice(
      { rows: BigInt(this.#rows), begins: begins && this.#slices === 0, onExisting },
      `${this.#keyPrefix}-${this.#slices}`,
    )
    this.#slices++
    if (!isAlone) this.#rows = nextSliceRows(this.#rows, performance.now() - startedMs)
    let loaded = 0n
    for (const count of countNames) {
      this.#sums[count] += slice[count]
      loaded += slice[count]
    }
    for (const { file, line } of slice.problems) this.refused[file].add(line)
    this.#progress.onProblems(slice.problems)
    this.#problems.push(...slice.problems.slice(0, PROBLEMS_MAX - this.#problems.length))
    this.#problemCount += slice.problems.length
    this.#progress.onLoaded(Number(loaded) + slice.problems.length)
    return slice
  }
}

/**
 * Checks all lines of files of any size, and stages the valid ones. Without `keepGoing`, nothing is loaded if a line is
 * invalid. Discards the rows if nothing may be loaded, or if an error is thrown.
 */
export async function stageFiles(
  target: ImportTarget,
  files: ImportSources,
  plan: ImportPlan,
  progress: ImportProgress,
): Promise<StagedImport> {
  let rows = 0
  try {
    const checked = await readFiles(target, files, plan, progress, async group => {
      rows += group.categories.length + group.pets.length
      await target.stage(group)
    })
    progress.onChecked(checked)
    plan.signal?.throwIfAborted()
    if (checked.problemCount > 0 && !plan.keepGoing) {
      await target.discard()
      return { load: async () => ({ ...checked, outcome: undefined }) }
    }
    progress.onStaged(rows)
    const loader = new SliceLoader(target, { ...plan, begins: true }, progress)
    return {
      load: async signal => {
        const report = withChecked(await loader.load(signal), checked)
        // What is loaded stays loaded, also if a file cannot be read again.
        try {
          await rejectRefused(files, plan, loader.refused)
          return report
        } catch (rejectsFailure) {
          return { ...report, rejectsFailure }
        }
      },
    }
  } catch (error) {
    // If this fails too, the store deletes the rows after a day. The first error is the one to report.
    await target.discard().catch(() => {})
    throw error
  }
}

/** Reads the files again, and rejects the lines that the store refused. They were valid when they were checked. */
async function rejectRefused(
  { categories, pets }: ImportSources,
  { columns: chosen, onRejected }: ImportPlan,
  refused: Readonly<Record<CatalogueKind, ReadonlySet<bigint>>>,
): Promise<void> {
  if (!onRejected) return
  const ignore = (): void => {}
  const read = {
    categories: categories && readCategories(categories, ignore),
    // Only the number of the line is used, so its price may be read in any currency and with any mark.
    pets: pets && readPets(pets, ignore, CURRENCY_DEFAULT, { decimalMark: '.', chosen }),
  }
  for (const file of ['categories', 'pets'] as const) {
    if (refused[file].size === 0) continue
    for await (const entry of read[file] ?? []) {
      if (refused[file].has('row' in entry ? entry.row.line : entry.line)) onRejected(file, entry.source)
    }
  }
}

/** Adds what the check of the lines found to what the store loaded. */
function withChecked(
  { outcome = noCounts(), problems, problemCount, ...loaded }: ImportReport,
  checked: CheckedFiles,
): ImportReport {
  return {
    ...loaded,
    outcome: { ...outcome, petsSkipped: outcome.petsSkipped + checked.counts.petsSkipped },
    problems: [...checked.problems, ...problems],
    problemCount: checked.problemCount + problemCount,
  }
}

interface CheckedFiles extends Findings {
  readonly counts: Omit<AppliedImport, 'problems'>
}

/** Reads both files, checks their lines, and passes the rows to load to `onRows`, in groups. */
async function readFiles(
  store: NameSource,
  { categories, pets }: ImportSources,
  plan: ImportPlan,
  { onBytes }: ImportProgress,
  onRows: (rows: ImportRows) => Promise<void>,
): Promise<CheckedFiles> {
  const { onExisting = 'load', createCategories = false, digest } = plan
  const check = new RowCheck(store, {
    createsCategories: createCategories,
    onExisting,
    ...(digest && { digest }),
  })
  const log = new FindingsLog(plan)
  if (categories) {
    for await (const group of groupsOf(readCategories(counted(categories, onBytes), log.addNotice))) {
      const rows = rowsIn(group)
      const found = log.note('categories', group, await check.checkCategories(rows))
      log.counts.categoriesFound += BigInt(found.existing.length)
      log.counts.categoriesCreated += BigInt(found.fresh.length)
      const staged = rows.filter(row => !found.refused.has(row))
      if (staged.length > 0) await onRows({ categories: staged, pets: [] })
    }
  }
  if (pets) {
    const currency = await store.findCurrency()
    const needsUnits = onExisting === 'set' || onExisting === 'add'
    const format = {
      decimalMark: plan.decimalMark,
      again: pets,
      onUnclearPrice: log.noteUnclearPrice,
      addsZeros: plan.addsZeros,
      onLostZeros: log.noteLostZeros,
      needsUnits,
      chosen: plan.columns,
      onColumns: plan.onColumns,
    }
    for await (const group of groupsOf(readPets(counted(pets, onBytes), log.addNotice, currency, format))) {
      const rows = rowsIn(group)
      const found = log.note('pets', group, await check.checkPets(rows))
      for (const row of found.existing) log.noteExisting(row)
      const isSkip = onExisting === 'skip'
      const staged = isSkip ? found.fresh : rows.filter(row => !found.refused.has(row))
      log.counts.petsCreated += BigInt((onExisting === 'load' ? staged : found.fresh).length)
      if (onExisting !== 'load')
        log.counts[isSkip ? 'petsSkipped' : 'petsUpdated'] += BigInt(found.existing.length)
      const created = log.noteCreated(check.takeCreated())
      if (staged.length > 0 || created.length > 0) await onRows({ categories: created, pets: staged })
    }
    log.noteNames(pets.name, check.spellings)
  }
  log.noteShared(check.shared)
  return log
}

function counted(source: CatalogueSource, onBytes: (count: number) => void): CatalogueSource {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.chunks()) {
      onBytes(chunk.length)
      yield chunk
    }
  }
  return { name: source.name, chunks }
}

class FindingsLog implements CheckedFiles {
  readonly notices: string[] = []
  readonly problems: ImportProblem[] = []
  problemCount = 0
  readonly existing: ImportedPet[] = []
  existingCount = 0
  missingCategoryCount = 0
  hasUnclearPrices = false
  readonly counts = noCounts()
  readonly #plan: ImportPlan
  readonly #missing = new Set<string>()
  readonly #created: string[] = []
  /** The lines of the pets that an earlier line names, too. */
  readonly #repeats: string[] = []
  /** The barcodes that seem to lack zeros. */
  readonly #lostZeros: string[] = []

  constructor(plan: ImportPlan) {
    this.#plan = plan
  }

  readonly addNotice = (notice: string): void => {
    this.notices.push(notice)
  }

  readonly noteUnclearPrice = (): void => {
    this.hasUnclearPrices = true
  }

  get hasLostZeros(): boolean {
    return this.#lostZeros.length > 0
  }

  readonly noteLostZeros = (barcode: string): void => {
    this.#lostZeros.push(barcode)
  }

  /** Returns the rows with which the categories are created, and notes their names. */
  noteCreated(rows: readonly ImportedCategory[]): ImportedCategory[] {
    this.#created.push(...rows.map(({ name }) => shownCell(name)))
    this.counts.categoriesCreated += BigInt(rows.length)
    return rows.map(({ line, name }) => ({ line: line + CREATED_LINES_FROM, name }))
  }

  /** Adds the notices about repeated pets, and about categories that pets create, or name in another case. */
  noteNames(file: string, spellings: ReadonlyMap<string, string>): void {
    const name = escapeControls(file)
    this.#noteZeros(name)
    const count = this.#repeats.length
    const repeats =
      count === 1
        ? message`${count} line repeats the name and category of an earlier line`
        : message`${count} lines repeat the name and category of an earlier line`
    if (count > 0)
      this.notices.push(message`${name}: ${repeats}, and each is a pet of its own: ${listOf(this.#repeats)}`)
    if (this.#created.length > 0)
      this.notices.push(
        message`${name}: the file names new categories, which are created: ${listOf(this.#created)}`,
      )
    const changed = [...spellings].map(
      ([given, known]) => message`${shownCell(given)} as ${shownCell(known)}`,
    )
    if (changed.length > 0)
      this.notices.push(message`${name}: categories are found without regard to case: ${listOf(changed)}`)
  }

  /** Adds the notice about barcodes that seem to lack zeros. */
  #noteZeros(name: string): void {
    const count = this.#lostZeros.length
    const zeros =
      count === 1
        ? message`${count} barcode seems to have lost zeros at its start`
        : message`${count} barcodes seem to have lost zeros at their start`
    if (count > 0) this.notices.push(`${name}: ${zeros}: ${listOf(this.#lostZeros)}`)
  }

  /** Adds the notice about names that several categories of the store have. */
  noteShared(names: ReadonlySet<string>): void {
    const shown = [...names].map(name => shownCell(name))
    if (shown.length > 0)
      this.notices.push(
        message`the store has several categories of one name, and the oldest is used: ${listOf(shown)}`,
      )
  }

  /** Notes the problems of a group, in the order of its lines, and returns its rows by their result. */
  note<Row extends { readonly line: bigint; readonly name: string }>(
    file: CatalogueKind,
    group: readonly ParsedLine<Row>[],
    results: readonly RowResult[],
  ): { fresh: Row[]; existing: Row[]; refused: ReadonlySet<Row> } {
    this.#plan.signal?.throwIfAborted()
    const fresh: Row[] = []
    const existing: Row[] = []
    const refused = new Set<Row>()
    let index = 0
    for (const entry of group) {
      if ('problem' in entry) {
        this.#noteProblem({ file, line: entry.line, message: entry.problem }, entry.source)
        continue
      }
      const result = results[index++] ?? 'new'
      const repeats = result === 'repeated'
      const isLoaded = (this.#plan.onExisting ?? 'load') === 'load'
      if (repeats && isLoaded) this.#repeats.push(`${entry.row.line} (${shownCell(entry.row.name)})`)
      if (result === 'new' || (repeats && isLoaded)) fresh.push(entry.row)
      else if (result === 'existing' || repeats) existing.push(entry.row)
      else {
        refused.add(entry.row)
        if (result.isMissingCategory && 'category' in entry.row) {
          this.missingCategoryCount = this.#missing.add(caselessForm(String(entry.row.category))).size
        }
        this.#noteProblem({ file, line: entry.row.line, message: result.problem }, entry.source)
      }
    }
    return { fresh, existing, refused }
  }

  noteExisting(pet: ImportedPet): void {
    this.existingCount++
    if (this.existing.length < EXISTING_MAX) this.existing.push(pet)
  }

  #noteProblem(problem: ImportProblem, text: RecordText): void {
    this.problemCount++
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(problem)
    this.#plan.onRejected?.(problem.file, text)
  }
}

function listOf(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? message` and ${names.length - NAMES_SHOWN} more` : ''
  return names.slice(0, NAMES_SHOWN).join(', ') + more
}

function rowsIn<Row>(group: readonly ParsedLine<Row>[]): Row[] {
  return group.flatMap(entry => ('row' in entry ? [entry.row] : []))
}

/** Divides the lines of a file into groups that can be checked and staged together. */
async function* groupsOf<Row extends ImportedCategory | ImportedPet>(
  entries: AsyncGenerator<ParsedLine<Row>>,
): AsyncGenerator<ParsedLine<Row>[]> {
  let group: ParsedLine<Row>[] = []
  let chars = 0
  for await (const entry of entries) {
    group.push(entry)
    if ('row' in entry) for (const value of Object.values(entry.row)) chars += String(value).length
    if (group.length < IMPORT_ROWS_MAX && chars < GROUP_CHARS_MAX) continue
    yield group
    group = []
    chars = 0
  }
  if (group.length > 0) yield group
}
