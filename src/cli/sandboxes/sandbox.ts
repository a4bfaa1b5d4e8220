import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HostOperations } from '../../client/sandbox-api.ts'
import { writeWholeFile } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { countText } from '../../values/count-text.ts'
import { csvLine } from '../../values/csv.ts'
import { nameForm } from '../../values/same-name.ts'
import { readAddress } from '../store-access/store-options.ts'
import { confirm } from '../terminal/confirmation.ts'
import { jsonText, terminalWidth } from '../terminal/output.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, reasonOf, say } from '../terminal/terminal.ts'
import { tableLines } from '../terminal/text-table.ts'
import { wholeNumber } from '../terminal/whole-number.ts'
import {
  COUNT_MAX,
  defaultSandboxFormat,
  readLifetime,
  runCreate,
  type SandboxFormat,
  sandboxFormats,
} from './create.ts'
import { controlHost, hostFailure, isGone } from './host.ts'
import { csvLabel, hostOf, type SavedSandbox, SavedSandboxes } from './saved.ts'

const SAVED_FILE_DEFAULT = 'sandboxes.csv'
const CARDS_FILE_DEFAULT = 'sandboxes.html'
const GONE = 'expired or deleted'

const CREATE_HELP = `
Each sandbox is a private store with its own address and admin key. The new sandboxes and their keys are appended to a
list, a file that only you can read. The other commands read this list.

Examples:
  petstore sandbox create
  petstore sandbox create --count 30 --label Student --lifetime 3d --save class.csv
  petstore sandbox create --names class.txt --seed empty
  petstore sandbox create --count 30 --seed 7k2m9xq4w8e3rtyu5pasdf6ghj/lesson-1 --key @teacher-key`

const IDS_HELP = `
The ids are those that "petstore sandbox list" shows. The first characters of an id are enough, and so is a label. A
reset without --snapshot restores what a sandbox was created from, even if that was the snapshot of another sandbox.`

interface SavedOptions {
  readonly saved: string
  readonly hostUrl?: string
}

/** Adds the command `sandbox`, which creates sandboxes on a host, lists them in a file, and controls those in it. */
export function addSandbox(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('create, list, reset and delete private stores on a host')
  addCreate(sandbox)
  const withSavedOptions = (command: Command, help = ''): Command =>
    command
      .option('--saved <file>', 'the list of the sandboxes', SAVED_FILE_DEFAULT)
      .option('--host-url <url>', 'address of the host, in place of the one in the list')
      .addHelpText('after', help)
  withSavedOptions(sandbox.command('list').description('show the state of each saved sandbox'))
    .addOption(formatOption())
    .action(runList)
  sandbox
    .command('print')
    .description('write a page with a card to cut out for each saved sandbox')
    .option('--saved <file>', 'the list of the sandboxes', SAVED_FILE_DEFAULT)
    .option('--to <file>', 'the page to write', CARDS_FILE_DEFAULT)
    .action(runPrint)
  withSavedOptions(
    sandbox.command('reset [id...]').description('restore the seed or a snapshot of sandboxes'),
    IDS_HELP,
  )
    .option('--all', 'all saved sandboxes')
    .option('--snapshot <name>', 'a snapshot of the sandbox, in place of its seed')
    .action(runReset)
  withSavedOptions(
    sandbox.command('delete [id...]').description('delete sandboxes with all their data'),
    IDS_HELP,
  )
    .option('--all', 'all saved sandboxes')
    .option('--yes', 'do not ask')
    .action(runDelete)
}

function addCreate(sandbox: Command): void {
  sandbox
    .command('create')
    .description('create sandboxes, and print their addresses and keys')
    .addOption(
      new Option('--count <number>', `how many; at most ${COUNT_MAX} (default: 1)`).argParser(
        wholeNumber(1, COUNT_MAX),
      ),
    )
    .option('--label <text>', 'a text for people; with --count, a number is appended')
    .option('--names <file>', 'one label per line, in place of --count')
    .option('--seed <seed>', 'demo, empty, large, or a snapshot as ID/NAME (default: demo)')
    .option('--key <key>', 'the key of the sandbox whose snapshot is the seed, or @FILE')
    .addOption(
      new Option('--lifetime <time>', 'until they expire: 90m, 24h, 7d (default: 24h)').argParser(
        readLifetimeOption,
      ),
    )
    .option('--host-url <url>', 'address of the host (default: http://127.0.0.1:8081) [PETSTORE_SANDBOXES]')
    .addOption(formatOption())
    .option('--save <file>', 'the list that they are appended to', SAVED_FILE_DEFAULT)
    .addHelpText('after', CREATE_HELP)
    .action(runCreate)
}

function formatOption(): Option {
  return new Option('--format <format>', 'table for a terminal, csv otherwise').choices(sandboxFormats)
}

function readLifetimeOption(text: string): number {
  const seconds = readLifetime(text)
  if (seconds !== undefined) return seconds
  throw new InvalidArgumentError('It must be from 1m to 7d, such as 90m, 24h or 3d.')
}

interface ListOptions extends SavedOptions {
  readonly format?: SandboxFormat
}

async function runList({ format = defaultSandboxFormat(), ...options }: ListOptions): Promise<void> {
  const rows: Record<string, unknown>[] = []
  const failures: string[] = []
  for (const sandbox of new SavedSandboxes(options.saved).read()) {
    const { id, label, expiresAt } = sandbox
    const known = { id, state: GONE, generation: undefined, expiresAt, label: label || undefined }
    try {
      const found = await onHost(sandbox, options, host => host.getSandbox({ sandboxId: id }))
      const { state, generation, expiresAt: end, label: name } = found?.data ?? known
      rows.push({ id, state, generation, expiresAt: end, label: name })
    } catch (error) {
      const message = messageOfOne(error)
      rows.push({ ...known, state: message.split('\n')[0] })
      failures.push(`${nameOf(sandbox)}: ${message}`)
    }
  }
  await printRows(rows, format)
  if (rows.length === 0) say(`${escapeControls(options.saved)} has no sandboxes.`)
  if (failures.length > 0) throw new CommandFailed(failures.join('\n'))
}

async function printRows(rows: Record<string, unknown>[], format: SandboxFormat): Promise<void> {
  const columns = ['id', 'state', 'generation', 'expiresAt', 'label']
  if (format === 'json') await print(`${jsonText(rows)}\n`)
  else if (format === 'csv')
    await print(
      csvLine(columns) + rows.map(row => csvLine(columns.map(name => csvValue(name, row)))).join(''),
    )
  else if (rows.length > 0)
    for (const line of tableLines(columns, rows, terminalWidth())) await print(`${line}\n`)
}

function csvValue(name: string, row: Readonly<Record<string, unknown>>): unknown {
  const value = row[name]
  return name === 'label' && typeof value === 'string' ? csvLabel(value) : value
}

/** Writes the page for a class. Only its owner can read it, because it has the keys. */
async function runPrint({ saved, to }: { readonly saved: string; readonly to: string }): Promise<void> {
  const sandboxes = new SavedSandboxes(saved).read()
  if (sandboxes.length === 0) throw new CommandFailed(`${escapeControls(saved)} has no sandboxes.`)
  const { cardsPage } = await import('../../sandboxes/pages/cards-page.ts')
  const file = escapeControls(to)
  try {
    writeWholeFile(to, cardsPage(sandboxes), { replace: false })
  } catch (error) {
    const reason = hasCode(error, 'EEXIST') ? 'it exists already' : reasonOf(error)
    throw new CommandFailed(`${file} cannot be written: ${reason}. --to names another file.`, EXIT_USAGE)
  }
  say(`${file} has ${countText(sandboxes.length, 'card')}: open it in a browser, and print it.`)
}

interface ResetSandboxesOptions extends SavedOptions {
  readonly all?: boolean
  readonly snapshot?: string
}

async function runReset(ids: readonly string[], options: ResetSandboxesOptions): Promise<void> {
  const { snapshot } = options
  const failures: string[] = []
  let count = 0
  for (const sandbox of chosenSandboxes(ids, options)) {
    try {
      const isReset = await onHost(sandbox, options, control =>
        control.resetSandbox({ sandboxId: sandbox.id, body: { snapshot } }),
      )
      if (isReset) count++
      else failures.push(`${nameOf(sandbox)} was not reset: ${GONE}.`)
    } catch (error) {
      failures.push(`${nameOf(sandbox)} was not reset: ${messageOfOne(error)}`)
    }
  }
  say(`Reset ${sandboxesText(count)}${snapshot === undefined ? '' : ` to ${escapeControls(snapshot)}`}.`)
  if (failures.length > 0) throw new CommandFailed(failures.join('\n'))
}

interface DeleteSandboxesOptions extends SavedOptions {
  readonly all?: boolean
  readonly yes?: boolean
}

async function runDelete(ids: readonly string[], options: DeleteSandboxesOptions): Promise<void> {
  const chosen = chosenSandboxes(ids, options)
  if (chosen.length === 0) return say(`${escapeControls(options.saved)} has no sandboxes.`)
  if (!options.yes)
    await confirm(`This deletes ${sandboxesText(chosen.length)} with all data and snapshots.`, 'delete')
  const saved = new SavedSandboxes(options.saved)
  const deleted = new Set<string>()
  try {
    for (const sandbox of chosen) {
      // A sandbox that does not exist is removed from the list too.
      await onHost(sandbox, options, async control => {
        await control.deleteSandbox({ sandboxId: sandbox.id })
        return true
      })
      deleted.add(sandbox.id)
    }
  } finally {
    saved.remove(deleted)
    say(`Deleted ${sandboxesText(deleted.size)}.`)
  }
}

/** Returns the message of a failure that concerns only one sandbox, such as a replaced key. Throws any other one. */
function messageOfOne(error: unknown): string {
  if (!(error instanceof CommandFailed) || error.exitCode !== 1) throw error
  return error.message
}

/** Returns undefined if the sandbox does not exist. Throws CommandFailed for any other failure. */
async function onHost<T>(
  sandbox: Pick<SavedSandbox, 'id' | 'address' | 'key'>,
  { hostUrl, saved }: SavedOptions,
  work: (host: HostOperations) => Promise<T>,
): Promise<T | undefined> {
  const host = hostUrl === undefined ? hostOf(sandbox) : readAddress(hostUrl, '--host-url')
  try {
    return await work(controlHost(host, sandbox.key))
  } catch (error) {
    if (isGone(error)) return undefined
    throw hostFailure(error, host, escapeControls(saved))
  }
}

/** Returns all saved sandboxes, or those whose label, id or start of an id is in `ids`. Throws CommandFailed. */
function chosenSandboxes(
  ids: readonly string[],
  { all, saved }: SavedOptions & { readonly all?: boolean },
): SavedSandbox[] {
  if (ids.length > 0 === (all === true))
    throw new CommandFailed(
      'Give the ids of sandboxes, or --all: "petstore sandbox list" shows the ids.',
      EXIT_USAGE,
    )
  const sandboxes = new SavedSandboxes(saved).read()
  if (all) return sandboxes
  return [...new Set(ids.map(id => findSaved(sandboxes, id, saved)))]
}

/** Returns the saved sandbox whose label is `given`, or whose id begins with `given`. Throws CommandFailed. */
function findSaved(sandboxes: readonly SavedSandbox[], given: string, file: string): SavedSandbox {
  const labelled = sandboxes.filter(({ label }) => nameForm(label) === nameForm(given) && given !== '')
  const matching = sandboxes.filter(({ id }) => given !== '' && id.startsWith(given))
  const [found, ...others] = labelled.length > 0 ? labelled : matching
  if (found && others.length === 0) return found
  const text = escapeControls(given)
  throw new CommandFailed(
    found
      ? `${others.length + 1} sandboxes have the label "${text}", or an id that begins with it: give more of the id.`
      : `No sandbox in ${escapeControls(file)} has the label "${text}", or an id that begins with it.`,
    EXIT_USAGE,
  )
}

function nameOf({ id, label }: SavedSandbox): string {
  return label === '' ? id : `${id} (${escapeControls(label)})`
}

function sandboxesText(count: number): string {
  return countText(count, 'sandbox', 'sandboxes')
}
