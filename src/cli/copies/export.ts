import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { escapedFormula, isChangedByImport } from '../../catalogue/cell.ts'
import type { Config } from '../../config.ts'
import { draftOf } from '../../files/draft.ts'
import { publishFile } from '../../files/private-file.ts'
import { readCurrency } from '../../shop/kernel/metadata.ts'
import {
  type ExportedResource,
  type ExportedRow,
  exportColumns,
  exportedResources,
  exportRows,
  moneyColumns,
} from '../../transfer/exports.ts'
import { countText } from '../../values/count-text.ts'
import { csvLine } from '../../values/csv.ts'
import { date } from '../../values/instant-schema.ts'
import { writeJson } from '../../values/json.ts'
import { similarName } from '../../values/similar-name.ts'
import { openSnapshot, sayIfRunning } from '../store-access/snapshot.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, reasonOf, say } from '../terminal/terminal.ts'

interface ExportOptions extends PlaceOptions {
  readonly format: 'csv' | 'ndjson'
  readonly columns?: string
  readonly output?: string
  readonly bom?: true
  readonly escapeFormulas?: boolean
  readonly from?: string
  readonly to?: string
}

const ROWS_PER_WRITE = 500
/** The base URL in the member `source` of exported events if the settings have no base URL. */
const DEFAULT_BASE = 'http://127.0.0.1:8080'

const EXAMPLES = `
A running store is read in slices of 1,000 rows, so its rows may be of different moments, which a note says. Secrets
and hashes of keys are not exported. Each row has the columns that --columns names, in that order. In CSV, true and
false are yes and no; lists and objects are JSON.
Texts are written unchanged to CSV: a spreadsheet may treat a pet name that begins with = as a formula. With
--escape-formulas, such a text begins with an apostrophe, which petstore import removes. --bom helps Excel, which
otherwise reads UTF-8 as another encoding.

Resources:
${exportedResources.map(name => `  ${name.padEnd(12)}${exportColumns(name).join(', ')}`).join('\n')}

Examples:
  petstore export orders > orders.csv
  petstore export sales --from 2026-11-01 --to 2026-11-30 > november.csv
  petstore export pets --bom --escape-formulas --output pets.csv   (a file for Excel)
  petstore export pets --columns name,category,quantity,hold,reorderAt --output pets.csv   (a file for petstore import)
  petstore export events --format ndjson --output events.ndjson`

/** Adds the command `export`, which writes all rows of a resource. */
export function addExport(program: Command): void {
  const command = program
    .command('export <resource>')
    .description('write all rows of a resource as CSV or NDJSON, even while the store runs')
    .addOption(new Option('--format <format>', 'the format').choices(['csv', 'ndjson']).default('csv'))
    .option('--columns <names>', 'the columns, separated by commas (default: all)')
    .option('--bom', 'begin the CSV with a byte order mark, for Excel')
    .option('--escape-formulas', 'begin each text of the CSV that looks like a formula with an apostrophe')
    .option('--from <day>', 'sales only: the first day in the time zone of the shop, such as 2026-11-01')
    .option('--to <day>', 'sales only: the last day')
    .option('--output <file>', 'a new file (default: standard output)')
  addPlaceOptions(command).addHelpText('after', EXAMPLES).action(runExport)
}

async function runExport(given: string, options: ExportOptions): Promise<void> {
  const resource = resourceOf(given)
  const columns = columnsOf(resource, options.columns)
  const { format, bom, escapeFormulas } = options
  if (format !== 'csv' && (bom || escapeFormulas))
    throw new CommandFailed('--bom and --escape-formulas are for CSV: leave out --format ndjson.', EXIT_USAGE)
  checkDays(resource, options)
  const config = existingStoreFrom(options)
  if (options.from !== undefined || options.to !== undefined)
    say(`The days are those of ${config.timeZone} (PETSTORE_TIME_ZONE).`)
  const consequence = options.output === undefined ? 'The output is incomplete.' : 'No file was written.'
  using interruption = interruptedBySignals(consequence)
  const sink = options.output === undefined ? standardOutput : openFile(options.output)
  try {
    const { signal } = interruption
    const count = await writeRows(config, { resource, columns, sink, signal }, options)
    sink.finish()
    if (options.output !== undefined) {
      say(`Exported ${countText(count, 'row')} of ${resource} to ${escapeControls(options.output)}.`)
    }
  } catch (error) {
    sink.discard()
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(`The export failed: ${reasonOf(error)}. ${consequence}`)
  }
}

function resourceOf(given: string): ExportedResource {
  const found = exportedResources.find(name => name === given)
  if (found) return found
  const similar = similarName(given, exportedResources)
  const hint = similar ? `Did you mean ${similar}?` : `The resources are ${exportedResources.join(', ')}.`
  throw new CommandFailed(`There is no resource ${escapeControls(given)} to export. ${hint}`, EXIT_USAGE)
}

function columnsOf(resource: ExportedResource, given: string | undefined): readonly string[] {
  const known = exportColumns(resource)
  if (given === undefined) return known
  const names = given.split(',').map(name => name.trim())
  const unknown = names.find(name => !known.includes(name))
  if (unknown === undefined) return names
  throw new CommandFailed(
    `${resource} has no column "${escapeControls(unknown)}". Its columns are ${known.join(', ')}.`,
    EXIT_USAGE,
  )
}

/** Throws CommandFailed if the days are none, or reversed, or for a resource that has no days. */
function checkDays(resource: ExportedResource, { from, to }: Pick<ExportOptions, 'from' | 'to'>): void {
  if ((from !== undefined || to !== undefined) && resource !== 'sales')
    throw new CommandFailed('--from and --to are for sales.', EXIT_USAGE)
  for (const [option, day] of Object.entries({ from, to })) {
    if (day === undefined || date.safeParse(day).success) continue
    const message = `--${option}=${escapeControls(day)}: it must be a date that exists, such as 2026-11-21.`
    throw new CommandFailed(message, EXIT_USAGE)
  }
  if (from !== undefined && to !== undefined && to < from)
    throw new CommandFailed('--to must not be before --from.', EXIT_USAGE)
}

interface Sink {
  write(text: string): Promise<void> | void
  /** Makes the written text durable, and gives a file its final name. */
  finish(): void
  discard(): void
}

const standardOutput: Sink = { write: print, finish: () => {}, discard: () => {} }

/** Opens a new file, which appears under its name only when it is complete. Throws CommandFailed. */
function openFile(file: string): Sink {
  const name = escapeControls(file)
  if (existsSync(file)) throw new CommandFailed(`${name} exists: specify another file with --output.`)
  const draft = draftOf(file)
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    return {
      write: text => writeFileSync(descriptor, text),
      finish: () => {
        closeSync(descriptor)
        publishFile(draft, file)
      },
      discard: () => rmSync(draft, { force: true }),
    }
  } catch (error) {
    throw new CommandFailed(`${name} cannot be written: ${reasonOf(error)}.`)
  }
}

interface RowsToWrite {
  readonly resource: ExportedResource
  readonly columns: readonly string[]
  readonly sink: Sink
  readonly signal: AbortSignal
}

/**
 * Returns a value in the form that `petstore import` reads from CSV. A text that an import would change is always
 * escaped, such as one that begins with an apostrophe before a formula, or `="0041"`.
 */
function cellOf(value: unknown, escapeFormulas: boolean): unknown {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'string') return value
  return escapeFormulas || isChangedByImport(value) ? escapedFormula(value) : value
}

async function writeRows(
  config: Config,
  { resource, columns, sink, signal }: RowsToWrite,
  { format, bom, escapeFormulas = false, from, to }: ExportOptions,
): Promise<number> {
  sayIfRunning(config)
  await using snapshot = await openSnapshot(config, { inSlices: true })
  const base = config.baseUrl ?? DEFAULT_BASE
  const textOf = (row: ExportedRow): string =>
    format === 'csv'
      ? csvLine(columns.map(name => cellOf(row[name], escapeFormulas && !moneyColumns.has(name))))
      : `${writeJson(Object.fromEntries(columns.map(name => [name, row[name] ?? null])))}\n`
  let count = 0
  let texts = format === 'csv' ? [(bom ? '\ufeff' : '') + csvLine(columns)] : []
  const currency = await readCurrency(snapshot.reader)
  for await (const row of exportRows(snapshot.reader, resource, {
    base,
    timeZone: config.timeZone,
    currency,
    days: { from, to },
  })) {
    texts.push(textOf(row))
    count++
    if (texts.length < ROWS_PER_WRITE) continue
    await sink.write(texts.join(''))
    texts = []
    // SQLite reads never yield to the event loop. Without this turn, the handler of a signal would not run.
    await Bun.sleep(0)
    signal.throwIfAborted()
  }
  await sink.write(texts.join(''))
  signal.throwIfAborted()
  return count
}
