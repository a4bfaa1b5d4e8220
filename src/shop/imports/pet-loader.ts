import { StoreError } from '../../contract/error.ts'
import { unknownReference } from '../../contract/refusals.ts'
import type { Tx } from '../../database/engine.ts'
import { addToCategory } from '../categories/verbs.ts'
import type { Context } from '../kernel/context.ts'
import { refuseOtherCurrency, type WithCurrency } from '../kernel/metadata.ts'
import { addPet } from '../pets/verbs.ts'
import { type CategoryNames, hasPet } from './names.ts'
import type { ImportProblem } from './schema.ts'
import { problem, type StagedRow } from './staged.ts'

/** Creates the pets of rows whose categories are known. */
export class PetLoader {
  readonly #tx: Tx
  readonly #context: Context
  readonly #names: CategoryNames
  readonly #skipExisting: boolean
  /** The number of pets that were created, by category. Each category is locked. */
  readonly #created = new Map<bigint, bigint>()
  #currency: WithCurrency = { storeCurrency: null }

  constructor(tx: Tx, context: Context, names: CategoryNames, skipExisting: boolean) {
    this.#tx = tx
    this.#context = context
    this.#names = names
    this.#skipExisting = skipExisting
  }

  /**
   * Creates the pet of a row. The pet is skipped if the category already has a pet with this name. Returns a problem if
   * another pet has its barcode.
   */
  async load(row: StagedRow): Promise<'created' | 'skipped' | ImportProblem> {
    const { name, detail, quantity, hold, ...others } = row
    const categoryId = await this.#names.find(detail ?? '', { withCase: false })
    if (typeof categoryId !== 'bigint') throw new Error(`the category of the pet "${name}" is not known`)
    const created = this.#created.get(categoryId) ?? (await this.#lock(categoryId))
    if (this.#skipExisting && (await hasPet(this.#tx, categoryId, name))) return 'skipped'
    refuseOtherCurrency(this.#context, row.price, this.#currency)
    const stock = { quantity, reserved: 0n, onHold: hold && quantity > 0n }
    try {
      await addPet(this.#tx, this.#context, { name, categoryId, stock, ...others })
    } catch (error) {
      if (error instanceof StoreError && error.code === 'barcode_taken')
        return problem('pets', row, `"${name}" cannot have its barcode: ${error.message}`)
      throw error
    }
    this.#created.set(categoryId, created + 1n)
    return 'created'
  }

  /** Adds the pets to the counts of their categories: once each, because each UPDATE leaves a version of the row. */
  async count(): Promise<void> {
    for (const [categoryId, pets] of this.#created) await addToCategory(this.#tx, categoryId, pets)
  }

  /** Until the commit, no other transaction can delete the category, or create a pet in it, or move one into it. */
  async #lock(categoryId: bigint): Promise<bigint> {
    const counted = await addToCategory(this.#tx, categoryId, 0n)
    if (!counted) throw unknownReference('Category', categoryId)
    this.#currency = counted
    this.#created.set(categoryId, 0n)
    return 0n
  }
}
