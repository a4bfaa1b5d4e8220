import type { NewEvent, TotalChanges } from './new-event.ts'
import type { RowListener } from './row-changes.ts'
import type { StatementCall } from './statement.ts'

/**
 * The interface through which a verb reads. SQLite returns values, PostgreSQL returns promises. A verb awaits both, or
 * passes both to `mapRead`.
 */
export interface Reader {
  one<Row, Name extends string>(...call: StatementCall<Row, Name>): Row | undefined | Promise<Row | undefined>
  many<Row, Name extends string>(...call: StatementCall<Row, Name>): Row[] | Promise<Row[]>
}

/** The nouns whose rows the engine numbers 1, 2, 3, ... */
export type Noun =
  | 'category'
  | 'pet'
  | 'order'
  | 'sale'
  | 'movement'
  | 'event'
  | 'key'
  | 'webhook'
  | 'delivery'

/** One transaction, which runs one command. */
export interface Tx extends Reader {
  /** Runs a statement for its effect and returns the number of rows changed. */
  run<Name extends string>(...call: StatementCall<unknown, Name>): number | Promise<number>
  /**
   * Runs a statement whose result is not needed. On PostgreSQL, nothing waits for it, and an INSERT may be sent later,
   * together with others, but before the next `one`, `many` or `run`. If it fails, the command fails, at the latest at
   * its end.
   */
  write<Name extends string>(...call: StatementCall<unknown, Name>): void
  /** Returns the next id of a noun, before its INSERT. Two rows never get the same id, even if one is deleted. */
  nextId(noun: Noun): bigint | Promise<bigint>
  /**
   * Adds an event to the log, and its changes to the totals. Returns its position; undefined on PostgreSQL, where
   * commits are not in order: the sequencer assigns the position and adds the changes after the commit.
   */
  appendEvent(event: NewEvent, totals: TotalChanges | undefined): bigint | undefined
}

/** Runs a short read of the store: see `Engine.readShort`. */
export type ReadShort = <Result>(work: (reader: Reader) => Result) => Result | Promise<Awaited<Result>>

/**
 * The storage of a store. Queries and commands are data; the engine gets the functions that run them when it opens.
 * A query returns a Reply and a command a Result; both can be sent between threads.
 */
export interface Engine<Query, Command, Reply, Result = Reply> {
  readonly name: 'sqlite' | 'postgres'
  /** Returns the time in milliseconds since 1970, the same for all processes of the store. */
  readonly clock: () => number
  /**
   * Runs a short read on this thread, such as a few rows by key or one page of events. Returns the result of `work`, or
   * a promise of it if this engine waits before or during the read.
   */
  readonly readShort: ReadShort
  /** Returns the reply to a long list. The read does not block other reads. */
  readLong(query: Query): Promise<Reply>
  /** Runs one command in one transaction. Resolves to its result once its effect is durable. */
  execute(command: Command): Promise<Result>
  /**
   * Calls `listener` whenever events may have received positions: at once or some milliseconds after a commit of this
   * process, about a second after a commit of another process. Its argument is the number of commands that share the
   * call, or 1 if that is unknown. Returns a function that stops the calls.
   */
  watch(listener: (commands: number) => void): () => void
  /**
   * Calls `listener` with the rows that each batch of commands writes, when the batch has ended. New reads see the rows
   * by then, and none of the commands has its result yet. If it is not certain whether reads show the rows, `listener`
   * is called before, too, with the same object. Undefined if no tables are watched, or if other processes may write
   * too. Returns a function that stops the calls.
   */
  readonly watchRows?: (listener: RowListener) => () => void
  /**
   * Reports each batch now whose rows `readShort` may show in this turn of the event loop. Without this call, it is
   * reported some time after.
   */
  readonly announceRows?: () => void
  /** Runs work that only one process of the store may do at a time, such as the work of a first start. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /**
   * Closes a store that was opened with `canUndo`, and drops every commit since then. It needs no space, so it also
   * works on a full disk.
   */
  readonly undo?: () => Promise<void>
  /** Resolves if the engine works, rejects if it does not. */
  ping(): Promise<void>
  /** Returns what the engine knows of its files or connections. It asks the database only if that `responds`. */
  storageState(responds: boolean): Promise<StorageState>
  /**
   * Finishes the work in progress and releases everything. Rejects if another process prevents SQLite from merging the
   * write-ahead log into the database file. Even then, everything is durable and closed.
   */
  close(): Promise<void>
}

/** The uses of the connections of one kind. */
export interface PoolState {
  readonly uses: number
  readonly useMs: number
  readonly waits: number
  readonly waitMs: number
  readonly busy: number
  readonly max: number
}

/** The files of a store on SQLite, or its connections on PostgreSQL. Absent: the engine has no such thing. */
export interface StorageState {
  readonly databaseBytes?: number | undefined
  readonly logBytes?: number
  /** The free space of the disk. */
  readonly freeBytes?: number
  readonly pools?: Readonly<Record<string, PoolState>>
  /** How far the clock of this machine is ahead of that of the database server, in milliseconds. */
  readonly clockAheadMs?: number
}

/** Thrown if a row changed between a read and a write of one command. The engine runs the command again. */
export class Stale extends Error {
  constructor(subject: string) {
    super(`${subject} changed while the command ran`)
    this.name = 'Stale'
  }
}

/** The maximum number of times that work runs if each run ends in a conflict. Its deadline may come first. */
export const ATTEMPTS_MAX = 30
