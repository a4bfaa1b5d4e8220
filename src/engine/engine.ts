import type { EventRecord, Link } from '../model/audit.ts'

/** What a column holds. Booleans are 0n and 1n, instants RFC 3339 text, JSON text. */
export type Value = string | bigint | null

/** One SQL statement with `$1`-style parameters, and the type of the rows it answers. */
export interface Statement<Row> {
  readonly text: string
  /** The same for PostgreSQL, with the same parameters, where it has a cheaper way to say it. */
  readonly postgresText?: string
  /** Whether it can change rows. */
  readonly writes: boolean
  /** Only a type: no statement has it. */
  readonly row?: Row
}

/** Names the type of the rows of a statement where its text stands. */
export function sql<Row = never>(text: string, postgresText?: string): Statement<Row> {
  return { text, writes: !/^\s*SELECT\b/.test(text), ...(postgresText !== undefined && { postgresText }) }
}

/** What a verb reads through. SQLite answers at once, PostgreSQL later: a verb awaits both alike. */
export interface Reading {
  one<Row>(statement: Statement<Row>, ...values: Value[]): Row | undefined | Promise<Row | undefined>
  many<Row>(statement: Statement<Row>, ...values: Value[]): Row[] | Promise<Row[]>
}

/** The nouns whose rows are numbered 1, 2, 3, ... by the engine. */
export type Noun = 'category' | 'pet' | 'order' | 'movement' | 'event' | 'key' | 'webhook' | 'delivery'

/** One transaction, at work for one command. */
export interface Tx extends Reading {
  /** Runs a statement for its effect and answers how many rows it changed. */
  run(statement: Statement<unknown>, ...values: Value[]): number | Promise<number>
  /** The next id of a noun, known before its INSERT; never given twice, never above 2^53 - 1. */
  nextId(noun: Noun): bigint | Promise<bigint>
  /** Chains an event to the last one where commits come in order; null where a sequencer does it after the commit. */
  link(event: EventRecord): Link | null
}

/** Where a store is kept. Queries and commands are data; what they do was given to the engine when it was opened. */
export interface Engine<Query, Command, Reply> {
  readonly name: 'sqlite' | 'postgres'
  /** Reads a row or two by key, on this thread. */
  readRow<T>(work: (reading: Reading) => Promise<T>): Promise<T>
  /** Reads a list or a summary: never in the way of others. */
  readScan(query: Query): Promise<Reply>
  /** Runs one command in one transaction; resolves only when its effect is durable. */
  execute(command: Command): Promise<Reply>
  /**
   * Calls `listener` whenever events may have got positions: at once for what this process committed, within a second
   * for another's. Answers what ends it.
   */
  watch(listener: () => void): () => void
  /** Resolves when the engine answers; rejects when it does not. */
  ping(): Promise<void>
  /**
   * Ends the work in progress and releases everything. Rejects when all is durable and closed, but another process
   * keeps a SQLite database from becoming one whole file.
   */
  close(): Promise<void>
}

/** A row that was read has changed before it was written: the engine runs the command again. */
export class Stale extends Error {
  constructor(what: string) {
    super(`${what} changed while the command ran`)
    this.name = 'Stale'
  }
}

/** How often a command is run again before it is given up. */
export const ATTEMPTS_MAX = 8
