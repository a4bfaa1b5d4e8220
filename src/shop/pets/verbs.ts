import { refuseOtherIds, type StoreError } from '../../contract/error.ts'
import type { Input, Page } from '../../contract/operation.ts'
import { unknownReference } from '../../contract/refusals.ts'
import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import { sql, storedBoolean } from '../../database/statement.ts'
import { nameKey, sortKey } from '../../values/text.ts'
import { addToCategory, removeFromCategory } from '../categories/verbs.ts'
import type { Context } from '../kernel/context.ts'
import { type CommandsOf, onResource, type QueriesOf } from '../kernel/handlers.ts'
import { IDS_MAX } from '../kernel/limits.ts'
import { currencyColumn, refuseOtherCurrency, type WithCurrency } from '../kernel/metadata.ts'
import {
  type Condition,
  distinct,
  equals,
  isIn,
  listPage,
  namePrefix,
  padded,
  sortByName,
} from '../kernel/paging.ts'
import { type EventSubject, recordEvent } from '../log/recording.ts'
import { findPet, type PetRow, petColumns, petRow, resourceColumns, type StoredPet } from '../stock/rows.ts'
import {
  openingStock,
  PET_STATUS_DEFAULT,
  type PetStatus,
  petStatuses,
  type Stock,
  statusOf,
  unitsText,
} from '../stock/status.ts'
import { recordMovement, recordStockEvent } from '../stock/stock.ts'
import { stockTotals } from '../stock/totals.ts'
import { changeBarcode } from './barcodes.ts'
import type { pets } from './operations.ts'
import { invalidStatusTransition, petInUse, petNotFound, RESTOCK } from './refusals.ts'
import { inStatusById, isAnyPet, paddedStatuses, petOf, petWithStock, readPet } from './rows.ts'
import type { NewPet, Pet, PetPatch } from './schema.ts'
import { listSimilarSearches } from './similar-searches.ts'
import { refuseBesideSearch, renameWords, searchPets } from './words.ts'

const insertPet = sql()(`
  INSERT INTO pet (id, name, name_key, sort_key, category_id, on_hold, quantity, reserved, status, price, barcode,
    reorder_at, version, created_at, updated_at)
  VALUES ($petId, $name, $nameKey, $sortKey, $categoryId, $onHold, $quantity, 0, $status, $price, $barcode,
    $reorderAt, 1, $now, $now)`)

const rewritePet = sql<StoredPet & WithCurrency>()(`
  UPDATE pet SET name = $name, name_key = $nameKey, sort_key = $sortKey, category_id = $categoryId,
    on_hold = $onHold, quantity = $quantity, status = $status, price = $price, barcode = $barcode,
    version = version + 1, updated_at = $now
  WHERE id = $petId AND version = $version RETURNING ${petColumns}, ${currencyColumn}`)

const removePet = sql<{ id: bigint }>()(
  'DELETE FROM pet WHERE id = $petId AND version = $version AND reserved = 0 RETURNING id',
)

/**
 * Returns a page of pets. Without `id`, each pair of a status and a category is one scan of an index of the table.
 * Throws `invalid_cursor`, and `invalid_parameter` for a sort that the filter excludes.
 */
export async function listPets(reader: Reader, input: Input<typeof pets.listPets>): Promise<Page<Pet>> {
  const { id, status, categoryId, name, include, search } = input
  const toItem = include === 'stock' ? petWithStock : petOf
  if (search) {
    refuseBesideSearch(input, ['id', 'name', 'sort'])
    const accepts = (pet: StoredPet): boolean =>
      (status?.includes(pet.status) ?? true) && (categoryId?.includes(pet.categoryId) ?? true)
    return searchPets(
      reader,
      { list: 'listPets', input: { ...input, search }, filters: { status, categoryId }, accepts },
      toItem,
    )
  }
  const sort = sortByName(input.sort, name)
  const prefix = name === undefined ? [] : namePrefix(name)
  const page = await listPage(
    reader,
    {
      list: 'listPets',
      table: 'pet',
      columns: include === 'stock' ? petColumns : resourceColumns,
      input,
      ...(id && { limitDefault: IDS_MAX }),
      filters: { id, status, categoryId, name },
      sort,
      branches: id
        ? [
            [
              isAnyPet(id),
              ...inStatusById(status),
              ...(categoryId ? [isIn('+category_id', padded(distinct(categoryId), [20]))] : []),
              ...prefix,
            ],
          ]
        : petBranches(status, categoryId, prefix),
    },
    toItem,
  )
  // The ETag of a pet does not depend on its stock, so a list that includes the stock cannot have that ETag.
  const isSingle = id?.length === 1 && page.items.length === 1 && include === undefined
  return isSingle ? { ...page, isSingle } : page
}

/** Returns the row of a pet. Throws `pet_not_found`. */
function getPet(reader: Reader, { petId }: { petId: bigint }): PetRow | Promise<PetRow> {
  return mapRead(findPet(reader, petId), pet => {
    if (!pet) throw petNotFound(petId)
    return pet
  })
}

/** Creates a pet with the initial stock of its status, and returns it. Throws `unknown_reference`, `barcode_taken`. */
async function createPet(tx: Tx, { body }: { body: NewPet }, context: Context): Promise<Pet> {
  const stock = openingStock(body.status ?? PET_STATUS_DEFAULT)
  const { name, categoryId, price, barcode } = body
  const counted = await addToCategory(tx, categoryId)
  if (!counted) throw unknownReference('Category', categoryId)
  refuseOtherCurrency(context, price, counted)
  return petOf(await addPet(tx, context, { name, categoryId, price, barcode, stock }))
}

interface AddedPet extends Pick<PetRow, 'name' | 'categoryId'> {
  readonly stock: Stock
  readonly price?: bigint | null | undefined
  readonly barcode?: string | null | undefined
  readonly reorderAt?: bigint | null
}

/**
 * Creates a pet with any initial stock, for createPet and imports. Returns its row. The caller adds the pet to the
 * count of its category. Throws `barcode_taken`, and has written nothing then.
 */
export async function addPet(
  tx: Tx,
  context: Context,
  { name, categoryId, stock, price, barcode = null, reorderAt = null }: AddedPet,
): Promise<PetRow> {
  const id = await tx.nextId('pet')
  const pet: PetRow = {
    id,
    name,
    categoryId,
    ...stock,
    status: statusOf(stock),
    price: price ?? null,
    barcode,
    reorderAt,
    version: 1n,
  }
  await changeBarcode(tx, id, { to: barcode })
  // There is no RETURNING, because it makes this INSERT three times as expensive in SQLite.
  const { now } = context
  const onHold = storedBoolean(stock.onHold)
  tx.write(insertPet, { ...pet, petId: id, nameKey: nameKey(name), sortKey: sortKey(name), onHold, now })
  renameWords(tx, id, { to: name })
  await recordEvent(tx, context, { type: 'petstore.pet.created', ...aboutPet(pet) })
  if (pet.quantity > 0n) {
    await recordMovement(tx, context, {
      pet,
      quantityChange: pet.quantity,
      reservedChange: 0n,
      reason: 'opening',
    })
  }
  await recordStockEvent(tx, context, pet, undefined)
  return pet
}

/**
 * Updates a pet and returns it. A new status changes the stock.
 * Throws `unknown_reference`, `barcode_taken`, `invalid_status_transition`; `validation_failed` for a different `id`.
 */
export async function updatePet(
  tx: Tx,
  { petId, body }: { petId: bigint; body: PetPatch },
  context: Context,
  before: PetRow,
): Promise<Pet> {
  refuseOtherIds(body, { id: petId })
  const name = body.name ?? before.name
  const categoryId = body.categoryId ?? before.categoryId
  const stock = stockInStatus(before, body.status ?? before.status)
  const status = statusOf(stock)
  const price = body.price === undefined ? before.price : body.price
  const barcode = body.barcode === undefined ? before.barcode : body.barcode
  const isSame =
    name === before.name &&
    categoryId === before.categoryId &&
    price === before.price &&
    barcode === before.barcode
  if (isSame && status === before.status) return petOf(before)
  const rewritten = await tx.one(rewritePet, {
    petId,
    version: before.version,
    name,
    nameKey: nameKey(name),
    sortKey: sortKey(name),
    categoryId,
    onHold: storedBoolean(stock.onHold),
    quantity: stock.quantity,
    status,
    price,
    barcode,
    now: context.now,
  })
  if (!rewritten) throw new Stale(`pet ${petId}`)
  if (price !== before.price) refuseOtherCurrency(context, price, rewritten)
  if (name !== before.name) renameWords(tx, petId, { from: before.name, to: name })
  const pet = petRow(rewritten)
  // The categories come after the pet, as in deletePet, so that all transactions lock rows in the same order.
  await moveBetweenCategories(tx, before.categoryId, categoryId)
  await changeBarcode(tx, petId, { from: before.barcode, to: barcode })
  await recordEvent(tx, context, { type: 'petstore.pet.updated', ...aboutPet(pet) })
  const quantityChange = pet.quantity - before.quantity
  if (quantityChange !== 0n) {
    await recordMovement(tx, context, { pet, quantityChange, reservedChange: 0n, reason: 'status' })
  }
  if (pet.status !== before.status) await recordStockEvent(tx, context, pet, before)
  return petOf(pet)
}

/** Deletes a pet and closes its ledger. Throws `pet_in_use`. */
export async function deletePet(
  tx: Tx,
  { petId }: { petId: bigint },
  context: Context,
  before: PetRow,
): Promise<undefined> {
  if (before.reserved > 0n) throw petInUse(petId, before.reserved)
  if (!(await tx.one(removePet, { petId, version: before.version }))) throw new Stale(`pet ${petId}`)
  renameWords(tx, petId, { from: before.name })
  await removeFromCategory(tx, before.categoryId)
  await changeBarcode(tx, petId, { from: before.barcode })
  const deleted: PetRow = {
    ...before,
    quantity: 0n,
    onHold: false,
    status: 'sold',
    version: before.version + 1n,
  }
  if (before.quantity > 0n) {
    await recordMovement(tx, context, {
      pet: deleted,
      quantityChange: -before.quantity,
      reservedChange: 0n,
      reason: 'closing',
    })
    await recordStockEvent(tx, context, deleted, before)
  }
  await recordEvent(tx, context, {
    type: 'petstore.pet.deleted',
    ...aboutPet({ ...before, version: deleted.version }),
    totals: stockTotals(before.quantity > 0n ? deleted : before, undefined),
  })
  return undefined
}

function aboutPet(pet: PetRow): EventSubject {
  return { subject: `pets/${pet.id}`, subjectVersion: pet.version, petId: pet.id, data: petOf(pet) }
}

/**
 * Returns a branch for each status, or for each pair of a category and a status; one branch if neither filter is set.
 * Each branch is the leading part of an index.
 */
function petBranches(
  status: readonly PetStatus[] | undefined,
  categoryId: readonly bigint[] | undefined,
  prefix: readonly Condition[],
): Condition[][] {
  const statuses = paddedStatuses(status ?? petStatuses)
  if (!categoryId) return status ? statuses.map(one => [equals('status', one), ...prefix]) : [[...prefix]]
  return padded(distinct(categoryId)).flatMap(category =>
    statuses.map(one => [equals('category_id', category), equals('status', one), ...prefix]),
  )
}

/** Returns the stock after a new status. Throws `invalid_status_transition`, whose message names the remedy. */
function stockInStatus(pet: PetRow, status: PetStatus): Stock {
  const { quantity, reserved, onHold } = pet
  const stock = { quantity, reserved, onHold }
  if (status === pet.status) return stock
  const refuse = (remedy: string): StoreError => invalidStatusTransition(pet.id, status, remedy)
  switch (status) {
    case 'pending':
      if (pet.status !== 'available') throw refuse('no unit is in stock; restock it first.')
      return { ...stock, onHold: true }
    case 'available':
      if (quantity === 0n) throw refuse(RESTOCK)
      if (quantity === reserved) throw refuse('every unit is reserved; restock it, or cancel an order.')
      return { ...stock, onHold: false }
    case 'sold':
      if (reserved > 0n)
        throw refuse(`open orders reserve ${unitsText(reserved)}; complete or cancel them first.`)
      return { quantity: 0n, reserved, onHold: false }
  }
}

/** Moves a pet between categories: updates them in order of id, so that opposite moves cannot deadlock. */
async function moveBetweenCategories(tx: Tx, from: bigint, to: bigint): Promise<void> {
  if (from === to) return
  if (from < to) await removeFromCategory(tx, from)
  if (!(await addToCategory(tx, to))) throw unknownReference('Category', to)
  if (from > to) await removeFromCategory(tx, from)
}

export const petQueries: QueriesOf<typeof pets> = {
  listPets,
  listSimilarSearches: (reader, { search = '' }) => listSimilarSearches(reader, { search }),
  getPet: readPet,
}

export const petCommands: CommandsOf<typeof pets> = {
  createPet,
  updatePet: onResource(getPet, petOf, updatePet),
  deletePet: onResource(getPet, petOf, deletePet),
}
