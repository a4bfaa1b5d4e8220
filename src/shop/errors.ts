import type { Page } from '../contract/operation.ts'
import { type ErrorCode, type ErrorCodeName, errorTable, isErrorCode, StoreError } from '../model/error.ts'

/** Lists the whole catalogue of error codes. */
export async function listErrors(): Promise<Page<ErrorCode>> {
  return { items: Object.keys(errorTable).filter(isErrorCode).map(entryOf) }
}

/** Reads one entry of the catalogue. Throws `error_not_found`. */
export async function getError(_: unknown, { code }: { code: string }): Promise<ErrorCode> {
  if (!isErrorCode(code))
    throw new StoreError('error_not_found', `There is no error code ${JSON.stringify(code)}.`)
  return entryOf(code)
}

function entryOf(code: ErrorCodeName): ErrorCode {
  const { status, meaning } = errorTable[code]
  return { code, status: BigInt(status), meaning }
}
