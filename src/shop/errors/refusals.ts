import { StoreError } from '../../contract/error.ts'

export function errorNotFound(code: string): StoreError {
  return new StoreError('error_not_found', `There is no error code ${JSON.stringify(code)}.`)
}
