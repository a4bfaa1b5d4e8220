import { StoreError } from '../../contract/error.ts'
import { Stale, type Tx } from '../../database/engine.ts'
import type { Template } from '../../values/message.ts'
import { addToCategory } from '../categories/verbs.ts'
import type { Context } from '../kernel/context.ts'
import { STOCK_MAX } from '../kernel/limits.ts'
import { refuseOtherCurrency, type WithCurrency } from '../kernel/metadata.ts'
import { findByBarcode } from '../pets/barcodes.ts'
import { addPet } from '../pets/verbs.ts'
import { findPet, type PetRow, petRow } from '../stock/rows.ts'
import { recordCreated, recordUpdated } from './changes.ts'
import {
  aboveMaximum,
  belowReserved,
  namesSeveralPets,
  type OnExisting,
  takenBarcode,
  updatesExisting,
} from './limits.ts'
import { type CategoryNames, petsNamed } from './names.ts'
import type { StagedRow } from './staged.ts'
import { restock, rewrite } from './take-back.ts'

interface LoaderParts {
  readonly importId: bigint
  readonly names: CategoryNames
  readonly onExisting: OnExisting
}

/** Creates or updates the pets of rows whose categories are known, and records what changed. */
export class PetLoader {
  readonly #tx: Tx
  readonly #context: Context
  readonly #importId: bigint
  readonly #names: CategoryNames
  readonly #onExisting: OnExisting
  /** The number of pets that were created, by category. Each category is locked. */
  readonly #created = new Map<bigint, bigint>()
  #currency: WithCurrency = { storeCurrency: null }

  constructor(tx: Tx, context: Context, { importId, names, onExisting }: LoaderParts) {
    this.#tx = tx
    this.#context = context
    this.#importId = importId
    this.#names = names
    this.#onExisting = onExisting
  }

  /**
   * Creates the pet of a row, or does with one that exists what the import says: the pet with the barcode of the row,
   * or else the one with its name in its category. Returns the reason if that is not possible.
   */
  async load(row: StagedRow): Promise<'created' | 'updated' | 'skipped' | Template> {
    const { name, detail, barcode } = row
    const categoryId = await this.#names.find(detail ?? '', { withCase: false })
    if (typeof categoryId !== 'bigint') throw new Error(`the category of the pet "${name}" is not known`)
    if (this.#onExisting === 'load') return this.#create(row, categoryId)
    const isUpdate = updatesExisting(this.#onExisting)
    const holder = isUpdate && barcode !== null ? await findByBarcode(this.#tx, barcode) : undefined
    if (holder) return this.#update(row, petRow(holder), categoryId)
    if (!isUpdate) await this.#lock(categoryId)
    const [petId, other] = await petsNamed(this.#tx, categoryId, name)
    if (petId === undefined) return this.#create(row, categoryId)
    if (!isUpdate) return 'skipped'
    if (other !== undefined) return namesSeveralPets(name)
    const pet = await findPet(this.#tx, petId)
    return pet ? this.#update(row, pet, categoryId) : this.#create(row, categoryId)
  }

  async #create(row: StagedRow, categoryId: bigint): Promise<'created' | Template> {
    const { name, detail, quantity, hold, ...others } = row
    await this.#lock(categoryId)
    refuseOtherCurrency(this.#context, row.price, this.#currency)
    const stock = { quantity, reserved: 0n, onHold: hold && quantity > 0n }
    try {
      const pet = await addPet(this.#tx, this.#context, { name, categoryId, stock, ...others })
      recordCreated(this.#tx, this.#importId, 'pets', pet.id)
    } catch (error) {
      const isTaken = error instanceof StoreError && error.code === 'barcode_taken'
      const { barcode } = row
      if (!isTaken || barcode === null) throw error
      return takenBarcode(name, barcode, (await findByBarcode(this.#tx, barcode))?.name ?? '')
    }
    this.#created.set(categoryId, (this.#created.get(categoryId) ?? 0n) + 1n)
    return 'created'
  }

  /** Gives a pet the category, and what the row has of the price, barcode, level and units. */
  async #update(
    row: StagedRow,
    before: PetRow,
    categoryId: bigint,
  ): Promise<'updated' | 'skipped' | Template> {
    const { price, barcode, reorderAt } = row
    const added = this.#onExisting === 'add' ? before.quantity : 0n
    const quantity = this.#onExisting === 'update' ? before.quantity : row.quantity + added
    if (quantity < before.reserved) return belowReserved(before.name, quantity, before.reserved)
    if (quantity > STOCK_MAX) return aboveMaximum(before.name, quantity)
    const note = `import ${this.#importId}`
    const reason = this.#onExisting === 'set' ? 'count' : 'adjustment'
    const restocked = await restock(this.#tx, this.#context, before, {
      quantity,
      reorderAt: reorderAt ?? before.reorderAt,
      reason,
      note,
    })
    const body = { categoryId, ...(price !== null && { price }), ...(barcode !== null && { barcode }) }
    const { version } = await rewrite(this.#tx, this.#context, restocked, body)
    if (version === before.version) return 'skipped'
    recordUpdated(this.#tx, this.#importId, before, version)
    return 'updated'
  }

  /** Adds the pets to the counts of their categories: once each, because each UPDATE leaves a version of the row. */
  async count(): Promise<void> {
    for (const [categoryId, pets] of this.#created) await addToCategory(this.#tx, categoryId, pets)
  }

  /** Until the commit, no other transaction can delete the category, or create a pet in it, or move one into it. */
  async #lock(categoryId: bigint): Promise<void> {
    if (this.#created.has(categoryId)) return
    const counted = await addToCategory(this.#tx, categoryId, 0n)
    // It was found before, so on PostgreSQL another command has just deleted it.
    if (!counted) throw new Stale(`category ${categoryId}`)
    this.#currency = counted
    this.#created.set(categoryId, 0n)
  }
}
