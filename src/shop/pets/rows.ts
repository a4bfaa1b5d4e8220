import type { Reader } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import { sql, type Value } from '../../database/statement.ts'
import { IDS_MAX } from '../kernel/limits.ts'
import { type Condition, distinct, isIn, padded } from '../kernel/paging.ts'
import { type PetRow, resourceColumns, type StoredPet } from '../stock/rows.ts'
import { type PetStatus, petStatuses } from '../stock/status.ts'
import { petNotFound } from './refusals.ts'
import type { Pet } from './schema.ts'

/** The columns of the resource. */
type ResourceRow = Pick<PetRow, 'id' | 'name' | 'categoryId' | 'status' | 'price' | 'barcode'>

const selectResource = sql<ResourceRow>()(`SELECT ${resourceColumns} FROM pet WHERE id = $petId`)

/** Returns the resource of a pet. Throws `pet_not_found`. */
export function readPet(reader: Reader, { petId }: { petId: bigint }): Pet | Promise<Pet> {
  return mapRead(reader.one(selectResource, { petId }), pet => {
    if (!pet) throw petNotFound(petId)
    return petOf(pet)
  })
}

const ID_SIZES = [1, IDS_MAX]
const STATUS_SIZES = [1, petStatuses.length]

/** Returns the condition that a row is one of these pets. */
export function isAnyPet(ids: readonly bigint[]): Condition {
  return isIn('id', padded(distinct(ids), ID_SIZES))
}

/**
 * Returns the condition that a pet, selected by its id, is in one of these statuses; none without statuses. The call of
 * coalesce keeps SQLite from reading an index of the status, which is three times as much work as reading the ids.
 */
export function inStatusById(statuses: readonly PetStatus[] | undefined): Condition[] {
  return statuses ? [isIn(`coalesce(status, '')`, paddedStatuses(statuses))] : []
}

/** Returns the values of a filter by status, padded to one of two sizes. */
export function paddedStatuses(statuses: readonly PetStatus[]): Value[] {
  return padded(distinct(statuses), STATUS_SIZES)
}

/** Returns the resource for a row, with the stock of the pet, for lists that include the stock. */
export function petWithStock(pet: StoredPet): Pet {
  return { ...petOf(pet), quantity: pet.quantity, reserved: pet.reserved }
}

/** Returns the resource for a row, without the stock of the pet, for all other uses, such as events and ETags. */
export function petOf({ id, name, categoryId, status, price, barcode }: ResourceRow): Pet {
  const pet: Pet = { id, name, categoryId, status }
  if (price !== null) pet.price = price
  if (barcode !== null) pet.barcode = barcode
  return pet
}
