import { existsSync, rmSync } from 'node:fs'
import { makeDirectory, reserveFile } from '../../files/private-file.ts'
import type { Engine, Reader, Tx } from '../engine.ts'
import { migrate, type OnProgress, readCompatibleFrom } from '../migrate.ts'
import { sqliteMigrations } from '../migrations/migrations.ts'
import { failure } from '../outcome.ts'
import { RowChangeRecorder, type RowChanges } from '../row-changes.ts'
import { CHECKPOINT_PAGES, openWriter, PAGE_BYTES, SqliteConnection } from './connection.ts'
import { lockPath } from './data-lock.ts'
import { acceptLoss, databaseFile, refuseLoss, refuseWrongFiles, storageState } from './database-file.ts'
import { watchFiles, watchSize } from './files.ts'
import { BatchWriter } from './group-commit.ts'
import { endRun, LogNumber, numberIn } from './log-number.ts'
import { type Announcer, announce, RowReports } from './row-reports.ts'
import { CommitRecord } from './run-record.ts'
import { SharedReadTransaction } from './shared-read-transaction.ts'
import { serve, WorkerQueue } from './worker-queue.ts'

/** The maximum number of commands in one transaction. It bounds how long the first command waits for the last one. */
const COMMANDS_PER_BATCH_MAX = 128
/** The longest time that a read on this thread waits for a lock of another process. All requests wait meanwhile. */
const READ_LOCK_WAIT_MS = 10
const QUERIES_PER_BATCH_MAX = 32
/**
 * A log that got nothing new between two checks at this interval is moved into the database, so that the database file
 * alone is at most a minute old when nobody writes.
 */
const IDLE_MS = 30_000
/** The pause after a move that another process prevented, such as Litestream, which moves the log itself. */
const MOVE_RETRY_MS = 1000
/** The size of a log that another process keeps from being moved: four times the usual one. */
const LARGE_LOG_BYTES = 4 * CHECKPOINT_PAGES * PAGE_BYTES

interface SqliteOptions<Shared> {
  /** The data directory; created if absent. */
  readonly directory: string
  /** The module that runs the writer with the commands of the shop. */
  readonly writer: URL
  /** The module that runs the reader worker with the queries of the shop. */
  readonly reader: URL
  /** What the workers get for each command and query, as data. */
  readonly shared: Shared
  /** Called when the process must end: a worker ended, or a file of the store was deleted or cannot be trusted. */
  readonly onFatal: (reason: string) => void
  /** The maximum file size, in pages of 4 KiB; for tests of a full disk. */
  readonly pagesMax?: number | undefined
  /** The tables whose changes `watchRows` reports. */
  readonly watchedTables?: readonly string[] | undefined
  /** Replaces the default size of the page cache of the writer. */
  readonly writerCacheKib?: number | undefined
  /** Whether `undo` can drop all commits: the write-ahead log keeps them until the store is closed. */
  readonly canUndo?: boolean | undefined
  /** Whether to start although commits are missing, or files do not belong together. */
  readonly acceptsLoss?: boolean | undefined
  /** Called with what was wrong if `acceptsLoss` let the store open. */
  readonly onLoss?: (loss: string) => void
  /** How often an idle store moves its log into the database, in milliseconds; half a minute by default. */
  readonly idleMs?: number | undefined
  readonly onProgress?: OnProgress | undefined
  /** Called with the size of the write-ahead log, in bytes, when it cannot be moved and has become large. */
  readonly onLargeLog?: ((bytes: number) => void) | undefined
}

interface Start<Shared>
  extends Pick<SqliteOptions<Shared>, 'shared' | 'pagesMax' | 'writerCacheKib' | 'canUndo' | 'idleMs'> {
  readonly file: string
  readonly watchedTables: readonly string[]
  /** How the writer announces rows. */
  readonly announcer?: Announcer
}

/**
 * Opens the embedded store: migrates, then starts the writer. Throws UnsupportedVersion, or an Error if there is a
 * set of files that do not belong together. The function does not wait until the writer has loaded its modules, because
 * that takes as long as loading those of the server. Until then, commands wait in the queue of the writer. Reads do not
 * need the writer.
 */
export async function openSqlite<Query, Command, Reply, Result = Reply, Shared = unknown>(
  options: SqliteOptions<Shared>,
): Promise<Engine<Query, Command, Reply, Result>> {
  const file = databaseFile(options.directory)
  makeDirectory(options.directory)
  const loss = options.acceptsLoss ? acceptLoss(file) : undefined
  if (loss !== undefined) options.onLoss?.(loss)
  refuseWrongFiles(options.directory)
  reserveFile(file)
  const isLogEmpty = await prepareFile(file, options.onProgress)
  const rowReader = new SharedReadTransaction(
    new SqliteConnection(file, { readonly: true, waitMs: READ_LOCK_WAIT_MS }),
    options.onFatal,
  )
  const { shared, onFatal, pagesMax, watchedTables = [], writerCacheKib, canUndo, idleMs } = options
  const start = { file, shared, pagesMax, watchedTables, writerCacheKib, canUndo, idleMs }
  const rows = new RowReports(rowReader)
  const watchers = new Set<(commands: number) => void>()
  const writer = new WorkerQueue<Start<Shared>, Command, Result>({
    module: options.writer,
    start: { ...start, announcer: rows.announcer },
    transfer: [rows.announcer.port],
    batchMax: COMMANDS_PER_BATCH_MAX,
    onFatal,
    onChanges: (changes, commands) => {
      // This runs before any reply, because a client with a reply must see the commit, in a read and in the cache.
      rowReader.refresh()
      rows.end(changes)
      for (const listener of watchers) listener(commands)
    },
  })
  const reader = new WorkerQueue<Start<Shared>, Query, Reply>({
    module: options.reader,
    start,
    batchMax: QUERIES_PER_BATCH_MAX,
    onFatal,
  })
  // The first long list starts the reader worker: an idle one would take memory, and slow down the start.
  writer.start()
  const endWatch = watchStore(file, options)
  return {
    name: 'sqlite',
    clock: Date.now,
    readShort: work => work(rowReader),
    readLong: query => reader.send(query),
    execute: command => writer.send(command),
    ...(watchedTables.length > 0 && { watchRows: rows.watch, announceRows: rows.announce }),
    watch: listener => {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    exclusively: work => work(),
    storageState: async () => storageState(file),
    ping: async () => {
      if (writer.hasEnded || reader.hasEnded) throw new Error('a worker of the store has ended')
      await writer.started
    },
    ...(canUndo && isLogEmpty && { undo: () => undoAll({ file, endWatch, reader, rowReader, writer }) }),
    close: async () => {
      endWatch()
      // A read-only connection cannot remove the log, so it must not be the last connection to close.
      await reader.close()
      rowReader.close()
      await writer.close()
      endRun(file)
    },
  }
}

/** Watches the files of an open store. Returns a function that stops watching. */
function watchStore(file: string, { directory, onFatal, onLargeLog }: SqliteOptions<unknown>): () => void {
  const log = `${file}-wal`
  const files = [file, log, ...[lockPath(directory)].filter(path => existsSync(path))]
  const endFiles = watchFiles(files, deleted => {
    onFatal(`${deleted} was deleted or replaced under the running store: later writes could be lost`)
  })
  const endSize = watchSize(log, LARGE_LOG_BYTES, bytes => onLargeLog?.(bytes))
  return () => {
    endFiles()
    endSize()
  }
}

interface OpenParts {
  readonly file: string
  readonly endWatch: () => void
  readonly reader: { close(): Promise<void> }
  readonly rowReader: SharedReadTransaction
  readonly writer: { close(): Promise<void> }
}

/**
 * Closes a store, and deletes its write-ahead log, which has every commit since the store was opened. The log must have
 * been empty then: a log with earlier commits must not be deleted.
 */
async function undoAll({ file, endWatch, reader, rowReader, writer }: OpenParts): Promise<void> {
  endWatch()
  await reader.close()
  // The row reader is still open, so the writer is not the last connection, and does not merge the log.
  await writer.close()
  rowReader.close()
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  endRun(file)
}

/** Returns the number of the last migration of the store in a data directory. */
export function sqliteVersion(directory: string): number {
  refuseLoss(databaseFile(directory))
  using connection = new SqliteConnection(databaseFile(directory), { readonly: true })
  return versionOf(connection)
}

/** Returns the number of the last migration of a database; 0 for an empty one. */
export function versionOf({ database }: SqliteConnection): number {
  const row = database.query<{ user_version: bigint }, []>('PRAGMA user_version').get()
  return Number(row?.user_version ?? 0n)
}

/** Runs the missing migrations, and moves the write-ahead log into the file. Returns whether the log is empty now. */
async function prepareFile(file: string, onProgress: OnProgress | undefined): Promise<boolean> {
  const numbers = [numberIn(file)]
  refuseUnreadable(file)
  using connection = new SqliteConnection(file, { readonly: false })
  await migrateSqlite(connection, onProgress)
  return new LogNumber(connection, file, numbers).renew('TRUNCATE')
}

/**
 * Throws the error of SQLite if the tables cannot be read. This connection only reads, so it leaves the write-ahead log
 * of a damaged database as it is. A connection that writes would merge and delete the log when it is closed.
 */
function refuseUnreadable(file: string): void {
  using connection = new SqliteConnection(file, { readonly: true })
  connection.database.query('SELECT count(*) FROM sqlite_master').get()
}

/** Runs the missing migrations, each in a transaction. Throws UnsupportedVersion. */
export async function migrateSqlite(connection: SqliteConnection, onProgress?: OnProgress): Promise<void> {
  const { database } = connection
  await migrate(
    {
      version: () => versionOf(connection),
      compatibleFrom: () =>
        versionOf(connection) > sqliteMigrations.version ? readCompatibleFrom(connection) : undefined,
      apply: async (script, version, step) => {
        database.run('BEGIN')
        try {
          database.run(script)
          await step(connection)
          database.run(`PRAGMA user_version = ${version}`)
          database.run('COMMIT')
        } catch (error) {
          // Some errors, such as a full disk, have ended the transaction.
          if (connection.inTransaction) database.run('ROLLBACK')
          throw error
        }
      },
    },
    sqliteMigrations,
    onProgress,
  )
}

/** Runs the writer worker. */
export function serveWriter<Command, Result, Shared = unknown>(
  executeCommand: (tx: Tx, command: Command, shared: Shared) => Promise<Result>,
): void {
  serve<Start<Shared>, Command, Result>(start => {
    const { file, shared, pagesMax, watchedTables, writerCacheKib, canUndo, announcer } = start
    const connection = openWriter(file, writerCacheKib)
    // The writer itself moves the log, because the database gets a new number then.
    connection.database.run('PRAGMA wal_autocheckpoint = 0')
    const log = new LogNumber(connection, file)
    log.begin()
    const commits = new CommitRecord(file)
    const logSize = connection.database.query<{ log: bigint }, []>('PRAGMA wal_checkpoint(NOOP)')
    if (pagesMax !== undefined) connection.database.run(`PRAGMA max_page_count = ${pagesMax}`)
    const recorder = new RowChangeRecorder(watchedTables)
    const execute = (tx: Tx, command: Command): Promise<Result> => executeCommand(tx, command, shared)
    const writer = new BatchWriter(connection, execute, recorder)
    let triesAgainMs = 0
    const moveLog = (mode: 'RESTART' | 'TRUNCATE'): void => {
      if (performance.now() < triesAgainMs) return
      if (log.renew(mode)) log.begin()
      else triesAgainMs = performance.now() + MOVE_RETRY_MS
    }
    let isIdle = true
    const timer = setInterval(() => {
      if (connection.inTransaction) return
      if (isIdle && Number(logSize.get()?.log ?? 0n) > 1) moveLog('TRUNCATE')
      isIdle = true
    }, start.idleMs ?? IDLE_MS)
    // An undo drops the log, and everything that is recorded must be in the database then.
    if (canUndo) clearInterval(timer)
    return {
      runBatch: async (batch, askForNext) => {
        let changes: RowChanges = new Map()
        const before = writer.committed
        const outcomes = await writer.commit(batch, position => {
          changes = recorder.take()
          if (announcer && changes.size > 0) announce(announcer, { changes, position })
          askForNext()
        })
        if (canUndo) return { outcomes, changes }
        // A commit without an event, such as the renewal of a lease, is no use of the store.
        if (writer.committed !== before) {
          isIdle = false
          commits.note({ numbers: log.numbers, position: writer.committed })
        }
        if (Number(logSize.get()?.log ?? 0n) >= CHECKPOINT_PAGES) moveLog('RESTART')
        return { outcomes, changes }
      },
      close: () => {
        clearInterval(timer)
        commits[Symbol.dispose]()
        connection.close()
      },
    }
  })
}

/** Runs the reader worker. The lists of a batch share one read transaction, so they see the same state of the store. */
export function serveReader<Query, Reply, Shared = unknown>(
  executeQuery: (reader: Reader, query: Query, shared: Shared) => Promise<Reply>,
): void {
  serve<Start<Shared>, Query, Reply>(({ file, shared }) => {
    let fatal: string | undefined
    const reader = new SharedReadTransaction(new SqliteConnection(file, { readonly: true }), reason => {
      fatal = reason
    })
    return {
      runBatch: async (batch, askForNext) => {
        askForNext()
        const outcomes = await Promise.all(
          batch.map(query => executeQuery(reader, query, shared).then(reply => ({ reply }), failure)),
        )
        reader.refresh()
        if (fatal !== undefined) throw new Error(fatal)
        return { outcomes }
      },
      close: () => reader.close(),
    }
  })
}
