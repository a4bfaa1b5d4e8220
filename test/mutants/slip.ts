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

/** The slips of a folder, by the path of the changed file. */
export type Slips = Readonly<Record<string, readonly Slip[]>>

/** A slip with its file. */
export interface Mutant extends Slip {
  readonly file: string
  /** The place of `before` in the file; absent if the file contains it only once. */
  readonly at?: number
}

export function mutantsOf(tables: readonly Slips[]): Mutant[] {
  return tables.flatMap(table =>
    Object.entries(table).flatMap(([file, slips]) => slips.map(slip => ({ file, ...slip }))),
  )
}

/** Returns the source with the slip. Throws if the replaced text is not in the source exactly once. */
export function mutated(source: string, { file, before, after, at }: Mutant): string {
  if (at !== undefined) return source.slice(0, at) + after + source.slice(at + before.length)
  const [start = '', end, ...more] = source.split(before)
  if (end === undefined) throw new Error(`${file} does not contain: ${before}`)
  if (more.length > 0) throw new Error(`${file} contains ${more.length + 1} times: ${before}`)
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
