import { existsSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { hasCode } from '../../files/system-error.ts'
import { SqliteConnection } from './connection.ts'

/** The longest time that the last checkpoint waits for another process that reads. */
const BUSY_MS = 1000
/** The interval at which the size of the log is checked. */
const SIZE_CHECK_MS = 10_000
/** The interval at which the files are checked. A check before each commit would cost a system call per commit. */
const CHECK_MS = 1000

/**
 * Moves the write-ahead log into the database file and removes the log. A copy of that one file is then the whole
 * store. Every other connection of this process must be closed, readers before the writer. Throws if another process
 * is reading the database or writing to it.
 */
export function mergeWriteAheadLog(file: string): void {
  if (!existsSync(file)) return
  using connection = new SqliteConnection(file, { readonly: false })
  const { database } = connection
  database.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
  const result = database.query<{ busy: bigint }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
  if (result?.busy !== 0n) throw new Error(`Another process is using ${file}: keep ${file}-wal with it.`)
}

/**
 * Calls `onDeleted` once, when an open file has been deleted or replaced: later writes to it are lost. Returns a
 * function that stops watching.
 */
export function watchFiles(files: readonly string[], onDeleted: (file: string) => void): () => void {
  const openFiles = files.map(file => ({ file, opened: statSync(file, { bigint: true }) }))
  let isStopped = false
  const timer = setInterval(async () => {
    for (const { file, opened } of openFiles) {
      const isSameFile = await stat(file, { bigint: true }).then(
        ({ dev, ino }) => dev === opened.dev && ino === opened.ino,
        // Any other error says nothing about the open file.
        error => !hasCode(error, 'ENOENT'),
      )
      if (isStopped || isSameFile) continue
      isStopped = true
      clearInterval(timer)
      onDeleted(file)
    }
  }, CHECK_MS)
  timer.unref()
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

/**
 * Calls `onLarge` with the size of a file when it becomes larger than `bytesMax`, once until it is smaller again.
 * Returns a function that stops watching.
 */
export function watchSize(
  file: string,
  bytesMax: number,
  onLarge: (bytes: number) => void,
  checkMs = SIZE_CHECK_MS,
): () => void {
  let isLarge = false
  const timer = setInterval(() => {
    const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
    if (size > bytesMax && !isLarge) onLarge(size)
    isLarge = size > bytesMax
  }, checkMs)
  timer.unref()
  return () => clearInterval(timer)
}
