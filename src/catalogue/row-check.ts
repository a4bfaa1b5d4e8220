import {
  ambiguous,
  IMPORT_ROWS_MAX,
  namesSeveralPets,
  noCategory,
  type OnExisting,
  occursTwice,
  repeatedBarcode,
  takenBarcode,
  updatesExisting,
} from '../shop/imports/limits.ts'
import type {
  ImportedCategory,
  ImportedPet,
  ImportNameMatches,
  ImportPetNames,
} from '../shop/imports/schema.ts'
import { barcodeKey } from '../values/barcode.ts'
import { filled } from '../values/message.ts'
import { caselessForm, matchName, nameForm } from '../values/same-name.ts'
import { similarName } from '../values/similar-name.ts'

/** The part of a store in which an import looks up names. */
export interface NameSource {
  /** Returns the categories that each name may mean, or otherwise a similar name. */
  findCategories(names: readonly string[]): Promise<ImportNameMatches['matches']>
  /** Returns how many of each pet exist, at most two: how many pets of its category have its name. */
  findPets(pets: ImportPetNames['pets']): Promise<readonly bigint[]>
  /** Returns the name of the pet that has each barcode; null if none has it. */
  findBarcodes(barcodes: readonly string[]): Promise<readonly (string | null)[]>
  /** Returns the currency of the store (ISO 4217), in which prices are read. */
  findCurrency(): Promise<string>
}

/** Whether a row is new, exists in the store or repeats a new row, or why it cannot be loaded. */
export type RowResult =
  | 'new'
  | 'existing'
  | 'repeated'
  | { readonly problem: string; readonly isMissingCategory?: true }

interface RowCheckOptions {
  /** Whether a category that only pets name is created. */
  readonly createsCategories: boolean
  /** What is done with pets that exist or are repeated. If they are left out, their barcodes do not matter. */
  readonly onExisting?: OnExisting
  /** Shortens the text by which a pet is remembered. Two pets must practically never have the same short text. */
  readonly digest?: (text: string) => string
}

/** The maximum number of names for which a similar new category is searched, and of categories that are compared. */
const SEARCHES_MAX = 10
const COMPARED_MAX = 1000

interface RowCategory {
  readonly name: string
  readonly isNew: boolean
}

/**
 * Checks the names in the rows of an import, in the order of the files, categories first. It remembers the name of each
 * category and, to notice repeats, a short text for each new pet.
 */
export class RowCheck {
  readonly #store: NameSource
  readonly #options: RowCheckOptions
  /** What the store knows about each spelling of a name. */
  readonly #stored = new Map<string, ImportNameMatches['matches'][number]>()
  /** The categories that the import creates, by the form without case. */
  readonly #new = new Map<string, RowCategory[]>()
  readonly #similar = new Map<string, string | undefined>()
  readonly #petDigests = new Set<string>()
  /** The rows whose pet has their barcode. */
  readonly #isFound = new WeakSet<ImportedPet>()
  /** The line of each barcode, by its short text. */
  readonly #barcodeLines = new Map<string, bigint>()
  /** The categories that only pets name, and whose creation `takeCreated` has not returned. */
  #created: ImportedCategory[] = []
  /** The category of each spelling that differs from its name in case. */
  readonly spellings = new Map<string, string>()
  /** The names that several categories of the store have. The oldest one is used. */
  readonly shared = new Set<string>()

  constructor(store: NameSource, options: RowCheckOptions) {
    this.#store = store
    this.#options = options
  }

  get #updates(): boolean {
    return updatesExisting(this.#options.onExisting)
  }

  async checkCategories(rows: readonly ImportedCategory[]): Promise<RowResult[]> {
    await this.#findCategories(rows.map(({ name }) => name))
    return rows.map(({ name }) => {
      // Names that differ in case are two categories, if a file of categories has both.
      const found = matchName(name, this.#known(name), { withCase: true })
      if (found === 'several') return { problem: filled(ambiguous(name)) }
      if (found === 'none') {
        this.#add(name)
        return 'new'
      }
      if (found.isShared) this.shared.add(found.item.name)
      // A category that exists is used unchanged, even if several lines name it.
      return found.item.isNew ? { problem: filled(occursTwice(name)) } : 'existing'
    })
  }

  async checkPets(rows: readonly ImportedPet[]): Promise<RowResult[]> {
    await this.#findCategories(rows.map(({ category }) => category))
    const checked = rows.map(row => ({ row, category: this.#categoryOf(row) }))
    // Only a category that exists can have pets.
    const candidates = checked.flatMap(({ row, category }) =>
      'isNew' in category && !category.isNew ? [{ row, category: category.name }] : [],
    )
    const pets = candidates.map(({ row, category }) => ({ name: row.name, category }))
    const found = pets.length > 0 ? await this.#store.findPets(pets) : []
    const counts = new Map(candidates.map(({ row }, index) => [row, found[index] ?? 0n]))
    const barcodes = rows.flatMap(({ barcode }) => barcode ?? [])
    const holders = barcodes.length > 0 ? await this.#store.findBarcodes(barcodes) : []
    const holderOf = new Map(barcodes.map((barcode, index) => [barcode, holders[index]]))
    return checked.map(({ row, category }) => {
      if ('problem' in category) return category
      const count = counts.get(row) ?? 0n
      const result = this.#resultOf(row, category.name, count > 0n, holderOf.get(row.barcode ?? ''))
      const isUnclear = this.#updates && !this.#isFound.has(row) && count > 1n
      return isUnclear && result === 'existing' ? { problem: filled(namesSeveralPets(row.name)) } : result
    })
  }

  /** Returns the result of a row; the name of a line that is refused for its barcode is free for the next line. */
  #resultOf(
    row: ImportedPet,
    category: string,
    exists: boolean,
    holder: string | null | undefined,
  ): RowResult {
    // A name cannot contain U+0000, so the separator is unambiguous.
    const digest = this.#digestOf(`${nameForm(category)}\0${nameForm(row.name)}`)
    const byName = exists ? 'existing' : this.#petDigests.has(digest) ? 'repeated' : 'new'
    const result = this.#withBarcode(row, byName, holder)
    if (byName === 'new' && typeof result === 'string') this.#petDigests.add(digest)
    return result
  }

  /** Returns a problem if a pet of the store, or an earlier row, has the barcode of a row that is to be loaded. */
  #withBarcode(
    row: ImportedPet,
    result: 'existing' | 'repeated' | 'new',
    holder: string | null | undefined,
  ): RowResult {
    const { name, barcode, line } = row
    const isLoaded = result === 'new' || this.#options.onExisting !== 'skip'
    if (barcode === undefined || !isLoaded) return result
    if (typeof holder === 'string' && !this.#updates)
      return { problem: filled(takenBarcode(name, barcode, holder)) }
    const digest = this.#digestOf(barcodeKey(barcode))
    const earlier = this.#barcodeLines.get(digest)
    if (earlier !== undefined) return { problem: filled(repeatedBarcode(name, barcode, earlier)) }
    this.#barcodeLines.set(digest, line)
    if (typeof holder !== 'string') return result
    this.#isFound.add(row)
    return 'existing'
  }

  #digestOf(text: string): string {
    return this.#options.digest?.(text) ?? text
  }

  /** Returns the categories that were created for pets since the last call. */
  takeCreated(): ImportedCategory[] {
    const created = this.#created
    this.#created = []
    return created
  }

  /** Returns the category that a pet names. If there is none, returns a problem or creates it. */
  #categoryOf({ category, line }: ImportedPet): RowCategory | Exclude<RowResult, string> {
    const found = matchName(category, this.#known(category), { withCase: false })
    if (found === 'several') return { problem: filled(ambiguous(category)) }
    if (found !== 'none') {
      if (found.isShared) this.shared.add(found.item.name)
      if (found.differsIn === 'case') this.spellings.set(category, found.item.name)
      return found.item
    }
    if (!this.#options.createsCategories) {
      return { problem: filled(noCategory(category, this.#similarTo(category))), isMissingCategory: true }
    }
    this.#created.push({ line, name: category })
    return this.#add(category)
  }

  #known(name: string): RowCategory[] {
    const stored = this.#stored.get(name)?.categories ?? []
    return [
      ...stored.map(other => ({ name: other, isNew: false })),
      ...(this.#new.get(caselessForm(name)) ?? []),
    ]
  }

  #add(name: string): RowCategory {
    const category = { name, isNew: true }
    const form = caselessForm(name)
    this.#new.set(form, [...(this.#new.get(form) ?? []), category])
    return category
  }

  /** Returns the name that a missing category probably has, in the store or among the new categories. */
  #similarTo(category: string): string | undefined {
    const known = this.#similar.get(category)
    if (known !== undefined || this.#similar.size >= SEARCHES_MAX)
      return known ?? this.#stored.get(category)?.similar
    const names = [...this.#new.values()].slice(0, COMPARED_MAX).flat()
    const similar =
      this.#stored.get(category)?.similar ??
      similarName(
        category,
        names.map(({ name }) => name),
      )
    this.#similar.set(category, similar)
    return similar
  }

  async #findCategories(names: readonly string[]): Promise<void> {
    const unknown = [...new Set(names)].filter(name => !this.#stored.has(name))
    for (let from = 0; from < unknown.length; from += IMPORT_ROWS_MAX) {
      const group = unknown.slice(from, from + IMPORT_ROWS_MAX)
      const matches = await this.#store.findCategories(group)
      for (const [index, name] of group.entries())
        this.#stored.set(name, matches[index] ?? { categories: [] })
    }
  }
}
