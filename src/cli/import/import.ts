import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { CatalogueKind } from '../../catalogue/catalogue-file.ts'
import { UnreadableFile } from '../../catalogue/file-text.ts'
import {
  checkFiles,
  type ImportPlan,
  type ImportReport,
  type ImportSources,
  type ImportTarget,
  importFiles,
  resumeImport,
  type TakeBackReport,
  takeBackImport,
} from '../../catalogue/importer.ts'
import { ApiError, ConnectionError } from '../../client/errors.ts'
import type { Config } from '../../config.ts'
import { StoreError } from '../../contract/error.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import { DirectoryInUse } from '../../database/sqlite/data-lock.ts'
import { refuseWrongFiles } from '../../database/sqlite/database-file.ts'
import { CurrencyBound, currencyFor, settleCurrency } from '../../serving/first-start.ts'
import type { OnExisting } from '../../shop/imports/limits.ts'
import { countText } from '../../values/count-text.ts'
import { CURRENCY_DEFAULT } from '../../values/currency.ts'
import { databaseName } from '../store-access/copy-place.ts'
import { keyForRunning, runningAddress } from '../store-access/running-store.ts'
import { openStopped } from '../store-access/stopped-store.ts'
import {
  addPlaceOptions,
  hasDatabase,
  type PlaceOptions,
  storeConfigFrom,
} from '../store-access/store-config.ts'
import { byteText } from '../terminal/byte-text.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, fileName, reasonOf, say } from '../terminal/terminal.ts'
import { catalogueSource, fileBytes } from './catalogue-source.ts'
import { showProgress } from './progress.ts'
import { type ImportPaths, RejectedLines, rejectsPaths } from './rejected-lines.ts'
import { absentTarget, engineTarget, runningTarget, type StoreTarget } from './target.ts'

/**
 * The page cache of the writer while it loads into a stopped store. A million pets change 200 MiB of pages in random
 * order. Each page that does not fit into the cache is written to the log and read again.
 */
const IMPORT_CACHE_KIB = 512 * 1024

interface ImportOptions extends ImportPaths, PlaceOptions {
  readonly key?: string
  readonly dryRun?: true
  readonly keepGoing?: true
  readonly skipExisting?: true
  readonly createCategories?: true
  readonly decimalMark?: 'point' | 'comma'
  readonly rejects?: string
  readonly resume?: string
  readonly update?: 'keep' | 'set' | 'add'
  readonly takeBack?: string
}

const EXAMPLES = `
The files are in UTF-8 or UTF-16. The first line names the columns; they are separated by commas, semicolons, tabs or |.
Other columns are ignored. A category that exists is used unchanged. The category of a pet is found without regard to
case if only one category has the name; --create-categories creates those that are missing. A running store is accessed
over HTTP, at its address on this machine; the key comes from --key, PETSTORE_KEY, PETSTORE_ADMIN_KEY or the file
admin-key in the data directory.

--skip-existing leaves out a pet if its category has a pet with the same name, including one from an earlier line. Thus
the same file can be imported again, and loads only what is missing. --update changes a pet that exists: the one with
the barcode of the line, or else with its name in its category. It gets the price, barcode, level and category of the
line, as far as the line has them; its units are kept, set to the quantity, or raised by it (a delivery).

--take-back undoes an import of the last 30 days; the import printed its number. What was sold or changed since stays.

--rejects copies the invalid lines to a new file, with the header, to be corrected and imported; with two files,
rejects.csv becomes rejects-categories.csv and rejects-pets.csv.

Examples:
  petstore import --categories categories.csv --pets pets.csv --dry-run
  petstore import --pets pets.csv --keep-going --rejects rejects.csv
  petstore import --pets pets.csv --skip-existing
  petstore import --pets pets.csv --data /var/lib/petstore
  petstore import --pets delivery.xlsx --update add
  petstore import --take-back 187263548123 --dry-run

Exit codes:
  0    everything was loaded, or, with --dry-run, would be loaded
  1    a line is invalid, or the import failed
  2    the command line is wrong
  130  interrupted with Ctrl-C; the message says how to continue, or that nothing was loaded`

/** Adds `import`, which loads files of categories and pets into a running or stopped store. */
export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description(
      'load categories and pets from CSV files or Excel workbooks, into a running or a stopped store',
    )
    .option('--categories <file>', 'CSV or an Excel workbook (.xlsx) with the columns name, description')
    .option(
      '--pets <file>',
      'CSV or an Excel workbook (.xlsx) with the columns name, category, quantity, hold, reorderAt, price, barcode',
    )
    .option('--dry-run', 'check everything, change nothing')
    .option('--keep-going', 'load the valid lines even if others are invalid (default: all or nothing)')
    .option('--rejects <file>', 'a new file for the invalid lines; requires --keep-going')
    .option('--skip-existing', 'leave out a pet if its category has a pet with its name')
    .addOption(
      new Option(
        '--update <units>',
        'update the pets that exist; keep their units, set them, or add to them',
      ).choices(['keep', 'set', 'add']),
    )
    .option('--create-categories', 'create the categories that pets name and that do not exist')
    .addOption(
      new Option(
        '--decimal-mark <mark>',
        'the mark before the decimals of prices (default: as the file shows it)',
      ).choices(['point', 'comma']),
    )
    .option('--resume <id>', 'continue an interrupted import')
    .option('--take-back <id>', 'undo an import, except for what was sold or changed since')
  addPlaceOptions(command)
    .option('--key <key>', 'a key with pets:write, for a running store [PETSTORE_KEY]')
    .addHelpText('after', EXAMPLES)
    .action(runImport)
}

async function runImport(options: ImportOptions): Promise<void> {
  refuseContradictions(options)
  const { categories, pets } = options
  const files = { categories: sourceOf(categories), pets: sourceOf(pets) }
  const resumedId = importIdOf(options)
  const sources = await sourcesOf({ categories, pets })
  const rejects = new Rejects(options)
  const config = storeConfigFrom(options)
  const opened = await openTarget(config, options, resumedId)
  if (options.takeBack !== undefined) return takeBack(opened, options.dryRun === true)
  const source =
    resumedId === undefined ? sources.map(({ text }) => text).join(' and ') : `import ${resumedId}`
  const verb = resumedId !== undefined ? 'Resuming' : options.dryRun ? 'Checking' : 'Importing'
  const announcement = `${verb} ${source} ${options.dryRun ? 'for' : 'into'} ${opened.place}.`
  const bytes = sources.reduce((sum, { bytes }) => sum + bytes, 0)
  await load({ options, files, bytes, rejects, announcement, ...opened })
}

function refuseContradictions(options: ImportOptions): void {
  const { categories, pets, dryRun, keepGoing, skipExisting, createCategories, update } = options
  const { decimalMark, rejects, resume, takeBack } = options
  const refuse = (message: string): never => {
    throw new CommandFailed(message, EXIT_USAGE)
  }
  if (update && skipExisting) refuse('--skip-existing leaves out the pets that --update changes: choose one.')
  const isChosen = keepGoing || skipExisting || createCategories || decimalMark || update
  if (takeBack !== undefined) {
    if (categories || pets || isChosen || rejects !== undefined || resume !== undefined)
      refuse('--take-back needs only the number of the import; --dry-run says what it would do.')
  } else if (resume !== undefined) {
    if (categories || pets || dryRun)
      refuse(
        '--resume needs no files, because the import has already sent its rows: leave out files and --dry-run.',
      )
    if (isChosen || rejects !== undefined)
      refuse(
        'An import resumes as it was started: leave out --keep-going, --skip-existing, --update, ' +
          '--create-categories, --decimal-mark and --rejects.',
      )
  } else if (!categories && !pets) refuse('Specify --categories, --pets or both.')
  if (rejects === undefined) return
  if (dryRun) refuse('A dry run writes no file: specify no --rejects.')
  // Without --keep-going, one invalid line prevents the whole import, and the file of rejects lacks the valid lines.
  if (!keepGoing) refuse('--rejects requires --keep-going, which loads the valid lines.')
}

/** Returns the number of the import to resume or to take back; undefined for a new one. */
function importIdOf({ resume, takeBack }: ImportOptions): bigint | undefined {
  const id = resume ?? takeBack
  if (id === undefined) return undefined
  if (!/^[0-9]{1,15}$/.test(id))
    throw new CommandFailed(
      `${resume === undefined ? '--take-back' : '--resume'} takes the number that the import printed, not ` +
        `${escapeControls(id)}.`,
      EXIT_USAGE,
    )
  return BigInt(id)
}

const keptBecause: Readonly<Record<TakeBackReport['kept'][number]['reason'], string>> = {
  changed: 'was sold or changed since',
  in_use: 'still has pets',
  barcode_taken: 'had a barcode that another pet has now',
  category_deleted: 'was in a category that is deleted now',
}

/** Takes an import back, and says what stays. */
async function takeBack({ target, place }: OpenedTarget, isDry: boolean): Promise<void> {
  const hint = isDry
    ? 'Nothing was changed.'
    : `What was taken back stays so. Continue with --take-back ${target.importId}.`
  using interruption = interruptedBySignals(hint)
  say(`${isDry ? 'Looking at' : 'Taking back'} import ${target.importId} in ${place}.`)
  try {
    const report = await takeBackImport(target, isDry, interruption.signal)
    if (!report)
      failKnown('to take back: it is unknown, it changed nothing, or it is older than 30 days.', target)
    const { takenBack, kept, keptCount } = report
    for (const { file, id, name, reason } of kept) {
      const noun = file === 'pets' ? 'pet' : 'category'
      say(`The ${noun} ${id} stays: ${escapeControls(name)} ${keptBecause[reason]}.`)
    }
    if (keptCount > kept.length) say(`... and ${keptCount - kept.length} more stay.`)
    const rest = keptCount === 0 ? 'nothing stays' : `${keptCount} stay`
    say(`${isDry ? 'Would take back' : 'Took back'} ${countText(takenBack, 'change')}; ${rest}.`)
  } catch (error) {
    throw failureOf(error, 'to take the import back', hint)
  } finally {
    await target.close()
  }
}

function sourceOf(path: string | undefined): ImportSources[CatalogueKind] {
  return path === undefined ? undefined : catalogueSource(path)
}

async function sourcesOf({ categories, pets }: ImportPaths): Promise<{ bytes: number; text: string }[]> {
  const sources: { bytes: number; text: string }[] = []
  for (const file of [categories, pets]) {
    if (file === undefined) continue
    const bytes = await fileBytes(file)
    sources.push({ bytes, text: `${fileName(file)} (${byteText(bytes)})` })
  }
  return sources
}

interface PreparedImport extends OpenedTarget {
  readonly options: ImportOptions
  readonly files: ImportSources
  readonly bytes: number
  readonly rejects: Rejects
  /** The first message, which names the files and the store. */
  readonly announcement: string
}

async function load({
  options,
  files,
  bytes,
  rejects,
  announcement,
  target,
  undo,
  isShared,
}: PreparedImport): Promise<void> {
  const { keepGoing = false, createCategories = false, resume } = options
  const onExisting = onExistingOf(options)
  const isDry = options.dryRun === true
  let hasBegun = resume !== undefined
  let { close } = target
  const hint = (): string =>
    hasBegun
      ? `Continue with --resume ${target.importId}, or undo what was loaded with --take-back ${target.importId}.`
      : 'Nothing was loaded.'
  // The handlers come before the announcement, because whoever reads it may press Ctrl-C at once.
  using interruption = interruptedBySignals(hint)
  say(announcement)
  const screen = showProgress({ files, bytes, importId: target.importId, onExisting })
  const onStaged = (rows: number): void => {
    hasBegun = true
    screen.onStaged(rows)
  }
  const { signal } = interruption
  const plan = {
    keepGoing,
    onExisting,
    createCategories,
    decimalMark: options.decimalMark && ({ point: '.', comma: ',' } as const)[options.decimalMark],
    ...(options.rejects !== undefined && { onRejected: rejects.add }),
    signal,
    digest: petDigest,
    isAlone: !isShared,
  }
  try {
    const progress = { ...screen, onStaged }
    const run = isDry ? checkFiles : importFiles
    const report =
      resume === undefined
        ? await run(target, files, plan, progress)
        : ((await resumeImport(target, plan, progress)) ??
          failKnown('to resume: it is complete, it was not started, or it is older than a day.', target))
    screen.stop()
    rejects.close()
    if (report.rejectsFailure !== undefined)
      say(
        `The lines that the store refused are not in the file of --rejects: ${reasonOf(report.rejectsFailure)}.`,
      )
    printReport(report, { isDry, keepGoing, importId: target.importId })
  } catch (error) {
    screen.stop()
    if (!hasBegun) rejects.discard()
    if (error instanceof UnreadableFile) throw new CommandFailed(error.message)
    if (error instanceof CurrencyBound) throw new CommandFailed(error.message)
    if (error instanceof StoreError && undo) {
      await undo()
      rejects.discard()
      hasBegun = false
      close = async () => {}
    }
    throw failureOf(error, 'the import', hint())
  } finally {
    await close()
  }
}

/** Returns the error of a command for one of a running or of an opened store; any other error unchanged. */
function failureOf(error: unknown, what: string, hint: string): unknown {
  if (error instanceof ApiError)
    return new CommandFailed(`The running store refused ${what}: ${error.message} ${hint}`)
  if (error instanceof ConnectionError)
    return new CommandFailed(`The connection to the store was lost. ${hint}`)
  return error instanceof StoreError
    ? new CommandFailed(`The import failed: ${error.message} ${hint}`)
    : error
}

/** With 128 bits, two pets practically never have the same digest. */
const DIGEST_BYTES = 16

/** Returns a digest. It is a string, because a set of short strings takes the least memory. */
function petDigest(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest().toString('latin1', 0, DIGEST_BYTES)
}

function onExistingOf({ skipExisting, update }: ImportOptions): OnExisting {
  if (update === undefined) return skipExisting ? 'skip' : 'load'
  return update === 'keep' ? 'update' : update
}

function failKnown(why: string, { importId }: ImportTarget): never {
  throw new CommandFailed(`The store has no import ${importId} ${why}`)
}

interface OpenedTarget {
  readonly target: StoreTarget
  /** The store with its place, for messages. */
  readonly place: string
  /** Closes the store, and drops everything that the import has done; undefined if that is not possible. */
  readonly undo?: (() => Promise<void>) | undefined
  /** Whether another process may serve the store. */
  readonly isShared: boolean
}

async function openTarget(
  config: Config,
  options: ImportOptions,
  importId: bigint | undefined,
): Promise<OpenedTarget> {
  const { dryRun, key } = options
  const { data, databaseUrl } = config
  const directory = escapeControls(resolve(data))
  const isNew = databaseUrl === undefined && !hasDatabase(data)
  if (isNew && dryRun) {
    refuseLostStore(data, directory)
    return {
      target: absentTarget(config.currency ?? CURRENCY_DEFAULT),
      place: `a new store in ${directory}`,
      isShared: false,
    }
  }
  try {
    const store = await openStopped(config, {
      writerCacheKib: IMPORT_CACHE_KIB,
      canUndo: !dryRun && importId === undefined,
    })
    const { engine } = store
    // A dry run reads prices as the import would, and records nothing.
    const settle = (): Promise<string> =>
      dryRun ? currencyFor(engine, config.currency) : settleCurrency(engine, config.currency, engine.clock)
    const target = engineTarget(engine, engine.clock, 'import', importId, settle)
    const close = async (): Promise<void> => {
      await store[Symbol.asyncDispose]()
    }
    const place =
      databaseUrl !== undefined
        ? `the store at ${databaseName(parseDatabaseUrl(databaseUrl))}`
        : isNew
          ? `a new store in ${directory}`
          : `the store in ${directory}, which is stopped`
    // Other processes may serve a database.
    return { target: { ...target, close }, undo: store.undo, place, isShared: databaseUrl !== undefined }
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error
    const base = runningAddress(config, error)
    const target = runningTarget(base, keyForRunning(config, key, 'pets:write'), importId)
    return { target, place: `the store in ${directory}, which is running at ${base}`, isShared: true }
  }
}

/** Throws CommandFailed if a directory has lost its database, as the import itself does. */
function refuseLostStore(data: string, shown: string): void {
  try {
    refuseWrongFiles(data)
  } catch (error) {
    throw new CommandFailed(`The database in ${shown} cannot be opened: ${reasonOf(error)}.`)
  }
}

/** Writes the invalid lines to new files. Without --rejects, it writes nothing. */
class Rejects {
  readonly #files: Readonly<Record<'categories' | 'pets', RejectedLines | undefined>>

  /** Throws CommandFailed if one of the files exists. */
  constructor({ rejects, categories, pets }: ImportOptions) {
    const paths = rejects === undefined ? {} : rejectsPaths(rejects, { categories, pets })
    const lines = (path: string | undefined): RejectedLines | undefined =>
      path === undefined ? undefined : new RejectedLines(path)
    this.#files = { categories: lines(paths.categories), pets: lines(paths.pets) }
  }

  readonly add: NonNullable<ImportPlan['onRejected']> = (file, text) => this.#files[file]?.add(text)

  /** Closes the files that have lines, and says where they are. */
  close(): void {
    for (const [kind, file] of Object.entries(this.#files)) {
      if (!file?.close()) continue
      say(
        `The invalid lines are in ${escapeControls(file.path)}: correct them, then import this file with --${kind}.`,
      )
    }
  }

  discard(): void {
    for (const file of Object.values(this.#files)) file?.discard()
  }
}

function printReport(
  { outcome, problemCount, isTakenOver }: ImportReport,
  {
    isDry,
    keepGoing,
    importId,
  }: { readonly isDry: boolean; readonly keepGoing: boolean; readonly importId: bigint },
): void {
  const isLoaded = outcome !== undefined && (!isDry || problemCount === 0 || keepGoing)
  if (isLoaded) {
    const { categoriesCreated, categoriesFound, petsCreated, petsUpdated, petsSkipped } = outcome
    const existing = categoriesFound > 0n ? ` (${categoriesFound} more already existed)` : ''
    const skipped = petsSkipped > 0n ? `; ${petsSkipped} more ${isDry ? 'would be' : 'were'} left out` : ''
    const categories = `${countText(categoriesCreated, 'category', 'categories')}${existing}`
    const updated =
      petsUpdated > 0n ? `; ${petsUpdated} that existed ${isDry ? 'would be' : 'were'} updated` : ''
    say(
      `${isDry ? 'Would load' : 'Loaded'} ${categories} and ${countText(petsCreated, 'pet')}${updated}${skipped}.`,
    )
    if (!isDry && categoriesCreated + petsCreated + petsUpdated > 0n)
      say(`To undo this import within 30 days: --take-back ${importId}`)
  }
  if (isTakenOver) {
    throw new CommandFailed(
      'The rest of this import is gone: another process has loaded it with --resume, or discarded it unloaded.',
    )
  }
  if (problemCount === 0) return
  const lines = `${countText(problemCount, 'line is', 'lines are')} invalid`
  const subject = isLoaded ? 'the others' : 'nothing'
  const verb = isDry ? 'would be' : isLoaded ? 'were' : 'was'
  throw new CommandFailed(`${lines}; ${subject} ${verb} loaded.`)
}
