import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { Glob } from 'bun'
import { ROOT } from '../support/root.ts'
import { seeded } from '../support/seeded.ts'
import { equivalentMutants } from './equivalent-mutants.ts'
import type { Mutant, SourceChange } from './mutant.ts'
import { sqlMutantsOf } from './sql-mutants.ts'
import { testsOf } from './tests-of-folders.ts'

/** All sources but tests, types, generated files and the texts of migrations. */
const NOT_DRAWN = /\.test\.ts$|\.d\.ts$|\/migrations\/|src\/client\/(api-types|operations|sandbox-api)\.ts$/

/**
 * Draws mutants from the files whose path `isDrawn` accepts: those of StrykerJS (negated conditions, empty blocks and
 * so on), and mistakes in SQL. Mutants of other texts are left out, because such a text is a message. The
 * same seed draws the same mutants of one source.
 */
export async function drawMutants(
  count: number,
  seed: number,
  isDrawn: (file: string) => boolean,
): Promise<Mutant[]> {
  const files = [...new Glob('src/**/*.{ts,tsx}').scanSync(ROOT)]
    .filter(file => !NOT_DRAWN.test(file) && isDrawn(file))
    .sort()
  const random = seeded(seed)
  const found = await Promise.all(files.map(async file => ({ file, changes: await changesOf(file) })))
  const all = found.flatMap(({ file, changes }) => changes.map(change => ({ file, change })))
  const drawn: typeof all = []
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(random.below(all.length), 1))
  return drawn.map(({ file, change }) => asMutant(file, change))
}

async function changesOf(file: string): Promise<SourceChange[]> {
  const content = readFileSync(join(ROOT, file), 'utf8')
  const { mutants } = await new Instrumenter(quiet).instrument([{ name: file, content, mutate: true }], {
    plugins: [],
    ignorers: [],
    excludedMutations: ['StringLiteral'],
    noHeader: true,
  })
  const lineStarts = [0, ...[...content.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const offsetOf = ({ line, column }: { line: number; column: number }) => (lineStarts[line] ?? 0) + column
  const changes = mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ location: { start, end }, replacement, mutatorName }): SourceChange => {
      const at = offsetOf(start)
      return { at, before: content.slice(at, offsetOf(end)), after: replacement, kind: mutatorName }
    })
  return [...changes, ...sqlMutantsOf(content)]
}

function asMutant(file: string, { at, before, after, kind }: SourceChange): Mutant {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const number = source.slice(0, at).split('\n').length
  const line = source.split('\n')[number - 1]?.trim()
  const known = equivalentMutants.find(
    mutant =>
      mutant.file === file && mutant.line === line && mutant.before === before && mutant.after === after,
  )
  return {
    file,
    before,
    after,
    at,
    breaks: `line ${number}, ${kind}`,
    tests: testsOf(file),
    ...(known && { equivalent: known.reason }),
  }
}

const quiet = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  fatal: () => {},
}

function no(): boolean {
  return false
}
