import { rmSync } from 'node:fs'
import {
  LIFETIME_SECONDS_MAX,
  LIFETIME_SECONDS_MIN,
  NewSandbox,
  snapshotSeed,
} from '../../sandboxes/contract/schema.ts'
import { countText } from '../../values/count-text.ts'
import { durationMs } from '../../values/duration.ts'
import { nameForm } from '../../values/same-name.ts'
import { readKeyOption } from '../store-access/store-options.ts'
import { jsonText } from '../terminal/output.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, say } from '../terminal/terminal.ts'
import { alignedLines, memberLines } from '../terminal/text-table.ts'
import { chooseHost, controlHost, hostFailure } from './host.ts'
import { readNames } from './roster.ts'
import { type SavedSandbox, SavedSandboxes, sandboxesCsv, savedSandbox } from './saved.ts'

/** The maximum number of sandboxes that one command creates. */
export const COUNT_MAX = 500

export const sandboxFormats = ['table', 'csv', 'json'] as const
export type SandboxFormat = (typeof sandboxFormats)[number]

interface CreateSandboxesOptions {
  readonly count?: number
  readonly names?: string
  readonly label?: string
  readonly seed?: string
  readonly key?: string
  readonly lifetime?: number
  readonly hostUrl?: string
  readonly format?: SandboxFormat
  readonly save: string
}

/**
 * Creates sandboxes, saves each at once, and prints them. If one cannot be created, prints those before it and throws
 * CommandFailed.
 */
export async function runCreate(options: CreateSandboxesOptions): Promise<void> {
  const inputs = await newSandboxes(options)
  const host = chooseHost(options.hostUrl)
  const key = seedKey(options)
  const saved = new SavedSandboxes(options.save)
  const isNewList = saved.prepare()
  warnOfKnownLabels(saved, inputs)
  const created: SavedSandbox[] = []
  try {
    const control = controlHost(host, key)
    for (const input of inputs) {
      const sandbox = savedSandbox((await control.createSandbox({ body: input })).data)
      created.push(sandbox)
      saved.add(sandbox)
    }
  } catch (error) {
    const failure = hostFailure(error, host, '--key')
    if (isNewList && created.length === 0) rmSync(saved.path, { force: true })
    if (!(failure instanceof CommandFailed) || created.length === 0) throw failure
    await printCreated(created, options.format ?? defaultSandboxFormat())
    const missing = inputs.length - created.length
    const summary = `${created.length} of ${inputs.length} sandboxes were created; ${missing} are missing.`
    throw new CommandFailed(`${failure.message}\n${summary} ${savedSentence(saved)}`, failure.exitCode)
  }
  await printCreated(created, options.format ?? defaultSandboxFormat())
  const [first] = created
  const count = countText(created.length, 'sandbox', 'sandboxes')
  say(`Created ${count}, valid until ${first?.expiresAt}. ${savedSentence(saved)}`)
}

/** Warns if the list already has one of the labels: creating sandboxes twice for the same people is rarely intended. */
function warnOfKnownLabels(saved: SavedSandboxes, inputs: readonly NewSandbox[]): void {
  const known = new Set(saved.read().map(({ label }) => nameForm(label)))
  const [repeated] = inputs.flatMap(({ label }) =>
    label !== undefined && known.has(nameForm(escapeControls(label))) ? [label] : [],
  )
  if (repeated === undefined) return
  const name = escapeControls(repeated)
  say(
    `${escapeControls(saved.path)} already has a sandbox with the label "${name}": this one is added. ` +
      'Use --save for another list.',
  )
}

function savedSentence({ path }: SavedSandboxes): string {
  return `The addresses and keys are in ${escapeControls(path)}.`
}

async function newSandboxes(options: CreateSandboxesOptions): Promise<NewSandbox[]> {
  const { seed, lifetime } = options
  const lifetimeSeconds = lifetime === undefined ? undefined : BigInt(lifetime)
  return (await labelsOf(options)).map(label => {
    const input = {
      ...(seed !== undefined && { seed }),
      ...(label !== undefined && { label }),
      ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
    }
    const { success, data, error } = NewSandbox.safeParse(input)
    if (success) return data
    const [issue] = error.issues
    if (issue?.path[0] === 'label') {
      throw new CommandFailed(
        `A label has at most 100 characters: ${escapeControls(label ?? '')}`,
        EXIT_USAGE,
      )
    }
    throw new CommandFailed(`--${String(issue?.path[0])} ${issue?.message}.`, EXIT_USAGE)
  })
}

async function labelsOf({ count, names, label }: CreateSandboxesOptions): Promise<(string | undefined)[]> {
  if (names === undefined) {
    if (count === undefined) return [label]
    return Array.from({ length: count }, (_, index) => label && `${label} ${index + 1}`)
  }
  if (count !== undefined || label !== undefined)
    throw new CommandFailed('--names has one label per line: leave out --count and --label.', EXIT_USAGE)
  const { students, about, isTable } = await readNames(names)
  const labels = students.map(({ name }) => name)
  if (isTable) say(about)
  if (labels.length >= 1 && labels.length <= COUNT_MAX) return labels
  const found = labels.length === 0 ? 'no name' : `${labels.length} names`
  throw new CommandFailed(
    `${escapeControls(names)} has ${found}; it must have 1 to ${COUNT_MAX}, one per line.`,
    EXIT_USAGE,
  )
}

/** Returns the key of the sandbox whose snapshot is the seed. Throws CommandFailed if it is missing or not needed. */
function seedKey({ seed = '', key }: CreateSandboxesOptions): string | undefined {
  const source = snapshotSeed(seed)
  if (!source && key === undefined) return undefined
  if (!source) throw new CommandFailed('--key is only for a seed that is a snapshot.', EXIT_USAGE)
  if (key !== undefined) return readKeyOption(key, '--key')
  throw new CommandFailed(
    'A seed that is a snapshot needs the key of its sandbox: give it with --key @FILE or --key KEY.',
    EXIT_USAGE,
  )
}

/** Returns the seconds of a time such as 90m, 24h or 3d; undefined if it is not valid. */
export function readLifetime(text: string): number | undefined {
  const seconds = (durationMs(text, 'mhd') ?? Number.NaN) / 1000
  return seconds >= LIFETIME_SECONDS_MIN && seconds <= LIFETIME_SECONDS_MAX ? seconds : undefined
}

/** Returns the format for standard output: a table for a terminal, and CSV for a file or a program. */
export function defaultSandboxFormat(): SandboxFormat {
  return process.stdout.isTTY ? 'table' : 'csv'
}

/** Prints new sandboxes. No value is cut, because the keys are in no other response. */
async function printCreated(created: readonly SavedSandbox[], format: SandboxFormat): Promise<void> {
  if (format === 'json') return print(`${jsonText(created)}\n`)
  if (format === 'csv') return print(sandboxesCsv(created))
  const [only, ...others] = created
  if (!only) return
  const lines =
    others.length === 0
      ? memberLines({ ...only, label: only.label || undefined })
      : alignedLines([
          ['LABEL', 'ADDRESS', 'KEY'],
          ...created.map(({ label, address, key }) => [escapeControls(label), address, key]),
        ])
  for (const line of lines) await print(`${line}\n`)
}
