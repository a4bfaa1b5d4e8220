import {
  ambiguous,
  IMPORT_ROWS_MAX,
  type ImportedCategory,
  type ImportedPet,
  type ImportPetNames,
  noCategory,
  occursTwice,
} from '../model/import.ts'

/** The part of a store in which an import looks up names. */
export interface NameSource {
  /** Returns the number of categories with each name: 0, 1, or 2 for several. */
  countNames(names: readonly string[]): Promise<readonly bigint[]>
  /** Returns whether each pet exists: whether its category has a pet with its name. */
  findPets(pets: ImportPetNames['pets']): Promise<readonly boolean[]>
}

/** Whether a row is new or exists in the store, or why it cannot be loaded. */
export type RowResult = 'new' | 'existing' | { readonly problem: string }

/** The length of a digest. With 128 bits, two pets practically never have the same digest. */
const DIGEST_BYTES = 16

/**
 * Checks the names in the rows of an import, in the order of the files, categories first. It remembers the name of each
 * category. With `noticesRepeats`, it also remembers a digest of each new pet, and a pet that repeats an earlier row is
 * reported as existing.
 */
export class RowCheck {
  readonly #store: NameSource
  readonly #noticesRepeats: boolean
  /** The number of categories in the store, by name: 0, 1, or 2 for several. */
  readonly #counts = new Map<string, bigint>()
  readonly #newCategories = new Set<string>()
  readonly #petDigests = new Set<string>()

  constructor(store: NameSource, { noticesRepeats }: { readonly noticesRepeats: boolean }) {
    this.#store = store
    this.#noticesRepeats = noticesRepeats
  }

  async checkCategories(rows: readonly ImportedCategory[]): Promise<RowResult[]> {
    await this.#countCategories(rows.map(({ name }) => name))
    return rows.map(({ name }) => {
      const count = this.#counts.get(name)
      if (count === 2n) return { problem: ambiguous(name) }
      // A category that exists is used unchanged, even if several lines name it.
      if (count === 1n) return 'existing'
      if (this.#newCategories.has(name)) return { problem: occursTwice(name) }
      this.#newCategories.add(name)
      return 'new'
    })
  }

  async checkPets(rows: readonly ImportedPet[]): Promise<RowResult[]> {
    await this.#countCategories(rows.map(({ category }) => category))
    // Only a category that exists can have pets.
    const candidates = rows.filter(({ category }) => this.#counts.get(category) === 1n)
    const pets = candidates.map(({ name, category }) => ({ name, category }))
    const found = pets.length > 0 ? await this.#store.findPets(pets) : []
    const existing = new Set(candidates.filter((_, index) => found[index]))
    return rows.map(row => this.#resultOf(row, existing.has(row)))
  }

  #resultOf({ name, category }: ImportedPet, exists: boolean): RowResult {
    const count = this.#counts.get(category)
    if (count === 2n) return { problem: ambiguous(category) }
    if (count !== 1n && !this.#newCategories.has(category)) return { problem: noCategory(category) }
    if (exists) return 'existing'
    if (!this.#noticesRepeats) return 'new'
    const digest = digestOf(category, name)
    if (this.#petDigests.has(digest)) return 'existing'
    this.#petDigests.add(digest)
    return 'new'
  }

  async #countCategories(names: readonly string[]): Promise<void> {
    const unknown = [...new Set(names)].filter(name => !this.#counts.has(name))
    for (let from = 0; from < unknown.length; from += IMPORT_ROWS_MAX) {
      const group = unknown.slice(from, from + IMPORT_ROWS_MAX)
      const counts = await this.#store.countNames(group)
      for (const [index, name] of group.entries()) this.#counts.set(name, counts[index] ?? 0n)
    }
  }
}

/** Returns a digest of both names. It is a string, because a set of short strings takes the least memory. */
function digestOf(category: string, name: string): string {
  // A name cannot contain U+0000, so the separator is unambiguous.
  const digest = new Bun.CryptoHasher('sha256').update(`${category}\0${name}`).digest()
  return digest.toString('latin1', 0, DIGEST_BYTES)
}
