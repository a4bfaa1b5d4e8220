import { noNumberLeft, storageFull } from '../../contract/refusals.ts'
import { INT64_MAX } from '../../values/int64.ts'
import type { Noun, Tx } from '../engine.ts'
import type { NewEvent, TotalChanges } from '../new-event.ts'
import { type ChainEntry, nextChainEntry } from '../numbering/chain.ts'
import { knownHead, moveHead, readHead } from '../numbering/head.ts'
import { insertEvent } from '../numbering/numbering.ts'
import { TotalSums } from '../numbering/totals.ts'
import { failure, type Outcome } from '../outcome.ts'
import { RowChangeRecorder } from '../row-changes.ts'
import { type ParametersOf, type Statement, sql } from '../statement.ts'
import { isFatal, LOCK_WAIT_MS, type SqliteConnection } from './connection.ts'

/** The part of a connection that BatchWriter uses. */
export type WriteConnection = Pick<SqliteConnection, 'inTransaction' | 'one' | 'many' | 'run'>

const begin = sql()('BEGIN IMMEDIATE')
const waitForLock = sql()(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
const waitForNoLock = sql()('PRAGMA busy_timeout = 0')
const commit = sql()('COMMIT')
const rollback = sql()('ROLLBACK')
const setSavepoint = sql()('SAVEPOINT command')
const releaseSavepoint = sql()('RELEASE command')
const rollbackToSavepoint = sql()('ROLLBACK TO command')
const readCounters = sql<{ noun: Noun; last: bigint }>()('SELECT noun, last FROM counter')
const writeCounter = sql()('UPDATE counter SET last = $last WHERE noun = $noun')

/**
 * If a command fails after it has written rows, this number of batches run with savepoints. The first of them is the
 * repeated batch of that command.
 */
const SAVEPOINT_BATCHES = 16

/** Thrown if a command failed after it had written rows, so that its batch must run again with savepoints. */
class PartialWrite extends Error {}

/**
 * The only writer of a SQLite store. It runs each batch of commands in one transaction with one fsync.
 *
 * A refusal undoes its own command and nothing else. Most refusals come before the command has written anything. After
 * a later refusal, the whole batch is rolled back and run again with a savepoint for each command. The next batches
 * also run with savepoints. Savepoints for every batch would cost each order a quarter of its time.
 */
export class BatchWriter<Command, Reply> implements Tx {
  readonly #connection: WriteConnection
  readonly #perform: (tx: Tx, command: Command) => Promise<Reply>
  readonly #recorder: RowChangeRecorder
  #counters: ReadonlyMap<Noun, bigint>
  #issuedIds = new Map<Noun, bigint>()
  #savedHead: ChainEntry
  #head: ChainEntry
  /** The changes of the totals by the successful commands of the batch. */
  readonly #totals = new TotalSums()
  /** The changes of the totals by the command that is running. */
  #commandTotals: TotalChanges[] = []
  #savepointBatches = 0
  /** Whether the state in memory may differ from the stored state. */
  #isStale = false
  /** Whether the last batch could not begin, such as because another process held the lock. */
  #isLocked = false
  #hasWritten = false
  #committed: bigint

  constructor(
    connection: WriteConnection,
    executeCommand: (tx: Tx, command: Command) => Promise<Reply>,
    recorder = new RowChangeRecorder([]),
  ) {
    this.#connection = connection
    this.#recorder = recorder
    this.#perform = executeCommand
    this.#counters = this.#loadCounters()
    this.#savedHead = knownHead(connection.one(readHead))
    this.#head = this.#savedHead
    this.#committed = this.#head.position
  }

  /** The position of the last event that was committed. */
  get committed(): bigint {
    return this.#committed
  }

  /**
   * Returns the outcome of each command, once every successful command is durable. Calls `beforeCommit` when all
   * commands have run, and no other connection sees their rows, with the position of the last event of the batch, if it
   * has one. Throws only errors that must end the process.
   */
  async commit(
    commands: readonly Command[],
    beforeCommit: (position: bigint | undefined) => void = () => {},
  ): Promise<Outcome<Reply>[]> {
    const connection = this.#connection
    try {
      if (this.#savepointBatches > 0) {
        this.#savepointBatches--
        return await this.#run(commands, command => this.#withSavepoint(command), beforeCommit)
      }
      return await this.#run(commands, command => this.#withoutSavepoint(command), beforeCommit)
    } catch (error) {
      if (isFatal(error)) throw error
      if (connection.inTransaction) connection.run(rollback)
      if (!(error instanceof PartialWrite)) return this.#failAll(commands, error)
      this.#isStale = true
      this.#savepointBatches = SAVEPOINT_BATCHES
      return this.commit(commands, beforeCommit)
    }
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined {
    const row = this.#connection.one(statement, ...parameters)
    if (statement.writes && row !== undefined) this.#noteWrite(statement, parameters, [row])
    return row
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    const rows = this.#connection.many(statement, ...parameters)
    if (statement.writes && rows.length > 0) this.#noteWrite(statement, parameters, rows)
    return rows
  }

  write<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): void {
    this.run(statement, ...parameters)
  }

  run<Name extends string>(statement: Statement<unknown, Name>, ...parameters: ParametersOf<Name>): number {
    const changes = this.#connection.run(statement, ...parameters)
    if (changes > 0) this.#noteWrite(statement, parameters)
    return changes
  }

  #noteWrite<Name extends string>(
    statement: Statement<unknown, Name>,
    parameters: ParametersOf<Name>,
    rows?: readonly unknown[],
  ): void {
    this.#hasWritten = true
    this.#recorder.record(statement, parameters, rows)
  }

  nextId(noun: Noun): bigint {
    const id = (this.#issuedIds.get(noun) ?? this.#counters.get(noun) ?? 0n) + 1n
    if (id > INT64_MAX) throw noNumberLeft(`id for another ${noun}`)
    this.#issuedIds.set(noun, id)
    return id
  }

  /** Adds the next event to the log. With one writer, the order of inserts is the order of commits. */
  appendEvent(event: NewEvent, totals: TotalChanges | undefined): bigint {
    // A list of events ends before the next position, so that one must be an int64 too.
    if (this.#head.position >= INT64_MAX - 1n) throw noNumberLeft('position for another event')
    if (totals) this.#commandTotals.push(totals)
    this.#head = nextChainEntry(this.#head, event)
    this.run(insertEvent, { ...event, ...this.#head })
    return this.#head.position
  }

  async #run(
    commands: readonly Command[],
    runOne: (command: Command) => Promise<Outcome<Reply>>,
    beforeCommit: (position: bigint | undefined) => void,
  ): Promise<Outcome<Reply>[]> {
    const connection = this.#connection
    this.#begin()
    const outcomes: Outcome<Reply>[] = []
    for (const command of commands) {
      this.#commandTotals = []
      const outcome = await runOne(command)
      outcomes.push(outcome)
      if ('reply' in outcome) for (const changes of this.#commandTotals) this.#totals.add(changes)
      // SQLITE_FULL and similar errors end the whole transaction, including the commands that "succeeded" before.
      if (!connection.inTransaction) return this.#failAll(commands)
    }
    beforeCommit(this.#save())
    connection.run(commit)
    this.#committed = this.#head.position
    return outcomes
  }

  /**
   * Begins a transaction. If another process holds the lock, the first batch waits for it. Later batches fail at once
   * while the lock is still held, because their commands have waited during the first batch.
   */
  #begin(): void {
    const wasLocked = this.#isLocked
    this.#isLocked = true
    if (wasLocked) this.#connection.run(waitForNoLock)
    try {
      this.#connection.run(begin)
    } finally {
      if (wasLocked) this.#connection.run(waitForLock)
    }
    this.#isLocked = false
    if (this.#isStale) this.#load()
  }

  async #withoutSavepoint(command: Command): Promise<Outcome<Reply>> {
    const before = this.#issuedIds
    this.#issuedIds = new Map(before)
    this.#hasWritten = false
    try {
      return { reply: await this.#perform(this, command) }
    } catch (error) {
      if (isFatal(error)) throw error
      if (this.#hasWritten && this.#connection.inTransaction) throw new PartialWrite()
      this.#issuedIds = before
      return failure(error)
    }
  }

  async #withSavepoint(command: Command): Promise<Outcome<Reply>> {
    const connection = this.#connection
    const before = new Map(this.#issuedIds)
    const head = this.#head
    connection.run(setSavepoint)
    try {
      const reply = await this.#perform(this, command)
      connection.run(releaseSavepoint)
      return { reply }
    } catch (error) {
      if (isFatal(error)) throw error
      this.#issuedIds = before
      this.#head = head
      if (connection.inTransaction) {
        connection.run(rollbackToSavepoint)
        connection.run(releaseSavepoint)
      }
      return failure(error)
    }
  }

  #failAll(commands: readonly Command[], error?: unknown): Outcome<Reply>[] {
    this.#isStale = true
    const cause = error ?? storageFull()
    return commands.map(() => failure(cause))
  }

  #load(): void {
    this.#counters = this.#loadCounters()
    this.#issuedIds = new Map()
    this.#savedHead = knownHead(this.#connection.one(readHead))
    this.#head = this.#savedHead
    this.#totals.clear()
    this.#isStale = false
  }

  #loadCounters(): Map<Noun, bigint> {
    return new Map(this.#connection.many(readCounters).map(({ noun, last }) => [noun, last]))
  }

  /** Saves what the batch has numbered. Returns the position of its last event; undefined if it has none. */
  #save(): bigint | undefined {
    if (this.#issuedIds.size > 0) {
      for (const [noun, last] of this.#issuedIds) this.#connection.run(writeCounter, { noun, last })
      this.#counters = new Map([...this.#counters, ...this.#issuedIds])
      this.#issuedIds = new Map()
    }
    this.#totals.writeTo({ write: (...call) => this.#connection.run(...call) })
    if (this.#head === this.#savedHead) return undefined
    const { position, hash } = this.#head
    this.#connection.run(moveHead, { position, hash })
    this.#savedHead = this.#head
    return position
  }
}
