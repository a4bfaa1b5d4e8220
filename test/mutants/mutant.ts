/** A small mistake in the source, made on purpose, that the tests should notice. */
export interface Mutant {
  readonly file: string
  readonly before: string
  readonly after: string
  /** What a user gets from it, or what the mutant is. */
  readonly breaks: string
  /** The tests that should notice it, the fastest first: `FILE: TITLE` with a part of a title, or `FILE` for all. */
  readonly tests: readonly string[]
  /** The place of `before` in the file; absent if the file contains it only once. */
  readonly at?: number
  /** Why the program does the same with it, if it does. */
  readonly equivalent?: string
}

/** Returns the source with the mistake. Throws if the replaced text is not in the source exactly once. */
export function mutated(
  source: string,
  { file, before, after, at }: Pick<Mutant, 'file' | 'before' | 'after' | 'at'>,
): string {
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

/** A change of a source: the text at `at` becomes another one. */
export interface SourceChange {
  readonly at: number
  readonly before: string
  readonly after: string
  readonly kind: string
}
