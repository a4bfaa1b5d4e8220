import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PROGRAM_VARIABLE } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import type { NamedTest } from './mutant.ts'

/** After this time, tests that do not end are stopped: the slip made them wait for ever. */
const TESTS_MAX_MS = 180_000
/** The time limit of a single test or hook, long enough for a busy machine. */
const TEST_MAX_MS = 60_000

export interface TestRun {
  readonly passed: boolean
  /** The titles of the failed tests, or what happened instead. */
  readonly reason: string
  /** Whether the run ended early, without a failed test. */
  readonly isCrash: boolean
  /** Whether the run was stopped because it did not end in time. */
  readonly isLate: boolean
  readonly output: string
}

/** A copy of the tree without its history, in which one file at a time is changed. */
export class ScratchCopy implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'petstore-mutants-'))
  #running: number | undefined

  constructor() {
    const listed = Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT })
    for (const path of listed.stdout.toString().split('\0').filter(Boolean)) {
      const target = join(this.#directory, path)
      mkdirSync(dirname(target), { recursive: true })
      cpSync(join(ROOT, path), target, { force: true })
    }
    cpSync(join(ROOT, 'dist'), join(this.#directory, 'dist'), { recursive: true })
    for (const packages of ['node_modules', 'test/node_modules']) {
      symlinkSync(join(ROOT, packages), join(this.#directory, packages))
    }
  }

  /** Runs `work` while a file has the text that `change` returns for its present text. */
  async withChange<T>(file: string, change: (source: string) => string, work: () => Promise<T>): Promise<T> {
    const path = join(this.#directory, file)
    const source = readFileSync(path, 'utf8')
    writeFileSync(path, change(source))
    try {
      return await work()
    } finally {
      writeFileSync(path, source)
    }
  }

  /** Runs groups of tests one after another, until a test fails. */
  async test(
    groups: readonly (readonly NamedTest[])[],
    variables: Readonly<Record<string, string>>,
  ): Promise<TestRun> {
    let last: TestRun = {
      passed: true,
      reason: 'no test is named',
      isCrash: false,
      isLate: false,
      output: '',
    }
    for (const group of groups) {
      last = await this.testAll(group, variables)
      if (!last.passed) return last
    }
    return last
  }

  /** Runs tests together, but those of a file with titles by themselves, because a title selects tests of all files. */
  async testAll(tests: readonly NamedTest[], variables: Readonly<Record<string, string>>): Promise<TestRun> {
    const whole = tests.filter(({ title }) => title === undefined).map(({ file }) => `./${file}`)
    const titled = Map.groupBy(
      tests.filter(({ title, file }) => title !== undefined && !whole.includes(`./${file}`)),
      ({ file }) => file,
    )
    const runs: string[][] = whole.length > 0 ? [whole] : []
    for (const [file, named] of titled) runs.push([`./${file}`, '-t', named.map(escapedTitle).join('|')])
    let last: TestRun = {
      passed: true,
      reason: 'no test is named',
      isCrash: false,
      isLate: false,
      output: '',
    }
    for (const one of runs) {
      last = await this.run(['test', ...one, '--bail', `--timeout=${TEST_MAX_MS}`], variables)
      if (!last.passed) return last
    }
    return last
  }

  /** Runs Bun with these arguments in the copy. It passes if it ends with 0 in time. */
  async run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<TestRun> {
    const child = Bun.spawn([process.execPath, ...args], {
      cwd: this.#directory,
      // The single file of this run has the source without the change.
      env: { ...process.env, [PROGRAM_VARIABLE]: '', ...variables },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      // A process group of its own, so that the processes that a test started end with it.
      detached: true,
    })
    this.#running = child.pid
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      endGroup(child.pid)
    }, TESTS_MAX_MS)
    const [output, errors, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    clearTimeout(timer)
    endGroup(child.pid)
    this.#running = undefined
    // A hook that failed has no title, and says nothing about the slip.
    const failed = [...errors.matchAll(/^\(fail\) (?!\(unnamed\))(.*?)( \[[\d.]+ms\])?$/gm)].map(
      ([, title]) => title,
    )
    const ended = isLate ? `did not end in ${TESTS_MAX_MS / 1000} s` : `ended with ${exitCode}`
    return {
      passed: exitCode === 0 && !isLate,
      reason: failed.length > 0 ? failed.join('; ') : ended,
      isCrash: exitCode !== 0 && failed.length === 0 && !isLate,
      isLate,
      output: output + errors,
    }
  }

  /** Ends the tests that run, and deletes the copy. */
  [Symbol.dispose](): void {
    if (this.#running !== undefined) endGroup(this.#running)
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

function escapedTitle({ title = '' }: NamedTest): string {
  return title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}
