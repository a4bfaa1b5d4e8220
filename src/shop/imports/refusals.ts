import { StoreError } from '../../contract/error.ts'

/** The refusal of an import of all rows or none. `row` says the line, and which pet has the barcode. */
export function barcodeTakenInImport(line: bigint, row: string): StoreError {
  return new StoreError('barcode_taken', `Line ${line}: ${row}`)
}

export function importHasNoEtag(): StoreError {
  return new StoreError('precondition_failed', 'An import has no ETag that If-Match can match.')
}
