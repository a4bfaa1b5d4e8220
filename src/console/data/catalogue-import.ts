import {
  type CatalogueKind,
  type ColumnChoices,
  type FileColumn,
  lineEndAfter,
  type RecordText,
} from '../../catalogue/catalogue-file.ts'
import { type CatalogueSource, UnreadableFile } from '../../catalogue/file-text.ts'
import {
  checkFiles,
  type Findings,
  type ImportPlan,
  type ImportProgress,
  type ImportReport,
  type ImportSources,
  type ImportTarget,
  resumeImport,
  type StagedImport,
  stageFiles,
  type TakeBackReport,
  type TakeBackTarget,
  takeBackImport,
} from '../../catalogue/importer.ts'
import { makeCall } from '../../client/client.ts'
import type { DecimalMark } from '../../values/currency.ts'
import { filled } from '../../values/message.ts'
import { t } from '../words/sentences.tsx'
import { InvalidValues, newKey } from './change.ts'
import { type ImportResult, updateRun } from './import-run.ts'
import { baseUrl } from './session.ts'
import { shopCurrency } from './shop-currency.ts'
import { noteThrottle } from './throttle.ts'

export type ChosenFiles = Readonly<Record<CatalogueKind, File | null>>

/** The choices of the page, as the options of `petstore import`. */
export interface ImportChoices {
  readonly keepGoing: boolean
  readonly onExisting: NonNullable<ImportPlan['onExisting']>
  readonly createCategories: boolean
  /** Undefined until the user says it: as the prices show it. */
  readonly decimalMark?: DecimalMark | undefined
  readonly addsZeros: boolean
  /** What the user says about the columns of the pets file. */
  readonly columns: ColumnChoices
}

/** Operations that are not in the OpenAPI description. The command `petstore import` uses them too. */
const operations = {
  stage: { method: 'POST', path: '/imports/{importId}/rows', empty: true },
  load: { method: 'POST', path: '/imports/{importId}/slices' },
  categories: { method: 'POST', path: '/imports/{importId}/categories' },
  pets: { method: 'POST', path: '/imports/{importId}/pets' },
  takeBack: { method: 'POST', path: '/imports/{importId}/take-back' },
  discard: { method: 'DELETE', path: '/imports/{importId}', empty: true },
} as const

const listImports = { method: 'GET', path: '/imports', list: true } as const

/** An import that can be taken back. */
export interface ListedImport {
  readonly id: bigint
  readonly at: string
  readonly keyId?: bigint
  readonly categoriesCreated: bigint
  readonly petsCreated: bigint
  readonly petsUpdated: bigint
  readonly takenBack: bigint
  readonly hasChanges: boolean
  /** More than 0 while it runs, or if it was cut. */
  readonly rowsLeft: bigint
}

export async function listPastImports(key: string): Promise<readonly ListedImport[]> {
  const { data } = await makeCall({ baseUrl, key })('listImports', listImports, {})
  // Safe: the contract of the operation has this type.
  return data as readonly ListedImport[]
}

/** Takes an import back. Each of its requests has its own idempotency key, so all of them can be sent again. */
export async function takeBack(
  key: string,
  importId: bigint,
  { signal, idempotencyKey }: { readonly signal: AbortSignal; readonly idempotencyKey: string },
): Promise<TakeBackReport> {
  const call = makeCall({ baseUrl, key, onRetry: noteThrottle })
  let slices = 0
  const report = await takeBackImport(
    {
      takeBack: async body => {
        const options = { signal, idempotencyKey: `${idempotencyKey} ${slices++}` }
        const { data } = await call('takeBack', operations.takeBack, { importId, body }, options)
        // Safe: the contract of the operation has this type.
        return data as Awaited<ReturnType<TakeBackTarget['takeBack']>>
      },
    },
    false,
  )
  if (!report) throw new InvalidValues({ import: t('The import can no longer be taken back.') })
  return report
}

/** A check or an import of the chosen files. */
interface FilesRun {
  readonly sources: ImportSources
  readonly plan: ImportPlan
  readonly progress: ImportProgress
  readonly resultOf: (report: ImportReport) => ImportResult
}

/**
 * Checks files, and loads nothing. Throws UnreadableFile for a file that cannot be read, ApiError for a refusal that is
 * not about a row, and ConnectionError if the store does not respond.
 */
export async function checkChosen(
  key: string,
  files: ChosenFiles,
  choices: ImportChoices,
  onColumns: (columns: readonly FileColumn[]) => void,
): Promise<ImportResult> {
  const { sources, plan, progress, resultOf } = runOf(files, choices)
  return resultOf(await checkFiles(storeTarget(key), sources, { ...plan, onColumns }, progress))
}

/**
 * Returns a function that loads files, and that goes on with what is not loaded yet if it is called again after an
 * error. Throws as `checkChosen` does.
 */
export function importOf(
  key: string,
  files: ChosenFiles,
  choices: ImportChoices,
): (signal: AbortSignal) => Promise<ImportResult> {
  let staged: (StagedImport & Pick<FilesRun, 'resultOf'>) | undefined
  let target: ImportTarget
  return signal => {
    // The store may have rows of an earlier attempt that was cut. Nothing of it was loaded, so this is another import.
    if (!staged) target = storeTarget(key)
    return tracked(target.importId, async () => {
      if (!staged) {
        const { sources, plan, progress, resultOf } = runOf(files, choices)
        const shown = { ...progress, ...shownProgress(target.importId) }
        const { load } = await stageFiles(target, sources, { ...plan, signal }, shown)
        staged = { load, resultOf }
      }
      return staged.resultOf(await staged.load(signal))
    })
  }
}

const nothingFound: Findings = {
  notices: [],
  problems: [],
  problemCount: 0,
  missingCategoryCount: 0,
  existing: [],
  existingCount: 0,
}

/** Returns a function that loads the rest of an import that was cut. The store has its rows, so it needs no file. */
export function resumeOf(
  key: string,
  { id, rowsLeft }: ListedImport,
): (signal: AbortSignal) => Promise<ImportResult> {
  const progress = { ...silent, ...shownProgress(id) }
  return signal =>
    tracked(id, async () => {
      progress.onStaged(Number(rowsLeft))
      const report = await resumeImport(storeTarget(key, id), { signal }, progress)
      if (!report) throw new InvalidValues({ import: t('The rest of the import is no longer in the store.') })
      return { findings: nothingFound, report, rejects: { categories: undefined, pets: undefined } }
    })
}

/** Shows an import to all views until it ends, and its end to the view of imports. */
async function tracked(importId: bigint, load: () => Promise<ImportResult>): Promise<ImportResult> {
  updateRun(importId, { isRunning: true })
  try {
    const result = await load()
    updateRun(importId, { isRunning: false, result })
    return result
  } catch (error) {
    updateRun(importId, { isRunning: false, error })
    throw error
  }
}

function ignore(): void {}

const silent: ImportProgress = {
  onBytes: ignore,
  onChecked: ignore,
  onStaged: ignore,
  onProblems: ignore,
  onLoaded: ignore,
}

function shownProgress(importId: bigint): Pick<ImportProgress, 'onStaged' | 'onLoaded'> {
  let loaded = 0
  return {
    onStaged: rows => updateRun(importId, { rows, loaded }),
    onLoaded: count => {
      loaded += count
      updateRun(importId, { loaded })
    },
  }
}

function runOf(files: ChosenFiles, choices: ImportChoices): FilesRun {
  const texts: Partial<Record<CatalogueKind, string[]>> = {}
  const onRejected = (kind: CatalogueKind, { head, text }: RecordText): void => {
    const known = texts[kind] ?? [head]
    texts[kind] = known
    known.push(lineEndAfter(known.at(-1) ?? '') + text)
  }
  let findings: Findings | undefined
  const onChecked = (found: Findings): void => {
    findings = found
  }
  const progress = { ...silent, onChecked }
  const sources: ImportSources = { categories: sourceOf(files.categories), pets: sourceOf(files.pets) }
  const resultOf = (report: ImportReport): ImportResult => {
    if (!findings) throw new Error('the importer reported no findings')
    const rejects = { categories: texts.categories?.join(''), pets: texts.pets?.join('') }
    return { findings, report, rejects }
  }
  return { sources, plan: { ...choices, onRejected }, progress, resultOf }
}

function sourceOf(file: File | null): CatalogueSource | undefined {
  return file ? { name: file.name, chunks: () => chunksOf(file) } : undefined
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  // Not every browser can iterate over a stream.
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      // The browser reads only the version of the file that was chosen.
      throw new UnreadableFile(
        t('{file} was changed, moved or deleted after it was chosen: choose the file again.', {
          file: file.name,
        }),
      )
    })
    if (done) return
    yield value
  }
}

/** Returns a random id, from 1 to 2^48, so it is always a positive int64. */
function newImportId(): bigint {
  const randomBits = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n
  return (randomBits >> 16n) + 1n
}

function storeTarget(key: string, importId = newImportId()): ImportTarget {
  const call = makeCall({ baseUrl, key, onRetry: noteThrottle })
  const send = async <Result>(
    id: keyof typeof operations,
    body?: object,
    idempotencyKey?: string,
  ): Promise<Result> => {
    const { data } = await call(id, operations[id], { importId, body }, { idempotencyKey })
    // Safe: each caller names the type that the contract of its operation has.
    return data as Result
  }
  return {
    importId,
    // With a key, rows whose response was lost can be sent again.
    stage: rows => send('stage', rows, newKey('stage')),
    findCategories: async names =>
      (await send<{ matches: Awaited<ReturnType<ImportTarget['findCategories']>> }>('categories', { names }))
        .matches,
    findCurrency: async () => shopCurrency,
    findBarcodes: async barcodes =>
      (await send<{ holders: (string | null)[] }>('pets', { pets: [], barcodes })).holders,
    findPets: async pets => (await send<{ found: bigint[] }>('pets', { pets })).found,
    loadSlice: async (slice, idempotencyKey) => {
      const applied = await send<Awaited<ReturnType<ImportTarget['loadSlice']>>>(
        'load',
        slice,
        idempotencyKey,
      )
      const problems = applied.problems.map(({ reason, ...problem }) =>
        reason ? { ...problem, message: filled(reason) } : problem,
      )
      return { ...applied, problems }
    },
    discard: () => send('discard'),
    close: async () => {},
  }
}
