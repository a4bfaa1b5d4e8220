import { statSync } from 'node:fs'
import type { ChainEntry } from '../database/numbering/chain.ts'
import { reserveFile } from '../files/private-file.ts'

/** How often the progress of a backup is reported, in milliseconds. */
const PROGRESS_MS = 100

/** The task of the worker: to copy the database `from` to the empty file `to`. */
export interface BackupTask {
  readonly from: string
  readonly to: string
}

/** What a backup contains. */
export interface BackupFacts {
  /** The number of the last migration of the database. */
  readonly version: number
  /** The last entry of the audit log; undefined if its table has no row for it. */
  readonly head: ChainEntry | undefined
}

export type BackupResult = BackupFacts | { readonly error: string }

/**
 * Copies a database, as of one moment, to a new file that only its owner can read. A store may write meanwhile. SQLite
 * copies in a worker, so this thread stays responsive. `onBytes` receives the size of the copy and that of the
 * database. Throws the reason of `signal` if it is aborted, and an Error if the version of the database is not
 * supported, or if the copy fails or is damaged. After any of these, the incomplete file remains.
 */
export async function backupSqlite(
  task: BackupTask,
  { signal, onBytes }: { signal: AbortSignal; onBytes: (copied: number, total: number) => void },
): Promise<BackupFacts> {
  reserveFile(task.to)
  const worker = new Worker(new URL('./sqlite-backup-worker.ts', import.meta.url))
  const { promise, resolve, reject } = Promise.withResolvers<BackupResult>()
  worker.onmessage = ({ data }: MessageEvent<BackupResult>) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message))
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort)
  const timer = setInterval(() => reportProgress(task, onBytes), PROGRESS_MS)
  try {
    signal.throwIfAborted()
    worker.postMessage(task)
    const result = await promise
    if (!('error' in result)) return result
    throw new Error(result.error)
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', abort)
    worker.terminate()
  }
}

/** A file that has gone, as with a disk that was removed, ends the copy itself with an error. */
function reportProgress({ from, to }: BackupTask, onBytes: (copied: number, total: number) => void): void {
  try {
    onBytes(statSync(to).size, statSync(from).size)
  } catch {
    // There is no progress to report.
  }
}
