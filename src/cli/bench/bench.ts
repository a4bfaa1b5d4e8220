import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CreatedSandbox, HostOperations } from '../../client/sandbox-api.ts'
import { version } from '../../files/version.ts'
import { plantableFaults } from '../../sandboxes/bench/catalogue.ts'
import { faultClasses, type PlantedFault } from '../../sandboxes/bench/planted-fault.ts'
import type { ToolFinding } from '../../sandboxes/bench/schema.ts'
import { countText } from '../../values/count-text.ts'
import { durationMs } from '../../values/duration.ts'
import { parseJson, writeJson } from '../../values/json.ts'
import { similarName } from '../../values/similar-name.ts'
import { chooseHost, controlHost, hostFailure } from '../sandboxes/host.ts'
import { withOwnHost } from '../sandboxes/own-host.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, reasonOf, say } from '../terminal/terminal.ts'
import { alignedLines } from '../terminal/text-table.ts'
import { clientOutcome } from './client-outcome.ts'
import { type CommandRun, runCommand } from './command-run.ts'
import { readFindings, UnreadableFindings } from './findings.ts'
import { BenchResults, type BenchRow, badge, countOutcomes, falseAlarmsOf, markdownTable } from './results.ts'

const TIMEOUT_DEFAULT_MS = 30_000
const LIFETIME_SECONDS = 86_400
/** More than a tool sends within a run. */
const REQUESTS_PER_MINUTE_MAX = 1_000_000
const CLEAN_RUNS = 2
const FINDINGS_FILE = 'findings'

const HELP = `
The command runs in a shell with the address of a store in BASE, its key in KEY, and its description in OPENAPI: twice
with a right store, then once with each fault, after a reset. A bench that was stopped continues with the same command.
Without --host-url, it uses a host of its own.
`
const TOOL_HELP = `${HELP}
A tool writes what it found to the file in FINDINGS: as JSON, SARIF or JUnit XML.

Examples:
  petstore bench tool --run 'my-tester --url $BASE --bearer $KEY --junit $FINDINGS'
  petstore bench tool --run 'st run $OPENAPI -H "Authorization: Bearer $KEY" --report-junit-path $FINDINGS'
  petstore bench tool --class headers,status --run ./check.sh --to ./results`
const CLIENT_HELP = `${HELP}
A client prints what it took from the store, the same in each run. Its exit code says whether it noticed a problem.

Example:
  petstore bench client --run 'node client.mjs'`

interface BenchOptions {
  readonly run: string
  readonly class?: readonly string[]
  readonly fault?: readonly string[]
  readonly timeout: number
  readonly to: string
  readonly hostUrl?: string
}

/** Adds the command `bench`, which measures tools and clients by stores that are wrong on purpose. */
export function addBench(program: Command): void {
  const bench = program
    .command('bench')
    .description('measure a tool, or try a client, with stores that are wrong on purpose')
  bench
    .command('faults')
    .description('list the faults, with what a correct tool sees')
    .addOption(classOption())
    .action(runFaults)
  const withRun = (name: string, about: string, help: string): Command =>
    bench
      .command(name)
      .description(about)
      .requiredOption('--run <command>', 'the command to run')
      .addOption(classOption())
      .addOption(
        new Option('--fault <ids>', 'only these faults, such as location-missing').argParser(readIds),
      )
      .addOption(
        new Option('--timeout <time>', 'the longest time of a run: 10s, 2m')
          .argParser(readTimeout)
          .default(TIMEOUT_DEFAULT_MS, '30s'),
      )
      .option('--to <directory>', 'where the results go', `bench-${name}`)
      .option('--host-url <url>', 'address of a host of sandboxes (default: one of its own)')
      .addHelpText('after', help)
  withRun('tool', 'run a tester of APIs against each fault, and score what it reports', TOOL_HELP).action(
    runTool,
  )
  withRun('client', 'run a client against each fault, and say what it did', CLIENT_HELP).action(runClient)
}

function classOption(): Option {
  return new Option('--class <names>', `only faults of these classes: ${faultClasses.join(', ')}`).argParser(
    (text: string) => knownNames(text, faultClasses),
  )
}

function readIds(text: string): string[] {
  const ids = plantableFaults.map(({ id }) => id)
  return knownNames(text, ids)
}

function knownNames(text: string, names: readonly string[]): string[] {
  return text.split(',').map(name => {
    if (names.includes(name)) return name
    const meant = similarName(name, names)
    throw new InvalidArgumentError(
      `There is no ${name}${meant === undefined ? '. "petstore bench faults" lists them' : `; did you mean ${meant}?`}`,
    )
  })
}

function readTimeout(text: string): number {
  const ms = durationMs(text, 'ms')
  if (ms !== undefined && ms >= 1000) return ms
  throw new InvalidArgumentError('It must be at least 1s, such as 10s or 2m.')
}

function chosenFaults(options: Pick<BenchOptions, 'class' | 'fault'>): readonly PlantedFault[] {
  const { class: classes, fault: ids } = options
  return plantableFaults.filter(
    ({ id, class: name }) => (classes?.includes(name) ?? true) && (ids?.includes(id) ?? true),
  )
}

async function runFaults(options: Pick<BenchOptions, 'class'>): Promise<void> {
  const rows = chosenFaults(options).map(fault => [
    fault.class,
    fault.id,
    fault.summary,
    fault.operations.join(', '),
  ])
  for (const line of alignedLines([['CLASS', 'FAULT', 'WHAT IS WRONG', 'IN'], ...rows]))
    await print(`${line}\n`)
}

/** One run of the command against a sandbox, with what the sandbox recorded. */
interface Measured {
  readonly run: CommandRun
  readonly requests: number
  readonly provoked: number
}

/** The sandbox of a bench. */
class Bench {
  readonly control: HostOperations
  readonly sandbox: CreatedSandbox
  readonly #options: BenchOptions
  readonly #signal: AbortSignal
  /** The file that a tool writes its findings to. */
  readonly findings: string

  constructor(control: HostOperations, sandbox: CreatedSandbox, options: BenchOptions, signal: AbortSignal) {
    this.#signal = signal
    this.control = control
    this.sandbox = sandbox
    this.#options = options
    this.findings = resolve(join(options.to, FINDINGS_FILE))
  }

  /** Runs the command once against the sandbox after a reset, with a fault or with none. */
  async measure(fault: PlantedFault | undefined): Promise<Measured> {
    const { id: sandboxId, baseUrl, adminKey } = this.sandbox
    const { run: line, timeout } = this.#options
    rmSync(this.findings, { force: true })
    await this.control.resetSandbox({ sandboxId })
    await this.control.setPlantedFaults({ sandboxId, body: { faults: fault ? [{ id: fault.id }] : [] } })
    const variables = {
      BASE: baseUrl,
      KEY: adminKey,
      OPENAPI: `${baseUrl}/openapi.json`,
      FINDINGS: this.findings,
    }
    const run = await runCommand(line, variables, timeout, this.#signal)
    const { data: report } = await this.control.getBenchReport({ sandboxId })
    const requests = report.exercised.reduce((sum, { count }) => sum + Number(count), 0)
    return { run, requests, provoked: Number(report.faults?.[0]?.provoked ?? 0) }
  }
}

/** Runs `work` with a new sandbox, on the given host or on one of its own. */
async function withBench(options: BenchOptions, work: (bench: Bench) => Promise<void>): Promise<void> {
  using interruption = interruptedBySignals(`The results so far are in ${escapeControls(options.to)}.`)
  const onHost = async (host: string): Promise<void> => {
    try {
      const input = { label: 'bench', lifetimeSeconds: LIFETIME_SECONDS }
      const { data: sandbox } = await controlHost(host, undefined).createSandbox({ body: input })
      const control = controlHost(host, sandbox.adminKey)
      try {
        await work(new Bench(control, sandbox, options, interruption.signal))
      } finally {
        await control.deleteSandbox({ sandboxId: sandbox.id }).catch(() => {})
      }
    } catch (error) {
      throw hostFailure(error, host, 'the new sandbox')
    }
  }
  if (options.hostUrl !== undefined) return await onHost(chooseHost(options.hostUrl))
  const limits = { requestsPerMinute: REQUESTS_PER_MINUTE_MAX }
  await withOwnHost({ limits }, ({ base }) => onHost(base))
}

/** Runs what is missing: the runs without faults, then each fault. `toRow` makes the row of a run. */
async function runMissing(
  options: BenchOptions,
  results: BenchResults,
  toRow: (bench: Bench, measured: Measured, fault: PlantedFault | undefined) => Promise<BenchRow>,
): Promise<void> {
  const cleanLeft = CLEAN_RUNS - results.rows.filter(({ fault }) => fault === '').length
  const left = chosenFaults(options).filter(({ id }) => !results.rows.some(({ fault }) => fault === id))
  if (left.length + Math.max(cleanLeft, 0) === 0) {
    // The program of a command may have changed.
    say(`Nothing was run: ${escapeControls(options.to)} has all results. Delete it to run the bench again.`)
    return
  }
  await withBench(options, async bench => {
    const runs = [...Array.from({ length: Math.max(cleanLeft, 0) }, () => undefined), ...left]
    for (const fault of runs) {
      const row = await toRow(bench, await bench.measure(fault), fault)
      results.add(row)
      const name = fault?.id ?? 'without a fault'
      const size = `${countText(row.requests, 'request', 'requests')}, ${row.seconds} s`
      say(`${name.padEnd(28)} ${outcomeText(row)} (${size})`)
    }
  })
}

function outcomeText({ fault, provoked, outcome, kept }: BenchRow): string {
  if (fault === '') return outcome || 'a right store'
  return provoked === 0 ? 'not provoked' : outcome || kept || 'not reported'
}

async function runTool(options: BenchOptions): Promise<void> {
  const results = new BenchResults(options.to, `tool ${options.run}`)
  const cleanRuns = (): ToolFinding[][] =>
    // Safe: rows of runs without faults keep the findings as they were read.
    results.rows
      .filter(({ fault }) => fault === '')
      .map(({ kept }) => parseJson(kept) as unknown as ToolFinding[])
  await runMissing(options, results, async (bench, { run, requests, provoked }, fault) => {
    const findings = findingsOf(bench)
    const row = { fault: fault?.id ?? '', provoked, requests, seconds: run.seconds }
    // A fault may end a tool, as a page without an end does.
    const failure = findings || run.exitCode === 0 ? '' : `the command ${endOf(run)}, and wrote no findings`
    if (!fault) {
      if (failure !== '')
        throw new CommandFailed(`In a run against a right store, ${failure}.\n${lastLines(run)}`)
      if (!findings) say('The command wrote no file to $FINDINGS: that counts as a report without findings.')
      return { ...row, outcome: falseAlarmText(findings ?? []), kept: writeJson(findings ?? []) }
    }
    const { id: sandboxId } = bench.sandbox
    const body = { findings: findings ?? [], cleanRuns: cleanRuns() }
    const { data } = await bench.control.scoreFindings({ sandboxId, body })
    const match = data.faults?.[0]?.reportedBy
    return { ...row, outcome: match === undefined ? '' : `reported by ${match}`, kept: failure }
  })
  await summarize(options, results)
}

function falseAlarmText({ length }: readonly ToolFinding[]): string {
  return length === 0 ? '' : `${countText(length, 'finding', 'findings')} although the store is right`
}

/** Returns what the command wrote to its file of findings; undefined if it wrote none. */
function findingsOf({ findings: file, sandbox }: Bench): readonly ToolFinding[] | undefined {
  if (!existsSync(file)) return undefined
  try {
    return readFindings(readFileSync(file, 'utf8'), sandbox)
  } catch (error) {
    if (error instanceof UnreadableFindings)
      throw new CommandFailed(`What the command wrote to $FINDINGS ${error.message}.`, EXIT_USAGE)
    throw new CommandFailed(`What the command wrote to $FINDINGS cannot be read: ${reasonOf(error)}.`)
  }
}

function endOf({ isTimedOut, exitCode }: CommandRun): string {
  if (isTimedOut) return 'did not end in time'
  return exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`
}

function lastLines({ errors, output }: CommandRun): string {
  return (errors || output).trim().split('\n').slice(-10).map(escapeControls).join('\n')
}

/** Writes the report of a tool and its badge, and prints the scores. */
async function summarize(options: BenchOptions, results: BenchResults): Promise<void> {
  const faults = chosenFaults(options)
  const classes = faultClasses.filter(name => faults.some(fault => fault.class === name))
  const scores = classes.map(name => {
    const counted = countOutcomes(
      faults.filter(fault => fault.class === name),
      results.rows,
    )
    return [name, counted.planted, counted.provoked, counted.reported] as const
  })
  const all = countOutcomes(faults, results.rows)
  const falseAlarms = falseAlarmsOf(results.rows).join(' and ')
  const total = ['all', all.planted, all.provoked, all.reported] as const
  const head = ['Class', 'Planted', 'Provoked', 'Reported']
  const rows = faults.flatMap(({ id, class: name, summary }) =>
    results.rows
      .filter(({ fault }) => fault === id)
      .map(row => [name, id, summary, row.provoked, row.outcome || row.kept, row.requests, row.seconds]),
  )
  const report = results.write(
    'report.md',
    `# Bench of planted faults

Petstore ${version}, ${new Date().toISOString().slice(0, 10)}. Command: \`${options.run}\`

${markdownTable(head, [...scores, total])}

False alarms in ${CLEAN_RUNS} runs against a right store: ${falseAlarms}.

${markdownTable(['Class', 'Fault', 'What was wrong', 'Provoked', 'Reported', 'Requests', 'Seconds'], rows)}
`,
  )
  results.write('badge.svg', badge(all.reported, all.planted))
  const table = [head, ...scores, total].map(cells => cells.map(String))
  for (const line of alignedLines(table)) await print(`${line}\n`)
  say(`False alarms against a right store: ${falseAlarms}. The report is in ${escapeControls(report)}.`)
}

async function runClient(options: BenchOptions): Promise<void> {
  const results = new BenchResults(options.to, `client ${options.run}`)
  const cleanRuns = (): readonly BenchRow[] => results.rows.filter(({ fault }) => fault === '')
  await runMissing(options, results, async (_, { run, requests, provoked }, fault) => {
    const row = { fault: fault?.id ?? '', provoked, requests, seconds: run.seconds }
    if (fault) return { ...row, outcome: clientOutcome(run, requests, cleanRuns()), kept: '' }
    if (run.exitCode === 0) return { ...row, outcome: '', kept: run.output }
    throw new CommandFailed(`In a run against a right store, the command ${endOf(run)}.\n${lastLines(run)}`)
  })
  const rows = chosenFaults(options).flatMap(({ id, class: name, summary }) =>
    results.rows
      .filter(({ fault }) => fault === id)
      .map(({ provoked, outcome }) => [name, id, summary, provoked === 0 ? 'not provoked' : outcome]),
  )
  const head = ['Class', 'Fault', 'What was wrong', 'What the client did']
  const report = results.write(
    'report.md',
    `# A client and a wrong store

Petstore ${version}, ${new Date().toISOString().slice(0, 10)}. Command: \`${options.run}\`

${markdownTable(head, rows)}
`,
  )
  const [first, ...other] = cleanRuns()
  if (other.some(({ kept }) => kept !== first?.kept))
    say(
      'The client printed different things in two equal runs, so a wrong value that it took cannot be seen.',
    )
  say(`The report is in ${escapeControls(report)}.`)
}
