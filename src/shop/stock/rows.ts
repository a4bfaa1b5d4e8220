import type { Reader } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import { readBoolean, sql } from '../../database/statement.ts'
import type { PetStatus } from './status.ts'

/** A row of the table pet: the pet and its stock. */
export interface PetRow {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status: PetStatus
  /** In minor units of the currency of the store; null if the pet has no price. */
  readonly price: bigint | null
  /** Null if the pet has no barcode. Its row in `pet_barcode` keeps other pets from having it. */
  readonly barcode: string | null
  readonly quantity: bigint
  readonly reserved: bigint
  readonly onHold: boolean
  /** The quantity at which the pet should be reordered; null if there is no such level. */
  readonly reorderAt: bigint | null
  readonly version: bigint
}

/** A row of the table as the engines return it. */
export type StoredPet = Omit<PetRow, 'onHold'> & { readonly onHold: bigint }

/** The columns of the resource. Each further column of an integer makes a read of a list 2% dearer. */
export const resourceColumns = 'id, name, category_id AS "categoryId", status, price, barcode'
export const petColumns = `${resourceColumns}, quantity, reserved, on_hold AS "onHold",
  reorder_at AS "reorderAt", version`

const selectPet = sql<StoredPet>()(`SELECT ${petColumns} FROM pet WHERE id = $petId`)

export function petRow(pet: StoredPet): PetRow {
  return { ...pet, onHold: readBoolean(pet.onHold) }
}

/** Returns the row of a pet; undefined if there is none. */
export function findPet(reader: Reader, petId: bigint): PetRow | undefined | Promise<PetRow | undefined> {
  return mapRead(reader.one(selectPet, { petId }), pet => pet && petRow(pet))
}
