import { sql } from '../engine/engine.ts'
import type { Pet, PetStatus } from '../model/pet.ts'

/** A row of the table pet: the pet and its stock. */
export interface PetRow {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status: PetStatus
  readonly quantity: bigint
  readonly reserved: bigint
  readonly onHold: bigint
  readonly version: bigint
}

export const petColumns =
  'id, name, category_id AS "categoryId", status, quantity, reserved, on_hold AS "onHold", version'

export const findPet = sql<PetRow>(`SELECT ${petColumns} FROM pet WHERE id = $1`)

/** Converts a row to the pet, without its stock. */
export function petOf({
  id,
  name,
  categoryId,
  status,
}: Pick<PetRow, 'id' | 'name' | 'categoryId' | 'status'>): Pet {
  return { id, name, categoryId, status }
}
