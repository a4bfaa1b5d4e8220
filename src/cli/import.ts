import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { ApiError } from '../client/errors.ts'
import type { Config } from '../config.ts'
import { DirectoryInUse } from '../engine/data-lock.ts'
import type { ImportScope } from '../model/import.ts'
import { readAddressFile } from './address-file.ts'
import { fileBytes } from './catalogue-file.ts'
import { engineTarget, runningTarget } from './import-target.ts'
import { type Files, type ImportReport, type ImportTarget, importFiles } from './importer.ts'
import { configFrom } from './serve.ts'
import { openStopped } from './stopped-store.ts'
import { CommandFailed, say } from './terminal.ts'

interface ImportOptions extends Files {
  readonly data?: string
  readonly databaseUrl?: string
  readonly key?: string
  readonly dryRun?: true
  readonly keepGoing?: true
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
    .option('--data <directory>', 'the data directory [PETSTORE_DATA]')
    .option('--database-url <url>', 'PostgreSQL of the store [DATABASE_URL]')
    .option('--key <key>', 'a key with pets:write, for a running store [PETSTORE_ADMIN_KEY]')
    .action(runImport)
}

async function runImport(options: ImportOptions): Promise<void> {
  const { categories, pets } = options
  if (!categories && !pets) throw new CommandFailed('Specify --categories, --pets or both.', 2)
  const bytes = await totalBytes({ categories, pets })
  const scope: ImportScope = { dryRun: options.dryRun === true, keepGoing: options.keepGoing === true }
  const config = configFrom({ data: options.data, databaseUrl: options.databaseUrl })
  const target = await openTarget(config, options.key)
  const bar = new SingleBar({
    format: '{bar} {percentage}% of {total} bytes read',
    hideCursor: true,
    noTTYOutput: false,
  })
  if (process.stderr.isTTY) bar.start(bytes, 0)
  try {
    const report = await importFiles(target, { categories, pets }, scope, count => bar.increment(count))
    bar.stop()
    printReport(report, scope)
  } catch (error) {
    bar.stop()
    if (error instanceof ApiError)
      throw new CommandFailed(`The running store refused the import: ${error.message}`)
    throw error
  } finally {
    await target.close()
  }
}

/** Opens the store itself if possible; otherwise connects to the process that has it open. */
async function openTarget(config: Config, key: string | undefined): Promise<ImportTarget> {
  try {
    const store = await openStopped(config)
    const target = engineTarget(store.engine, Date.now, 'import')
    const close = async (): Promise<void> => {
      await store[Symbol.asyncDispose]()
    }
    return { ...target, close }
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error
    const base = readAddressFile(config.data)
    if (base === undefined)
      throw new CommandFailed(`${error.message} It has not published its address; try again.`)
    return runningTarget(base, key ?? adminKey(config))
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

function printReport({ outcome, problems }: ImportReport, { dryRun, keepGoing }: ImportScope): void {
  for (const problem of problems) say(problem)
  const loaded = outcome !== undefined && !dryRun && (problems.length === 0 || keepGoing)
  if (outcome && (loaded || dryRun)) {
    const { categoriesCreated, categoriesFound, petsCreated } = outcome
    const existing = categoriesFound > 0n ? ` (${categoriesFound} more already existed)` : ''
    say(
      `${dryRun ? 'Would load' : 'Loaded'} ${categoriesCreated} categories${existing} and ${petsCreated} pets.`,
    )
  }
  if (problems.length === 0) return
  const lines = `${problems.length} ${problems.length === 1 ? 'line is' : 'lines are'} invalid`
  throw new CommandFailed(`${lines}; ${loaded ? 'the others were loaded' : 'nothing was loaded'}.`)
}
