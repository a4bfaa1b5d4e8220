import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { Glob } from 'bun'
import { ROOT } from '../support/root.ts'
import { seeded } from '../support/seeded.ts'
import { equivalentMutants } from './equivalent-mutants.ts'
import type { Mutant } from './slip.ts'
import { testsOf } from './tests-of-folders.ts'

/** The folders from which mutants are drawn: those of the table. */
const SOURCES = 'src/{shop,engine,store,api,webhooks,sandboxes,client,cli,catalogue,contract,model}/**/*.ts'
const NOT_DRAWN =
  /\.test\.ts$|\.d\.ts$|\.browser\.|\/migrations\/|src\/client\/(api-types|operations|sandbox-api)\.ts$/

type Found = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number]
type Place = Found['location']['start']

/**
 * Draws mutants that StrykerJS makes: negated conditions, empty blocks, other operators and so on. Mutants of texts are
 * left out, because a text is a message or SQL, which the table covers. The same seed draws the same mutants of one
 * source.
 */
export async function drawMutants(count: number, seed: number): Promise<Mutant[]> {
  const files = [...new Glob(SOURCES).scanSync(ROOT)].filter(file => !NOT_DRAWN.test(file)).sort()
  const random = seeded(seed)
  const found = await Promise.all(files.map(async file => ({ file, mutants: await mutantsOfFile(file) })))
  const all = found.flatMap(({ file, mutants }) => mutants.map(mutant => ({ file, mutant })))
  const drawn: typeof all = []
  while (drawn.length < count && all.length > 0) {
    const [one] = all.splice(random.below(all.length), 1)
    if (one) drawn.push(one)
  }
  return drawn.map(({ file, mutant }) => asMutant(file, mutant))
}

async function mutantsOfFile(file: string): Promise<Found[]> {
  const content = readFileSync(join(ROOT, file), 'utf8')
  const { mutants } = await new Instrumenter(quiet).instrument([{ name: file, content, mutate: true }], {
    plugins: [],
    ignorers: [],
    excludedMutations: ['StringLiteral'],
    noHeader: true,
  })
  return mutants.filter(({ status }) => status !== 'Ignored')
}

function asMutant(file: string, { location, replacement, mutatorName }: Found): Mutant {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const from = offsetOf(source, location.start)
  const before = source.slice(from, offsetOf(source, location.end))
  const line = source.split('\n')[location.start.line]?.trim()
  const known = equivalentMutants.find(
    mutant =>
      mutant.file === file &&
      mutant.line === line &&
      mutant.before === before &&
      mutant.after === replacement,
  )
  return {
    ...{
      file,
      before,
      after: replacement,
      at: from,
      breaks: `line ${location.start.line + 1}, ${mutatorName}`,
    },
    tests: testsOf(file),
    ...(known && { equivalent: known.reason }),
  }
}

function offsetOf(source: string, { line, column }: Place): number {
  const lines = source.split('\n').slice(0, line)
  return lines.reduce((sum, text) => sum + text.length + 1, 0) + column
}

const quiet = {
  ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no, isWarnEnabled: no },
  ...{ isErrorEnabled: no, isFatalEnabled: no },
  ...{ trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, fatal: () => {} },
}

function no(): boolean {
  return false
}
