import { StoreError } from '../../contract/error.ts'

export function importHasNoEtag(): StoreError {
  return new StoreError('precondition_failed', 'An import has no ETag that If-Match can match.')
}
