import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { Refused } from '../client/client.ts'
import type { Config } from '../config.ts'
import { type DataLock, DirectoryInUse, lockDirectory } from '../engine/data-lock.ts'
import type { ImportScope } from '../model/import.ts'
import { openEngine } from '../store.ts'
import { fileBytes } from './catalogue-file.ts'
import { engineTarget, runningTarget } from './import-target.ts'
import { type Files, type ImportReport, type ImportTarget, importFiles } from './importer.ts'
import { announced } from './running.ts'
import { configFrom } from './serve.ts'
import { CommandFailed, say } from './terminal.ts'

interface Options extends Files {
  readonly data?: string
  readonly databaseUrl?: string
  readonly key?: string
  readonly dryRun?: true
  readonly keepGoing?: true
}

/** Adds `import`: files of categories and pets into a store, running or stopped. */
export function addImport(program: Command): void {
  program
    .command('import')
    .description('load categories and pets from CSV files, into a running or a stopped store')
    .option('--categories <file>', 'CSV with the columns name, description')
    .option('--pets <file>', 'CSV with the columns name, category, quantity, hold')
    .option('--dry-run', 'check everything, change nothing')
    .option('--keep-going', 'load the good lines beside bad ones (otherwise: all or nothing)')
    .option('--data <directory>', 'the data directory [PETSTORE_DATA]')
    .option('--database-url <url>', 'PostgreSQL of the store [DATABASE_URL]')
    .option('--key <key>', 'a key with pets:write, for a running store [PETSTORE_ADMIN_KEY]')
    .action(runImport)
}

async function runImport(options: Options): Promise<void> {
  const { categories, pets } = options
  if (!categories && !pets) throw new CommandFailed('Name a file: --categories, --pets or both.', 2)
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
    tell(report, scope)
  } catch (error) {
    bar.stop()
    if (error instanceof Refused) throw new CommandFailed(`The running store refused: ${error.message}`)
    throw error
  } finally {
    await target.close()
  }
}

/** The store itself where it can be opened; where another process holds it, that process. */
async function openTarget(config: Config, key: string | undefined): Promise<ImportTarget> {
  const lock = config.databaseUrl === undefined ? takeOrFind(config.data) : undefined
  if (typeof lock === 'string') return runningTarget(lock, key ?? adminKey(config))
  const engine = await openEngine({
    databaseUrl: config.databaseUrl,
    directory: config.data,
    log: { access: () => {}, info: () => {}, error: fields => say(JSON.stringify(fields)) },
    onFatal: reason => {
      say(`The store cannot go on: ${reason}`)
      process.exit(1)
    },
  })
  const target = engineTarget(engine, Date.now, 'import')
  return {
    ...target,
    close: async () => {
      await target.close()
      lock?.release()
    },
  }
}

/** The lock of the directory, or the address of the store that holds it. */
function takeOrFind(directory: string): DataLock | string {
  try {
    return lockDirectory(directory)
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) {
      throw new CommandFailed(`The data directory ${directory} cannot be written: ${String(error)}`)
    }
    const base = announced(directory)
    if (base === undefined)
      throw new CommandFailed(`${error.message} It does not say where it listens; try again.`)
    return base
  }
}

function adminKey({ adminKey, adminKeyFile, data }: Config): string {
  const given = adminKey ?? adminKeyFile
  if (given !== undefined) return given
  try {
    return readFileSync(join(data, 'admin-key'), 'utf8').trim()
  } catch {
    throw new CommandFailed(
      'The store is running: give a key that holds pets:write, with --key or PETSTORE_ADMIN_KEY.',
      2,
    )
  }
}

async function totalBytes({ categories, pets }: Files): Promise<number> {
  let total = 0
  for (const file of [categories, pets]) if (file !== undefined) total += await fileBytes(file)
  return total
}

function tell({ outcome, problems }: ImportReport, { dryRun, keepGoing }: ImportScope): void {
  for (const problem of problems) say(problem)
  const loaded = outcome !== undefined && !dryRun && (problems.length === 0 || keepGoing)
  if (outcome && (loaded || dryRun)) {
    const { categoriesCreated, categoriesFound, petsCreated } = outcome
    const there = categoriesFound > 0n ? ` (${categoriesFound} more were there already)` : ''
    say(
      `${dryRun ? 'Would load' : 'Loaded'} ${categoriesCreated} categories${there} and ${petsCreated} pets.`,
    )
  }
  if (problems.length === 0) return
  const lines = `${problems.length} ${problems.length === 1 ? 'line is' : 'lines are'} wrong`
  throw new CommandFailed(`${lines}; ${loaded ? 'the others were loaded' : 'nothing was loaded'}.`)
}
