import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { StoreError } from '../../contract/error.ts'
import { shuttingDown, tooManyInProgress } from '../../contract/refusals.ts'
import type { Engine, Noun, Reader, Tx } from '../engine.ts'
import { ForwardingTx } from '../forwarding-tx.ts'
import { unwrap } from '../outcome.ts'
import type { StatementCall } from '../statement.ts'
import { SlicedWork, type TimeSlices } from '../time-slices.ts'
import { isDamaged, isFatal, PAGE_BYTES, SqliteConnection } from './connection.ts'
import { storageState } from './database-file.ts'
import { migrateSqlite } from './engine.ts'
import { BatchWriter } from './group-commit.ts'

const COMMANDS_PER_BATCH_MAX = 32
/** The maximum number of commands that wait. Any further command is refused at once. */
const WAITING_MAX = 1024

/** A file that uses this share of its limit counts as full, because a command can need several pages at once. */
const NEARLY_FULL = 0.9

interface LightSqliteOptions<Query, Command, Reply, Result> {
  readonly file: string
  readonly executeCommand: (tx: Tx, command: Command) => Promise<Result>
  readonly executeQuery: (reader: Reader, query: Query) => Promise<Reply>
  /** The maximum size of the database file, in bytes. */
  readonly bytesMax: number
  /** Returns the refusal of a command that would make the file larger than `bytesMax`. */
  readonly refuseFull: () => StoreError
  /** Divides the thread between all engines of the process. */
  readonly slices: TimeSlices
  /** Called with the milliseconds for which one or more concurrent reads have kept the thread. */
  readonly onRead?: (ms: number) => void
  /** Whether to check the whole file before it is used, because the machine may have lost power. */
  readonly checks: boolean
  /** Whether commits survive a power failure. */
  readonly isSynced?: boolean
  /** Called once, after an error with which the engine cannot continue. The engine then refuses everything. */
  readonly onFatal: (reason: string) => void
}

/** A light engine: many of them run in one process. */
export interface LightEngine<Query, Command, Reply, Result = Reply>
  extends Engine<Query, Command, Reply, Result> {
  /** Copies the store, as of the last commit, to a file that does not exist yet. Reads and commands wait meanwhile. */
  copyTo(file: string): Promise<void>
}

/** Thrown if a database file is damaged or missing. */
export class DamagedDatabase extends Error {}

interface WaitingCommand<Command, Result> {
  readonly command: Command
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Opens an existing database as a store without workers: one connection, on this thread. A commit survives the
 * end of the process, and a power failure only if it is synced. Throws UnsupportedVersion and DamagedDatabase.
 */
export async function openLightSqlite<Query, Command, Reply, Result = Reply>(
  options: LightSqliteOptions<Query, Command, Reply, Result>,
): Promise<LightEngine<Query, Command, Reply, Result>> {
  const connection = openConnection(options)
  try {
    await migrateSqlite(connection)
    // The limit comes after the migrations, which may make a nearly full store larger.
    connection.database.run(`PRAGMA max_page_count = ${Math.ceil(options.bytesMax / PAGE_BYTES)}`)
    return new OneConnectionEngine(connection, options)
  } catch (error) {
    connection.close()
    throw error
  }
}

function openConnection(
  options: Pick<LightSqliteOptions<never, never, never, never>, 'file' | 'checks' | 'isSynced'>,
): SqliteConnection {
  const { file, isSynced = false } = options
  if (!existsSync(file)) throw new DamagedDatabase(`${file} does not exist`)
  let connection: SqliteConnection | undefined
  try {
    connection = new SqliteConnection(file, { readonly: false, isLight: true, isSynced })
    prepareConnection(connection, options)
    return connection
  } catch (error) {
    connection?.close()
    if (isDamaged(error)) throw new DamagedDatabase(`${file}: ${String(error)}`, { cause: error })
    throw error
  }
}

function prepareConnection(
  { database }: SqliteConnection,
  { file, checks }: Parameters<typeof openConnection>[0],
): void {
  if (!checks) return
  const found = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()
  if (found?.quick_check !== 'ok') throw new DamagedDatabase(`${file}: ${found?.quick_check}`)
}

class OneConnectionEngine<Query, Command, Reply, Result>
  implements LightEngine<Query, Command, Reply, Result>
{
  readonly name = 'sqlite'
  readonly clock = Date.now
  readonly storageState = async () => storageState(this.#options.file)
  readonly #connection: SqliteConnection
  readonly #options: LightSqliteOptions<Query, Command, Reply, Result>
  readonly #writer: BatchWriter<Command, Result>
  readonly #waiting: WaitingCommand<Command, Result>[] = []
  readonly #watchers = new Set<(commands: number) => void>()
  #readers = 0
  /** When the first of the current readers began, by `performance.now`. */
  #readingSinceMs = 0
  /** Called when the last reader has finished; set while a writer waits for that. */
  #onReadersGone: (() => void) | undefined
  /**
   * Set while a writer waits or runs. New readers wait for the writer, because they share its connection and would read
   * uncommitted rows.
   */
  #writing: Promise<void> | undefined
  #isWritingAll = false
  #isClosing = false
  #isClosed = false
  #failure: string | undefined

  constructor(connection: SqliteConnection, options: LightSqliteOptions<Query, Command, Reply, Result>) {
    this.#connection = connection
    this.#options = options
    const { executeCommand, slices } = options
    this.#writer = new BatchWriter(connection, async (tx, command) => {
      const work = new SlicedWork(slices)
      return executeCommand(new SlicedTx(tx, work), command)
    })
  }

  readonly readShort = async <Result>(work: (reader: Reader) => Result): Promise<Awaited<Result>> => {
    while (this.#writing) await this.#writing
    this.#refuseIfUnusable()
    if (this.#readers === 0) this.#readingSinceMs = performance.now()
    this.#readers++
    try {
      return await work(this.#connection)
    } catch (error) {
      this.#failIfFatal(error)
      throw error
    } finally {
      this.#readers--
      if (this.#readers === 0) {
        // Reads are synchronous, so only their continuations have run since the first of them began.
        this.#options.onRead?.(performance.now() - this.#readingSinceMs)
        this.#onReadersGone?.()
      }
    }
  }

  readonly readLong = (query: Query): Promise<Reply> =>
    this.readShort(reader => this.#options.executeQuery(reader, query))

  readonly execute = (command: Command): Promise<Result> => {
    if (this.#isClosing) return Promise.reject(shuttingDown())
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(tooManyInProgress())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command, resolve, reject })
      // The first command of a burst waits for the others of its turn of the event loop.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#writeAll())
    })
  }

  readonly watch = (listener: (commands: number) => void): (() => void) => {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  readonly exclusively = <T>(work: () => Promise<T>): Promise<T> => work()

  readonly ping = async (): Promise<void> => this.#refuseIfUnusable()

  readonly copyTo = (file: string): Promise<void> =>
    this.#alone(async () => {
      this.#refuseIfUnusable()
      this.#connection.database.run('PRAGMA wal_checkpoint(TRUNCATE)')
      await copyFile(this.#options.file, file)
    })

  readonly close = async (): Promise<void> => {
    this.#isClosing = true
    await this.#alone(async () => {
      this.#connection.close()
      this.#isClosed = true
    })
  }

  async #writeAll(): Promise<void> {
    if (this.#isWritingAll) return
    this.#isWritingAll = true
    while (this.#waiting.length > 0) await this.#alone(() => this.#writeBatch())
    this.#isWritingAll = false
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, COMMANDS_PER_BATCH_MAX)
    if (batch.length === 0) return
    try {
      this.#refuseIfUnusable()
      const outcomes = await this.#writer.commit(batch.map(({ command }) => command))
      for (const [index, { resolve, reject }] of batch.entries()) {
        try {
          resolve(unwrap(outcomes[index] ?? { error: 'the writer left a command without an outcome' }))
        } catch (error) {
          const isFull = error instanceof StoreError && error.details.isOutOfSpace && this.#isAtLimit()
          reject(isFull ? this.#options.refuseFull() : error)
        }
      }
      for (const listener of this.#watchers) listener(batch.length)
    } catch (error) {
      this.#failIfFatal(error)
      for (const { reject } of batch) reject(error)
    }
  }

  /** Runs work while no reader and no other writer uses the connection. */
  async #alone(work: () => Promise<void>): Promise<void> {
    while (this.#writing) await this.#writing
    const done = Promise.withResolvers<void>()
    this.#writing = done.promise
    try {
      if (this.#readers > 0) {
        await new Promise<void>(resolve => {
          this.#onReadersGone = resolve
        })
        this.#onReadersGone = undefined
      }
      await work()
    } finally {
      this.#writing = undefined
      done.resolve()
    }
  }

  /** Returns whether the file, and not the disk, is full. */
  #isAtLimit(): boolean {
    const { database } = this.#connection
    const pages = database.query<{ page_count: bigint }, []>('PRAGMA page_count').get()?.page_count ?? 0n
    const free =
      database.query<{ freelist_count: bigint }, []>('PRAGMA freelist_count').get()?.freelist_count ?? 0n
    return Number(pages - free) * PAGE_BYTES > this.#options.bytesMax * NEARLY_FULL
  }

  #refuseIfUnusable(): void {
    if (this.#isClosed) throw shuttingDown()
    if (this.#failure !== undefined) throw new Error(this.#failure)
  }

  #failIfFatal(error: unknown): void {
    if (!isFatal(error) || this.#failure !== undefined) return
    this.#failure = error instanceof Error ? error.message : String(error)
    this.#options.onFatal(this.#failure)
  }
}

/** A transaction that pauses at the end of each slice of its work, so that other stores of the process respond. */
class SlicedTx extends ForwardingTx {
  readonly #work: SlicedWork

  constructor(tx: Tx, work: SlicedWork) {
    super(tx)
    this.#work = work
  }

  override one<Row, Name extends string>(
    ...call: StatementCall<Row, Name>
  ): Row | undefined | Promise<Row | undefined> {
    if (!this.#work.isSliceOver) return super.one(...call)
    return this.#work.next().then(() => super.one(...call))
  }

  override many<Row, Name extends string>(...call: StatementCall<Row, Name>): Row[] | Promise<Row[]> {
    if (!this.#work.isSliceOver) return super.many(...call)
    return this.#work.next().then(() => super.many(...call))
  }

  override run<Name extends string>(...call: StatementCall<unknown, Name>): number | Promise<number> {
    if (!this.#work.isSliceOver) return super.run(...call)
    return this.#work.next().then(() => super.run(...call))
  }

  /** An import that reads nothing for thousands of rows takes an id for each. */
  override nextId(noun: Noun): bigint | Promise<bigint> {
    if (!this.#work.isSliceOver) return super.nextId(noun)
    return this.#work.next().then(() => super.nextId(noun))
  }
}
