import { storageFull } from '../../contract/refusals.ts'

/** Returns `storage_full` for an error that says that the disk or the quota is full, and any other error unchanged. */
export function refusalOfFullDisk(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL' ? storageFull() : error
}
