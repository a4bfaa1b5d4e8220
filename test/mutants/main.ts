import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { testedEngines } from '../support/engines.ts'
import { SHARED_SERVER_VARIABLE, startPostgres, stopPostgres } from '../support/postgres-server.ts'
import { ROOT } from '../support/root.ts'
import { drawMutants } from './random.ts'
import { ScratchCopy } from './scratch-copy.ts'
import { type Mutant, mutantsOf, mutated, type NamedTest, namedTest, problemOf } from './slip.ts'
import { tables } from './tables.ts'

// `npm run mutants` applies each slip of the table alone to a copy of the tree, and runs the tests that must notice it.
// With `--random N`, it does so with N mutants of StrykerJS. See README.md.

/** The share of the drawn mutants that must be noticed. Of the table, each slip must be noticed. */
const NOTICED_MIN_PERCENT = 95

/** The files that only a store on PostgreSQL uses. */
const ONLY_POSTGRES =
  /postgres|primary|pool|sequencer|executions|id-blocks|outage|database-clock|shared-lookup/

interface Outcome {
  readonly mutant: Mutant
  /** `undecided` if the tests fail without the slip too. */
  readonly result: 'noticed' | 'SURVIVED' | 'undecided'
}

const options = {
  /** A part of the paths of the changed files, such as `src/shop/`. */
  only: { type: 'string', default: '' },
  /** A part of what the slips break, such as one sentence of the report. */
  breaks: { type: 'string', default: '' },
  /** The number of mutants to draw, in place of the table. */
  random: { type: 'string' },
  seed: { type: 'string', default: '1' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  /** Prints the output of the tests. */
  verbose: { type: 'boolean', default: false },
} as const

const { only, breaks, random, seed, jobs, verbose } = readOptions()
const all = random === undefined ? mutantsOf(tables) : await drawMutants(Number(random), Number(seed))
const chosen = all.filter(mutant => mutant.file.includes(only) && mutant.breaks.includes(breaks))
const tested = chosen.filter(({ equivalent }) => equivalent === undefined)
if (tested.length === 0) {
  const which = random === undefined ? 'slip of the tables' : `of the ${all.length} mutants drawn`
  refuse(`No ${which} has such a file and such a sentence, or the program does the same with it.`)
}
const problems = chosen.map(problemOf).filter(problem => problem !== undefined)
if (random === undefined && problems.length > 0) refuse(problems.join('\n'))
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
  if (random === undefined) isReliable = await passWithoutSlip(tested)
  if (isReliable) await share(tested, judge)
} finally {
  await cleanUp()
}
process.exit(isReliable && report() ? 0 : 1)

function readOptions() {
  try {
    const { values } = parseArgs({ options })
    for (const name of ['random', 'seed', 'jobs'] as const) {
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

/** Runs all named tests on the unchanged tree: a test that fails there would notice every slip. */
async function passWithoutSlip(mutants: readonly Mutant[]): Promise<boolean> {
  const names = [...new Set(mutants.flatMap(({ tests }) => tests))]
  const failed: string[] = []
  process.stdout.write(`${names.length} tests without a slip ...\n`)
  await share(names, async (name, copy) => {
    const run = await copy.testAll([namedTest(name)], server)
    if (!run.passed) failed.push(`${name}: ${run.reason}\n${run.output}`)
  })
  for (const text of failed) process.stderr.write(`Fails without a slip: ${text}\n`)
  return failed.length === 0
}

async function judge(mutant: Mutant, copy: ScratchCopy): Promise<void> {
  const tests = groupsOf(mutant)
  const run = await copy.withChange(
    mutant.file,
    source => mutated(source, mutant),
    async () => {
      const tested = await copy.test(tests, variablesOf(mutant))
      if (!tested.passed || random === undefined) return tested
      const types = await copy.run(['node_modules/.bin/tsc', '-p', '.'])
      return { ...types, reason: 'the type check' }
    },
  )
  if (verbose) process.stdout.write(run.output)
  let result: Outcome['result'] = run.passed ? 'SURVIVED' : 'noticed'
  // A run without a failed test, or one that did not end, may say nothing about the slip.
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
  return random === undefined || ONLY_POSTGRES.test(file) ? server : { ENGINE: 'sqlite' }
}

/** Each named test runs by itself. The many tests of a drawn mutant run in two groups: the faster half comes first. */
function groupsOf({ tests }: Mutant): NamedTest[][] {
  const named = tests.map(namedTest)
  if (random === undefined) return named.map(one => [one])
  const half = Math.ceil(named.length / 2)
  return [named.slice(0, half), named.slice(half)].filter(group => group.length > 0)
}

/** Prints the score of each folder and the survivors. Returns whether enough slips were noticed. */
function report(): boolean {
  const folderOf = ({ file }: Mutant): string => file.split('/').slice(0, 2).join('/')
  process.stdout.write(
    '\n| Folder | Slips | Noticed | Equivalent | Survived |\n| --- | --- | --- | --- | --- |\n',
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
    const start = readFileSync(join(ROOT, file), 'utf8').split(before)[0] ?? ''
    const line = start.split('\n').length
    process.stdout.write(
      `\n${result}: ${file}:${line}: ${breaks}\n- ${before}\n+ ${after}\nTests:\n  ${tests.join('\n  ')}\n`,
    )
  }
  return random === undefined ? others.length === 0 : percent >= NOTICED_MIN_PERCENT
}
