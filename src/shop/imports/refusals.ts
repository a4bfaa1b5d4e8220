import { StoreError } from '../../contract/error.ts'
import { namesSeveralPets } from './limits.ts'

/** The refusal of the barcode of a row; `why` names the pet that has it. */
export function barcodeRefused(name: string, why: StoreError): StoreError {
  return new StoreError('barcode_taken', `"${name}" cannot have its barcode: ${why.message}`)
}

/** The refusal of a row that updates a pet, but does not say which. */
export function severalPets(name: string): StoreError {
  return new StoreError('validation_failed', namesSeveralPets(name))
}

export function importHasNoEtag(): StoreError {
  return new StoreError('precondition_failed', 'An import has no ETag that If-Match can match.')
}
