import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { testedEngines } from '../support/engines.ts'
import { SHARED_SERVER_VARIABLE, startPostgres, stopPostgres } from '../support/postgres-server.ts'
import { ROOT } from '../support/root.ts'
import { controlSlips } from './control-slips.ts'
import { drawMutants } from './draw.ts'
import { type Mutant, mutated, type NamedTest, namedTest } from './mutant.ts'
import { ScratchCopy } from './scratch-copy.ts'

// `npm run mutants` draws mutants, makes each alone in a copy of the tree, and runs its tests. See README.md.

/** The files that only a store on PostgreSQL uses. */
const ONLY_POSTGRES =
  /postgres|primary|pool|sequencer|executions|id-blocks|outage|database-clock|shared-lookup/

interface Outcome {
  readonly mutant: Mutant
  /** `undecided` if the tests fail without the mutant too. */
  readonly result: 'noticed' | 'SURVIVED' | 'undecided'
}

const options = {
  /** A part of the paths of the changed files, such as `src/shop/`. */
  only: { type: 'string', default: '' },
  /** Only files that changed since this revision, or are not committed. */
  changed: { type: 'string' },
  count: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  /** The slips of the guarantees in place of mutants that are drawn. */
  controls: { type: 'boolean', default: false },
  jobs: { type: 'string', default: String(availableParallelism()) },
  /** Prints the output of the tests. */
  verbose: { type: 'boolean', default: false },
} as const

const { only, changed, count, seed, controls, jobs, verbose } = readOptions()
const changedFiles = changed === undefined ? undefined : filesChangedSince(changed)
const isMeant = (file: string): boolean => file.includes(only) && (changedFiles?.has(file) ?? true)
const chosen: readonly Mutant[] = controls
  ? controlSlips.filter(({ file }) => isMeant(file))
  : await drawMutants(Number(count), Number(seed), isMeant)
const tested = chosen.filter(({ equivalent }) => equivalent === undefined)
if (tested.length === 0) refuse('No mutant can be made in such files.')
const server: Record<string, string> = testedEngines.includes('postgres')
  ? { [SHARED_SERVER_VARIABLE]: await startPostgres() }
  : {}
const copies = Array.from({ length: Number(jobs) }, () => new ScratchCopy())
const outcomes: Outcome[] = []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, async () => {
    if (outcomes.length > 0) report()
    await cleanUp()
    process.exit(130)
  })
}
let isReliable = true
try {
  // The mutants of one file are noticed by any of many tests, so a test that always fails would stand out.
  if (controls) isReliable = await passUnchanged(tested)
  if (isReliable) await share(tested, judge)
} finally {
  await cleanUp()
}
process.exit(isReliable && report() ? 0 : 1)

function filesChangedSince(revision: string): Set<string> {
  const run = Bun.spawnSync(['git', 'diff', '--name-only', revision, '--', 'src'], { cwd: ROOT })
  if (run.exitCode !== 0) refuse(run.stderr.toString().trim())
  return new Set(run.stdout.toString().split('\n').filter(Boolean))
}

function readOptions() {
  try {
    const { values } = parseArgs({ options })
    for (const name of ['count', 'seed', 'jobs'] as const) {
      const text = values[name]
      if (text !== undefined && !/^[1-9]\d*$/.test(text))
        throw new Error(`--${name} must be a number from 1 on`)
    }
    return values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

async function cleanUp(): Promise<void> {
  for (const copy of copies) copy[Symbol.dispose]()
  await stopPostgres()
}

/** Hands the items to the copies, one at a time each. */
async function share<Item>(items: readonly Item[], work: (item: Item, copy: ScratchCopy) => Promise<void>) {
  const waiting = items.values()
  await Promise.all(
    copies.map(async copy => {
      for (const item of waiting) await work(item, copy)
    }),
  )
}

/** Runs all named tests on the unchanged tree: a test that fails there would notice everything. */
async function passUnchanged(mutants: readonly Mutant[]): Promise<boolean> {
  const names = [...new Set(mutants.flatMap(({ tests }) => tests))]
  const failed: string[] = []
  process.stdout.write(`${names.length} tests on the unchanged tree ...\n`)
  await share(names, async (name, copy) => {
    const run = await copy.testAll([namedTest(name)], server)
    if (!run.passed) failed.push(`${name}: ${run.reason}\n${run.output}`)
  })
  for (const text of failed) process.stderr.write(`Fails on the unchanged tree: ${text}\n`)
  return failed.length === 0
}

async function judge(mutant: Mutant, copy: ScratchCopy): Promise<void> {
  const tests = groupsOf(mutant)
  const isConsole = mutant.file.startsWith('src/console/')
  const run = await copy.withChange(
    mutant.file,
    source => mutated(source, mutant),
    async () => {
      const build = isConsole ? await copy.run(['build/browser-files.ts']) : undefined
      if (build?.passed === false) return { ...build, isCrash: false, reason: 'the build' }
      const tested = await copy.test(tests, variablesOf(mutant))
      if (!tested.passed || controls) return tested
      const types = await copy.run(['node_modules/.bin/tsc', '-p', isConsole ? 'src/console' : '.'])
      return { ...types, reason: 'the type check' }
    },
  )
  if (isConsole) await copy.run(['build/browser-files.ts'])
  if (verbose) process.stdout.write(run.output)
  let result: Outcome['result'] = run.passed ? 'SURVIVED' : 'noticed'
  // A run without a failed test, or one that did not end, may say nothing about the mutant.
  if ((run.isCrash || run.isLate) && !(await copy.test(tests, variablesOf(mutant))).passed)
    result = 'undecided'
  outcomes.push({ mutant, result })
  const by = run.passed ? '' : ` [${run.reason}]`
  process.stdout.write(
    `${outcomes.length}/${tested.length} ${result.padEnd(8)} ${mutant.file}: ${mutant.breaks}${by}\n`,
  )
}

/** A drawn mutant of a file that is not of PostgreSQL alone is noticed on SQLite, where the tests are faster. */
function variablesOf({ file }: Mutant): Record<string, string> {
  return controls || ONLY_POSTGRES.test(file) ? server : { ENGINE: 'sqlite' }
}

/** Each named test runs by itself. The many tests of a drawn mutant run in two groups: the faster half comes first. */
function groupsOf({ tests }: Mutant): NamedTest[][] {
  const named = tests.map(namedTest)
  if (controls) return named.map(one => [one])
  const half = Math.ceil(named.length / 2)
  return [named.slice(0, half), named.slice(half)].filter(group => group.length > 0)
}

/** Prints the score of each room and the survivors. Returns false if a control was not noticed. */
function report(): boolean {
  const folderOf = ({ file }: Mutant): string => file.split('/').slice(0, 2).join('/')
  process.stdout.write(
    '\n| Room | Mutants | Noticed | Equivalent | Survived |\n| --- | --- | --- | --- | --- |\n',
  )
  for (const folder of [...new Set(chosen.map(folderOf))].sort()) {
    const count = (...results: Outcome['result'][]): number =>
      outcomes.filter(({ mutant, result }) => folderOf(mutant) === folder && results.includes(result)).length
    const equivalent = chosen.filter(
      mutant => mutant.equivalent !== undefined && folderOf(mutant) === folder,
    ).length
    const total = count('noticed', 'SURVIVED', 'undecided') + equivalent
    process.stdout.write(
      `| ${folder} | ${total} | ${count('noticed')} | ${equivalent} | ${count('SURVIVED', 'undecided')} |\n`,
    )
  }
  const others = outcomes.filter(({ result }) => result !== 'noticed')
  const percent = 100 - (100 * others.length) / outcomes.length
  process.stdout.write(
    `${outcomes.length - others.length} of ${outcomes.length} noticed: ${percent.toFixed(1)}%\n`,
  )
  for (const { mutant, result } of others) {
    const { file, breaks, before, after, tests } = mutant
    process.stdout.write(
      `\n${result}: ${file}: ${breaks}\n- ${before}\n+ ${after}\nTests:\n  ${tests.join('\n  ')}\n`,
    )
  }
  return !controls || others.length === 0
}
