import { type ErrorCodeName, errorTable, isErrorCode } from '../../contract/error.ts'
import type { ErrorInfo } from '../../contract/error-schema.ts'
import type { Page } from '../../contract/operation.ts'
import type { QueriesOf } from '../kernel/handlers.ts'
import type { errors } from './operations.ts'
import { errorNotFound } from './refusals.ts'

/** Returns the whole catalogue of error codes. */
export async function listErrors(): Promise<Page<ErrorInfo>> {
  return { items: Object.keys(errorTable).filter(isErrorCode).map(entryOf) }
}

/** Returns one entry of the catalogue. Throws `error_not_found`. */
export async function getError(_: unknown, { code }: { code: string }): Promise<ErrorInfo> {
  if (!isErrorCode(code)) throw errorNotFound(code)
  return entryOf(code)
}

function entryOf(code: ErrorCodeName): ErrorInfo {
  const { status, meaning } = errorTable[code]
  return { code, status: BigInt(status), meaning }
}

export const errorQueries: QueriesOf<typeof errors> = { listErrors, getError }
