import { randomBytes } from 'node:crypto'
import type { ReservedSQL } from 'bun'
import { storedInstant } from '../../values/instant.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import { sql } from '../statement.ts'
import { PostgresConnection } from './connection.ts'
import { sqlState } from './failure.ts'

/** After each 500 ended commands, a sweep deletes the rows of those that began before the oldest running command. */
const SWEEP_EVERY_COMMANDS = 500
/** The age at which the rows that a process left behind are deleted, by any process. */
const RETENTION_MS = 7 * DAY_MS
const UNIQUE_VIOLATION = '23505'

const deleteEnded = sql()('DELETE FROM execution WHERE process = $process AND number < $before')
const deleteOld = sql()('DELETE FROM execution WHERE at < $before')

/** One command, which may run several times. Its row has the key of the command: process and number. */
export interface Execution<Result> {
  readonly number: bigint
  /**
   * The statement that confirms the commit of an earlier run: it updates the row of the command. Once a synchronous
   * standby has this update, the standby has the earlier commit too.
   */
  readonly confirmation: string
  /** The first statement of each run: it inserts the row of the command. It fails if an earlier run has committed. */
  readonly insertion: string
  /** The result of a run whose COMMIT was sent but not confirmed; undefined if there is no such run. */
  unconfirmed: { readonly result: Result } | undefined
  /** Returns whether this error of the insertion means that an earlier run has committed. */
  hasCommitted(error: unknown): boolean
}

/**
 * The commands of this process, each under a key of its own (process and number). A transaction inserts the key
 * together with the effect of its command. If the response to a COMMIT is lost, the command runs again under the same
 * key. The insertion then fails if and only if the first run has committed. Looking for the row first would be wrong,
 * because a COMMIT in progress is invisible; an insertion waits for it.
 */
export class Executions {
  // A random number of 53 bits, so two processes practically never have the same number.
  readonly #process = BigInt(`0x${randomBytes(8).toString('hex')}`) >> 11n
  readonly #use: <T>(work: (connection: ReservedSQL) => Promise<T>) => Promise<T>
  readonly #clock: () => number
  readonly #running = new Set<bigint>()
  #lastNumber = 0n
  #endedCount = 0
  #sweeping: Promise<void> = Promise.resolve()

  /** `use` runs work with a connection. `clock` is the clock that all processes of the store share. */
  constructor(use: <T>(work: (connection: ReservedSQL) => Promise<T>) => Promise<T>, clock: () => number) {
    this.#use = use
    this.#clock = clock
  }

  start<Result>(): Execution<Result> {
    const number = ++this.#lastNumber
    this.#running.add(number)
    // The values are numbers and an instant, so the text is safe. It is sent together with BEGIN.
    const row = `${this.#process}, ${number}, '${storedInstant(this.#clock())}'`
    return {
      number,
      confirmation: `UPDATE execution SET at = at WHERE process = ${this.#process} AND number = ${number}`,
      insertion: `INSERT INTO execution (process, number, at) VALUES (${row})`,
      unconfirmed: undefined,
      hasCommitted: error => sqlState(error) === UNIQUE_VIOLATION && isFromExecutionTable(error),
    }
  }

  end({ number }: Execution<unknown>): void {
    this.#running.delete(number)
    if (++this.#endedCount % SWEEP_EVERY_COMMANDS === 0) this.#sweeping = this.#sweep()
  }

  /** Deletes the rows of this process. If the database does not respond, another process deletes them after 7 days. */
  async close(): Promise<void> {
    await this.#sweeping
    await this.#sweep()
  }

  async #sweep(): Promise<void> {
    // Numbers are added in ascending order, so the first one is the smallest.
    const [oldest = this.#lastNumber + 1n] = this.#running
    await this.#use(async connection => {
      const database = new PostgresConnection(connection)
      await database.run(deleteEnded, { process: this.#process, before: oldest })
      await database.run(deleteOld, { before: storedInstant(this.#clock() - RETENTION_MS) })
    }).catch(() => {})
  }
}

function isFromExecutionTable(error: unknown): boolean {
  return error instanceof Error && 'table' in error && error.table === 'execution'
}
