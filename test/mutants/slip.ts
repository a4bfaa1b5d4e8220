import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'

/** A small mistake that a person could make in the source. The tests must notice it. */
export interface Slip {
  /** The text in the file that the slip replaces. It occurs once in the file. */
  readonly before: string
  readonly after: string
  /** What a user gets, in one sentence. */
  readonly breaks: string
  /**
   * The tests that notice the slip, the fastest first: `FILE: TITLE`, or `FILE` alone for all of its tests. The title
   * is a part of the text between the quotes in the test file.
   */
  readonly tests: readonly string[]
  /** The guarantee of RELIABILITY.md whose control this is. */
  readonly guarantee?: number
  /** Whether its tests take at most a few seconds, so that `npm test` makes the slip too. */
  readonly isQuick?: true
  /** Why no test can notice the slip, if the program does the same with it. */
  readonly equivalent?: string
}

/** The slips of a table, by the path of the changed file. */
export type Slips = Readonly<Record<string, readonly Slip[]>>

/** A slip with its file, or a mutant that was drawn at random. */
export interface Mutant extends Slip {
  readonly file: string
  /** The path of its table; absent for a mutant that was drawn. */
  readonly table?: string
  /** The place of `before` in the file; absent if the file contains it only once. */
  readonly at?: number
}

export function mutantsOf(tables: Readonly<Record<string, Slips>>): Mutant[] {
  return Object.entries(tables).flatMap(([table, slips]) =>
    Object.entries(slips).flatMap(([file, all]) => all.map(slip => ({ table, file, ...slip }))),
  )
}

/** Returns the source with the slip. Throws if the replaced text is not in the source exactly once. */
export function mutated(source: string, { file, before, after, at }: Mutant): string {
  if (at !== undefined) return source.slice(0, at) + after + source.slice(at + before.length)
  const [start = '', end, ...more] = source.split(before)
  if (end === undefined) throw new Error(`${file} does not contain: ${before}`)
  if (more.length > 0) throw new Error(`${file} contains ${more.length + 1} times: ${before}`)
  if (before === after) throw new Error(`${file} is not changed: ${before}`)
  return start + after + end
}

/** The file of a test, and a part of its title, if only some tests of the file are meant. */
export interface NamedTest {
  readonly file: string
  readonly title: string | undefined
}

export function namedTest(name: string): NamedTest {
  const [file = '', ...title] = name.split(': ')
  return { file, title: title.length > 0 ? title.join(': ') : undefined }
}

/** Returns what is wrong with a slip; undefined if it can be made and its tests exist. */
export function problemOf(mutant: Mutant): string | undefined {
  const { file, breaks, tests, equivalent } = mutant
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`
  let text: string
  try {
    text = mutated(readFileSync(join(ROOT, file), 'utf8'), mutant)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  try {
    new Bun.Transpiler({ loader: 'ts' }).transformSync(text)
  } catch {
    // Any test would notice it.
    return `${file} is no program with: ${mutant.after}`
  }
  if (tests.length === 0 && equivalent === undefined) return `${file}: no test notices that ${breaks}`
  return tests.map(missingTest).find(problem => problem !== undefined)
}

function missingTest(name: string): string | undefined {
  const { file, title = '' } = namedTest(name)
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`
  return readFileSync(join(ROOT, file), 'utf8').includes(title) ? undefined : `${file} has no test: ${title}`
}
