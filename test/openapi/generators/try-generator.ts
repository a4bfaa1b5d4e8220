import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDemo } from '../../support/demo-store.ts'
import { ROOT } from '../../support/root.ts'
import { ADMIN_KEY } from '../../support/store.ts'
import { expectedLines, type Generator, observedLines, samples } from './generator.ts'

const STEP_MS_MAX = 1_200_000
const OUTCOME = 'outcome.json'

/** The outcome of one generator. */
export interface Outcome {
  readonly generator: Generator
  /**
   * `works`, `skipped: no java`, or a fault. A fault is the failed step and the end of its output, or the expected
   * lines that are missing or out of place.
   */
  readonly result: string
  /** For each beginning in `observedLines`: the rest of the printed line that starts with it; empty if none does. */
  readonly observed: Readonly<Record<string, string>>
  readonly codeLines: number
  readonly seconds: number
}

/**
 * Tries a generator in a separate directory and returns the outcome. The steps are: install the generator, generate a
 * client or a collection, compile the program that uses it, and run it. `description` is the text of the description
 * in another version of OpenAPI; by default, openapi.yaml.
 */
export async function tryGenerator(
  generator: Generator,
  scratch: string,
  description = readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'),
): Promise<Outcome> {
  const missing = generator.needs.find(tool => Bun.which(tool) === null)
  const none = { generator, observed: {}, codeLines: 0, seconds: 0 }
  if (missing) return { ...none, result: `skipped: no ${missing}` }
  const startedMs = performance.now()
  const directory = join(scratch, folderNameOf(generator))
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'openapi.yaml'), description)
  for (const [name, value] of Object.entries(samples)) {
    writeFileSync(join(directory, `${name}.json`), JSON.stringify(value))
  }
  const { failed, printed } = await takeSteps(generator, directory)
  const lines = printed.trim().split('\n')
  const missingLines = (generator.expected ?? expectedLines).filter((line, index) => lines[index] !== line)
  const result =
    failed ??
    (missingLines.length > 0
      ? `these lines are missing or out of place: ${missingLines.join('; ')}`
      : 'works')
  const outcome = {
    generator,
    result,
    observed: Object.fromEntries(observedLines.map(name => [name, reported(lines, name)])),
    codeLines: linesUnder(join(directory, generator.code)),
    seconds: Math.round((performance.now() - startedMs) / 1000),
  }
  writeFileSync(join(directory, OUTCOME), JSON.stringify(outcome))
  return outcome
}

/** Returns the outcome of the last run of a generator in a scratch directory; undefined if there was none. */
export function lastOutcome(generator: Generator, scratch: string): Outcome | undefined {
  const file = join(scratch, folderNameOf(generator), OUTCOME)
  return existsSync(file) ? { ...JSON.parse(readFileSync(file, 'utf8')), generator } : undefined
}

/**
 * Returns the name of a generator's folder: in the scratch directory and, if it has a program of its own, next to this
 * file.
 */
export function folderNameOf({ name }: Generator): string {
  const folders: Record<string, string> = {
    'openapi-typescript': 'openapi-fetch',
    '@hey-api/openapi-ts': 'hey-api',
  }
  return folders[name] ?? name.replace('openapi-generator ', '').replaceAll(' ', '-')
}

async function takeSteps(
  generator: Generator,
  directory: string,
): Promise<{ failed?: string; printed: string }> {
  for (const step of ['install', 'generate', 'compile'] as const) {
    const { exitCode, printed } = await runCommand(generator[step], directory, generator, {})
    if (exitCode !== 0) return { failed: `${step} failed: ${printed.slice(-2000)}`, printed: '' }
  }
  await using store = await openDemo()
  const session = { BASE: store.base, KEY: ADMIN_KEY, SAMPLES: directory }
  const { exitCode, printed } = await runCommand(generator.run, directory, generator, session)
  return exitCode === 0 ? { printed } : { failed: `the program failed: ${printed.slice(-2000)}`, printed }
}

async function runCommand(
  command: string,
  cwd: string,
  generator: Generator,
  session: Record<string, string>,
): Promise<{ exitCode: number; printed: string }> {
  const variables = {
    PROGRAM: join(import.meta.dir, folderNameOf(generator)),
    BUN: process.execPath,
    CI: 'true',
  }
  const child = Bun.spawn(['sh', '-c', command], {
    cwd,
    env: { ...process.env, ...variables, ...session },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: STEP_MS_MAX,
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const exitCode = await child.exited
  return { exitCode, printed: exitCode === 0 ? output : output + errors }
}

function reported(lines: readonly string[], name: string): string {
  return lines.find(line => line.startsWith(`${name} `))?.slice(name.length + 1) ?? ''
}

const sourceFiles = /\.(ts|go|py|java|kt|rs)$/

function linesUnder(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return 0
  if (stat.isFile()) return sourceFiles.test(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
  return readdirSync(path).reduce((sum, name) => sum + linesUnder(join(path, name)), 0)
}
