import type { Page } from '../contract/operation.ts'
import { type ErrorCode, errorTable, isErrorCode, StoreError } from '../model/error.ts'

/** Lists the whole catalogue of error codes. */
export async function listErrors(): Promise<Page<ErrorCode>> {
  return { items: Object.entries(errorTable).map(([code, entry]) => ({ code, ...entry })) }
}

/** Reads one entry of the catalogue. Throws `error_not_found`. */
export async function getError(_: unknown, { code }: { code: string }): Promise<ErrorCode> {
  if (!isErrorCode(code))
    throw new StoreError('error_not_found', `There is no error code ${JSON.stringify(code)}.`)
  return { code, ...errorTable[code] }
}
