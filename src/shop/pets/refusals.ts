import { StoreError } from '../../contract/error.ts'
import { type PetStatus, unitsText } from '../stock/schema.ts'

export function petNotFound(petId: bigint): StoreError {
  return new StoreError('pet_not_found', `Pet ${petId} does not exist.`)
}

export function petInUse(petId: bigint, reserved: bigint): StoreError {
  return new StoreError('pet_in_use', `Pet ${petId} has ${unitsText(reserved)} in open orders.`)
}

export function barcodeTaken(barcode: string, { id, name }: { readonly id: bigint; readonly name: string }) {
  const message = `Pet ${id}, "${name}", has the barcode ${barcode}.`
  return new StoreError('barcode_taken', message, {
    errors: [{ in: 'body', pointer: '/barcode', code: 'duplicate', message }],
  })
}

/** The refusal of a change of status. `remedy` says how the caller can make the change possible. */
export function invalidStatusTransition(
  petId: bigint,
  from: PetStatus,
  to: PetStatus,
  remedy: string,
): StoreError {
  const message = `Pet ${petId} is ${from} and cannot become ${to}: ${remedy}`
  return new StoreError('invalid_status_transition', message)
}

/** The remedy for a sold pet that should become available. */
export const RESTOCK = 'no unit is in stock; restock it.'
