import { StoreError } from '../../contract/error.ts'
import { type PetStatus, unitsText } from '../stock/status.ts'

export function petNotFound(petId: bigint): StoreError {
  return new StoreError('pet_not_found', `Pet ${petId} does not exist.`, { subject: `pets/${petId}` })
}

export function petInUse(petId: bigint, reserved: bigint): StoreError {
  const message = `Pet ${petId} has ${unitsText(reserved)} in open orders.`
  return new StoreError('pet_in_use', message, { subject: `pets/${petId}` })
}

export function barcodeTaken(barcode: string, { id, name }: { readonly id: bigint; readonly name: string }) {
  const message = `Pet ${id}, "${name}", has the barcode ${barcode}.`
  return new StoreError('barcode_taken', message, {
    subject: `pets/${id}`,
    errors: [{ in: 'body', pointer: '/barcode', code: 'duplicate', message }],
  })
}

const statusChanges: Readonly<Record<PetStatus, string>> = {
  available: 'become available',
  pending: 'be put on hold',
  sold: 'be marked as sold',
}

/** The refusal of a change of status. `remedy` says how the caller can make the change possible. */
export function invalidStatusTransition(petId: bigint, to: PetStatus, remedy: string): StoreError {
  const message = `Pet ${petId} cannot ${statusChanges[to]}: ${remedy}`
  return new StoreError('invalid_status_transition', message, { subject: `pets/${petId}` })
}

/** The remedy for a sold pet that should become available. */
export const RESTOCK = 'no unit is in stock; restock it.'
