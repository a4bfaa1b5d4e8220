import {
  ambiguous,
  IMPORT_ROWS_MAX,
  type ImportProblem,
  type ImportRows,
  noCategory,
  occursTwice,
} from '../model/import.ts'

/** The part of a store that looks up the names of categories. */
interface NameSource {
  /** Returns the number of categories with each name: 0, 1, or 2 for several. */
  countNames(names: readonly string[]): Promise<readonly bigint[]>
}

/** The lines with one name: the first two, and the number of lines after the first. */
interface Lines {
  readonly first: bigint
  second?: bigint
  others: number
}

/** The category names in the files of an import. All are validated before the first row is loaded. */
export class NamesInFiles {
  readonly #categories = new Map<string, Lines>()
  /** The lines of the pets, by the name of their category. */
  readonly #pets = new Map<string, Lines>()

  add({ categories, pets }: ImportRows): void {
    for (const { name, line } of categories) count(this.#categories, name, line)
    for (const { category, line } of pets) count(this.#pets, category, line)
  }

  /**
   * Returns the problems with the names. All pets with the same unknown or ambiguous category are one problem, at the
   * first of their lines.
   */
  async check(store: NameSource): Promise<ImportProblem[]> {
    const problems: ImportProblem[] = []
    const found = await this.#countAll(store)
    for (const [name, { first, second }] of this.#categories) {
      const known = found.get(name)
      if (known === 2n) problems.push({ file: 'categories', line: first, message: ambiguous(name) })
      // A category that exists is used unchanged, even if several lines name it.
      else if (known === 0n && second !== undefined)
        problems.push({ file: 'categories', line: second, message: occursTwice(name) })
    }
    for (const [name, { first, others }] of this.#pets) {
      const known = found.get(name) ?? 0n
      if (known === 1n || (known === 0n && this.#categories.has(name))) continue
      const message = known === 0n ? noCategory(name) : ambiguous(name)
      const more = others > 0 ? ` (and in ${others} more ${others === 1 ? 'line' : 'lines'})` : ''
      problems.push({ file: 'pets', line: first, message: message + more })
    }
    return problems
  }

  async #countAll(store: NameSource): Promise<ReadonlyMap<string, bigint>> {
    const names = [...new Set([...this.#categories.keys(), ...this.#pets.keys()])]
    const found = new Map<string, bigint>()
    for (let from = 0; from < names.length; from += IMPORT_ROWS_MAX) {
      const group = names.slice(from, from + IMPORT_ROWS_MAX)
      const counts = await store.countNames(group)
      for (const [index, name] of group.entries()) found.set(name, counts[index] ?? 0n)
    }
    return found
  }
}

function count(lines: Map<string, Lines>, name: string, line: bigint): void {
  const known = lines.get(name)
  if (known) {
    known.second ??= line
    known.others++
  } else lines.set(name, { first: line, others: 0 })
}
