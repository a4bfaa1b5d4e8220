import type { ChainEntry, EventRecord } from '../model/audit-chain.ts'

/** The value of a column. Booleans are 0n and 1n, instants are RFC 3339 text, JSON is text. */
export type Value = string | bigint | null

/** Returns a boolean as a column holds it. */
export function storedBoolean(value: boolean): bigint {
  return value ? 1n : 0n
}

/** Returns the boolean that a column holds. */
export function readBoolean(value: bigint): boolean {
  return value === 1n
}

/** One SQL statement with `$1`-style parameters, and the type of the rows it returns. */
export interface Statement<Row> {
  readonly text: string
  /** A cheaper equivalent for PostgreSQL, with the same parameters. */
  readonly postgresText?: string
  /** Whether it can change rows. */
  readonly writes: boolean
  /** Exists only in the type; no statement has a value here. */
  readonly row?: Row
}

/** Declares a statement together with the type of its rows. */
export function sql<Row = never>(text: string, postgresText?: string): Statement<Row> {
  return { text, writes: !/^\s*SELECT\b/.test(text), ...(postgresText !== undefined && { postgresText }) }
}

/** What a verb reads through. SQLite returns values, PostgreSQL returns promises; a verb awaits both. */
export interface Reader {
  one<Row>(statement: Statement<Row>, ...values: Value[]): Row | undefined | Promise<Row | undefined>
  many<Row>(statement: Statement<Row>, ...values: Value[]): Row[] | Promise<Row[]>
}

/** The nouns whose rows the engine numbers 1, 2, 3, ... */
export type Noun = 'category' | 'pet' | 'order' | 'movement' | 'event' | 'key' | 'webhook' | 'delivery'

/** One transaction, which runs one command. */
export interface Tx extends Reader {
  /** Runs a statement for its effect and returns the number of rows changed. */
  run(statement: Statement<unknown>, ...values: Value[]): number | Promise<number>
  /** Returns the next id of a noun, before its INSERT. An id is never reused and never above 2^53 - 1. */
  nextId(noun: Noun): bigint | Promise<bigint>
  /** Chains an event to the previous one if commits are in order; null if a sequencer does it after the commit. */
  appendToChain(event: EventRecord): ChainEntry | null
}

/**
 * The storage of a store. Queries and commands are data; the engine gets the functions that run them when it opens.
 * A query returns a Reply and a command a Result; both can be sent between threads.
 */
export interface Engine<Query, Command, Reply, Result = Reply> {
  readonly name: 'sqlite' | 'postgres'
  /** Reads a row or two by key, on this thread. */
  readRow<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  /** Reads a list or a summary, without blocking other reads. */
  readScan(query: Query): Promise<Reply>
  /** Runs one command in one transaction. Resolves once its effect is durable. */
  execute(command: Command): Promise<Result>
  /**
   * Calls `listener` whenever events may have received positions: immediately after a commit of this process, within
   * a second after a commit of another process. Returns a function that stops the calls.
   */
  watch(listener: () => void): () => void
  /** Resolves if the engine works, rejects if it does not. */
  ping(): Promise<void>
  /**
   * Finishes the work in progress and releases everything. Rejects if everything is durable and closed, but another
   * process prevents a SQLite database from becoming one complete file.
   */
  close(): Promise<void>
}

/** A row changed between being read and being written: the engine runs the command again. */
export class Stale extends Error {
  constructor(what: string) {
    super(`${what} changed while the command ran`)
    this.name = 'Stale'
  }
}

/** How many times a command runs before the engine gives up. */
export const ATTEMPTS_MAX = 8
