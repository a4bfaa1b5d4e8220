import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { ApiError, ConnectionError } from '../client/errors.ts'
import type { Config } from '../config.ts'
import { DirectoryInUse } from '../engine/data-lock.ts'
import type { ImportScope } from '../model/import.ts'
import { readAddressFile } from './address-file.ts'
import { fileBytes } from './catalogue-file.ts'
import { type ImportScreen, showProgress } from './import-progress.ts'
import { engineTarget, runningTarget } from './import-target.ts'
import {
  type Files,
  type ImportReport,
  type ImportTarget,
  importFiles,
  importInSlices,
  resumeSlices,
} from './importer.ts'
import { configFrom } from './serve.ts'
import { openStopped } from './stopped-store.ts'
import { CommandFailed, escapeControls, say } from './terminal.ts'

/**
 * The page cache of the writer while it loads into a stopped store. A million pets change 200 MiB of pages in random
 * order. Each page that does not fit into the cache is written to the log and read again.
 */
const IMPORT_CACHE_KIB = 512 * 1024

interface ImportOptions extends Files {
  readonly data?: string
  readonly databaseUrl?: string
  readonly key?: string
  readonly dryRun?: true
  readonly keepGoing?: true
  readonly inSlices?: true
  readonly resume?: string
}

/** Adds `import`, which loads files of categories and pets into a running or stopped store. */
export function addImport(program: Command): void {
  program
    .command('import')
    .description('load categories and pets from CSV files, into a running or a stopped store')
    .option('--categories <file>', 'CSV with the columns name, description')
    .option('--pets <file>', 'CSV with the columns name, category, quantity, hold')
    .option('--dry-run', 'check everything, change nothing')
    .option('--keep-going', 'load the valid lines even if others are invalid (default: all or nothing)')
    .option('--in-slices', 'load in many short transactions, so that a running store stays responsive')
    .option('--resume <id>', 'continue an interrupted import in slices')
    .option('--data <directory>', 'the data directory [PETSTORE_DATA]')
    .option('--database-url <url>', 'PostgreSQL of the store [DATABASE_URL]')
    .option('--key <key>', 'a key with pets:write, for a running store [PETSTORE_ADMIN_KEY]')
    .action(runImport)
}

async function runImport(options: ImportOptions): Promise<void> {
  const { categories, pets } = options
  const files = { categories, pets }
  const resumedId = options.resume === undefined ? undefined : importIdOf(options)
  if (!categories && !pets && resumedId === undefined)
    throw new CommandFailed('Specify --categories, --pets or both.', 2)
  const bytes = await totalBytes(files)
  const scope: ImportScope = { dryRun: options.dryRun === true, keepGoing: options.keepGoing === true }
  const config = configFrom({ data: options.data, databaseUrl: options.databaseUrl })
  const { target, isRunning } = await openTarget(config, options.key, resumedId)
  const inSlices = options.inSlices === true || resumedId !== undefined
  const mode = scope.dryRun ? 'check' : inSlices ? 'in slices' : 'at once'
  let hasBegun = resumedId !== undefined
  const screen = showProgress({ bytes, mode, isRunning, importId: target.importId })
  const progress = {
    ...screen,
    onStaged: (rows: number): void => {
      hasBegun = true
      screen.onStaged(rows)
    },
  }
  try {
    const report =
      resumedId !== undefined
        ? ((await resumeSlices(target, progress)) ?? notResumed(resumedId))
        : mode === 'in slices'
          ? await importInSlices(target, files, scope, progress)
          : await importFiles(target, files, scope, progress)
    progress.stop()
    printReport(report, mode === 'in slices' ? { ...scope, keepGoing: true } : scope, mode)
  } catch (error) {
    progress.stop()
    const hint = interruptionHint(mode, hasBegun, target.importId)
    if (error instanceof ApiError)
      throw new CommandFailed(`The running store refused the import: ${error.message} ${hint}`)
    if (error instanceof ConnectionError)
      throw new CommandFailed(`The connection to the store was lost. ${hint}`)
    throw error
  } finally {
    await target.close()
  }
}

/** Returns the id after --resume. Throws CommandFailed if it is not one, or if an option contradicts it. */
function importIdOf({ resume = '', categories, pets, dryRun }: ImportOptions): bigint {
  if (categories || pets || dryRun)
    throw new CommandFailed(
      '--resume loads rows that the store already has: specify no file and no --dry-run.',
      2,
    )
  if (!/^[0-9]{1,15}$/.test(resume))
    throw new CommandFailed(
      `--resume takes the id that the import printed, not ${escapeControls(resume)}.`,
      2,
    )
  return BigInt(resume)
}

/** Returns a sentence that says what an error means for the import, and how to continue. */
function interruptionHint(mode: ImportScreen['mode'], hasBegun: boolean, importId: bigint): string {
  if (!hasBegun || mode === 'check') return 'Nothing was loaded.'
  if (mode === 'in slices') return `Continue with --resume ${importId}.`
  return 'It is unknown whether the rows were loaded: check the store before you import them again.'
}

function notResumed(importId: bigint): never {
  throw new CommandFailed(
    `The store has no import ${importId} to resume: it is complete, it was not started, or it is older than a day.`,
  )
}

/** Opens the store, or connects to the process that has it open. Throws CommandFailed if neither is possible. */
async function openTarget(
  config: Config,
  key: string | undefined,
  importId: bigint | undefined,
): Promise<{ target: ImportTarget; isRunning: boolean }> {
  try {
    const store = await openStopped(config, { writerCacheKib: IMPORT_CACHE_KIB })
    const target = engineTarget(store.engine, Date.now, 'import', importId)
    const close = async (): Promise<void> => {
      await store[Symbol.asyncDispose]()
    }
    return { target: { ...target, close }, isRunning: false }
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error
    const base = readAddressFile(config.data)
    if (base === undefined)
      throw new CommandFailed(`${error.message} It has not published its address; try again.`)
    return { target: runningTarget(base, key ?? adminKey(config), importId), isRunning: true }
  }
}

function adminKey({ adminKey, adminKeyFile, data }: Config): string {
  const given = adminKey ?? adminKeyFile
  if (given !== undefined) return given
  try {
    return readFileSync(join(data, 'admin-key'), 'utf8').trim()
  } catch {
    throw new CommandFailed(
      'The store is running: specify a key with the scope pets:write, with --key or PETSTORE_ADMIN_KEY.',
      2,
    )
  }
}

async function totalBytes({ categories, pets }: Files): Promise<number> {
  let total = 0
  for (const file of [categories, pets]) if (file !== undefined) total += await fileBytes(file)
  return total
}

/** A list with at least this number of problems may be truncated. */
const CUT_FROM = 1000

function printReport(
  { outcome, problems, isTakenOver }: ImportReport,
  { dryRun, keepGoing }: ImportScope,
  mode: ImportScreen['mode'],
): void {
  // An import in slices has printed its problems as it found them, unless it found them before it loaded anything.
  if (mode !== 'in slices' || !outcome) for (const problem of problems) say(problem)
  const loaded = outcome !== undefined && !dryRun && (problems.length === 0 || keepGoing)
  if (outcome && (loaded || dryRun)) {
    const { categoriesCreated, categoriesFound, petsCreated } = outcome
    const existing = categoriesFound > 0n ? ` (${categoriesFound} more already existed)` : ''
    say(
      `${dryRun ? 'Would load' : 'Loaded'} ${categoriesCreated} categories${existing} and ${petsCreated} pets.`,
    )
  }
  if (isTakenOver) {
    throw new CommandFailed(
      'The other rows were loaded or deleted by another process, which resumed this import.',
    )
  }
  if (problems.length === 0) return
  const count = `${problems.length >= CUT_FROM ? 'At least ' : ''}${problems.length}`
  const lines = `${count} ${problems.length === 1 ? 'line is' : 'lines are'} invalid`
  throw new CommandFailed(`${lines}; ${loaded ? 'the others were loaded' : 'nothing was loaded'}.`)
}
