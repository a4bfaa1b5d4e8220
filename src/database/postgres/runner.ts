import type { ReservedSQL } from 'bun'
import type { StoreError } from '../../contract/error.ts'
import { outcomeUnknown, overloaded, storageFull } from '../../contract/refusals.ts'
import { backoffMs } from '../../values/backoff.ts'
import { ATTEMPTS_MAX, type Reader } from '../engine.ts'
import { PostgresConnection } from './connection.ts'
import type { Execution, Executions } from './executions.ts'
import { type DatabaseFailure, failureOf } from './failure.ts'
import type { LockedRows } from './locked-rows.ts'
import { requireUsableTables } from './migrations.ts'
import { type OutageChange, OutageWatch } from './outage.ts'
import { isPrimary, noConnectionLeft, type Pools, type Primary } from './primary.ts'

/** The default time limit of a read or a command, in milliseconds. */
export const COMMAND_MS_MAX = 5000
/** The time limit of a ping, in milliseconds. `/readyz` waits slightly longer. */
const PING_MS_MAX = 1200
/** How long a long command may be idle between two statements, in milliseconds. */
const LONG_IDLE_MS = 60_000
/** The n-th repetition is delayed by a random time of at most 2^n times this (full jitter). */
const BACKOFF_MS = 5
const BACKOFF_MS_MAX = 400
/** Limits how long a transaction waits for a lock while some row is locked. */
const BRIEF_LOCK = 'SET LOCAL lock_timeout = 100;'
/** The number of times that work runs again after a duplicate key. After that, the fault is in the work itself. */
const DUPLICATES_MAX = 2
/** How long an attempt waits for the new primary, in milliseconds. The search continues in the background. */
const RENEW_MS_MAX = 1000

interface RunnerOptions {
  readonly primary: Primary
  readonly executions: Executions
  readonly lockedRows: LockedRows
  readonly isolation: string | undefined
  readonly random: () => number
  readonly onOutage: (change: OutageChange) => void
}

interface ExecuteOptions {
  /** The time that a command may take, in milliseconds; 5 seconds by default. */
  readonly timeLimitMs?: number | undefined
  /** The deadline on the clock of `performance.now`. By default, the time limit begins now. */
  readonly dueMs?: number | undefined
  readonly isGroup?: boolean
  /** The rows that the command names. */
  readonly rows?: readonly string[]
}

/**
 * Runs reads and commands on the primary. After a failure that may pass, the work runs again. At its deadline it fails
 * with `overloaded` (503), so no request waits longer, whatever the database does.
 */
export class PostgresRunner {
  readonly #options: RunnerOptions
  readonly #begin: string
  readonly #outageWatch: OutageWatch

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#outageWatch = new OutageWatch(() => this.#probe(), options.onOutage)
    this.#begin = `BEGIN ISOLATION LEVEL ${options.isolation ?? 'READ COMMITTED'}`
  }

  read<T>(kind: 'shortReads' | 'longReads', work: (reader: Reader) => Promise<T>): Promise<T> {
    const dueMs = performance.now() + COMMAND_MS_MAX
    return this.#repeat({ dueMs, isRead: true }, pools =>
      pools[kind].use(dueMs, connection => work(new PostgresConnection(connection))),
    )
  }

  /** Runs a command, or a group of them, in a transaction, and commits it at most once, however often it runs. */
  async execute<Result>(
    run: (connection: ReservedSQL) => Promise<Result>,
    {
      timeLimitMs,
      dueMs = performance.now() + (timeLimitMs ?? COMMAND_MS_MAX),
      isGroup,
      rows = [],
    }: ExecuteOptions,
  ): Promise<Result> {
    const { executions, lockedRows } = this.#options
    const execution = executions.start<Result>()
    try {
      return await this.#repeat({ dueMs, isRead: false }, ({ commands, lockedCommands, groups }, failure) => {
        // A command that meets a lock, or names a row that is locked, takes no connection that other commands need.
        const isLocked = (): boolean => failure === 'locked' || lockedRows.hasAnyOf(rows)
        const pool = isGroup ? groups : isLocked() ? lockedCommands : commands
        return pool.use(dueMs, async connection => {
          if (pool === commands && isLocked()) throw new RowLocked()
          // While a row is locked, commands that do not name it may wait for it too: for its orders, for example.
          const lockLimit = pool === commands && !lockedRows.isEmpty ? BRIEF_LOCK : ''
          const begin = `${this.#begin};${limitsOf(timeLimitMs)}${lockLimit}${execution.insertion}`
          try {
            return await attempt(connection, begin, execution, run)
          } catch (error) {
            if (failureOf(error) === 'locked') lockedRows.note(rows)
            throw error
          }
        })
      })
    } catch (error) {
      throw execution.unconfirmed ? outcomeUnknown() : error
    } finally {
      executions.end(execution)
    }
  }

  /** Resolves if the primary responds and has the tables of this version. Otherwise rejects, and looks for another. */
  async ping(): Promise<void> {
    try {
      await this.#probe()
    } catch (error) {
      this.#outageWatch.suspect()
      throw error
    }
  }

  /** Reports no outage from now on, because closing the connections looks like one. */
  close(): void {
    this.#outageWatch.close()
  }

  async #probe(): Promise<void> {
    const { primary } = this.#options
    const { pools } = primary
    const dueMs = performance.now() + PING_MS_MAX
    const ping = () => pools.pings.use(dueMs, isUsable)
    try {
      // The connection of the last ping may be gone, although the database works.
      if (!(await ping().catch(ping))) throw this.#gaveUp('standby')
    } catch (error) {
      // This probe fails. The next one finds the new primary, if there is one.
      void primary.renew(pools).catch(() => {})
      throw error
    }
  }

  /**
   * Runs work with the pools of the primary. After each failure that may pass, runs the work again, and passes the
   * failure to it. Throws `overloaded` or `storage_full` after a final failure and after too many conflicts, and
   * `overloaded` if the next attempt would start after the deadline.
   */
  async #repeat<T>(
    { dueMs, isRead }: { readonly dueMs: number; readonly isRead: boolean },
    work: (pools: Pools, failure: DatabaseFailure | undefined) => Promise<T>,
  ): Promise<T> {
    const { primary, random } = this.#options
    let failure: DatabaseFailure | undefined
    let duplicates = 0
    for (let attempts = 1; ; attempts++) {
      const { pools } = primary
      try {
        return await work(pools, failure)
      } catch (error) {
        // An attempt that the deadline ended does not know why it waited for a connection.
        if (failure === 'crowded' && performance.now() + 1 >= dueMs) throw this.#gaveUp(failure)
        failure = error instanceof RowLocked ? 'locked' : failureOf(error)
        if (failure === undefined) throw error
        if (failure === 'duplicate' && ++duplicates > DUPLICATES_MAX) throw error
        if (failure === 'full' && !isRead) throw storageFull()
        if (isFinal(failure) || (failure === 'conflict' && attempts >= ATTEMPTS_MAX))
          throw this.#gaveUp(failure, error)
      }
      if (failure === 'lost' || failure === 'standby') await this.#renew(pools, dueMs)
      const delayMs = random() * backoffMs(BACKOFF_MS, attempts, BACKOFF_MS_MAX)
      if (performance.now() + delayMs >= dueMs) {
        if (failure === 'lost' || failure === 'standby') this.#outageWatch.suspect()
        throw this.#gaveUp(failure)
      }
      await Bun.sleep(delayMs)
    }
  }

  /** Returns the refusal for a failure. Its cause, which the log gets, is the error that only the operator can end. */
  #gaveUp(failure: DatabaseFailure, error?: unknown): StoreError {
    if (failure === 'crowded') return noConnectionLeft(this.#options.primary.connectionsMax)
    const refusal = overloaded(reasons[failure], failure === 'conflict' ? 10 : 2)
    if (failure === 'migrated') this.#outageWatch.suspect()
    if (failure === 'denied' || failure === 'broken' || failure === 'migrated') refusal.cause = error
    return refusal
  }

  /** Looks for another primary, and waits until one is found, but only for a moment: the next attempt looks again. */
  async #renew(pools: Pools, dueMs: number): Promise<void> {
    const waitMs = Math.min(RENEW_MS_MAX, dueMs - performance.now())
    await Promise.race([this.#options.primary.renew(pools).catch(() => {}), Bun.sleep(waitMs)])
  }
}

/** Returns whether the server accepts writes. Throws UnsupportedVersion if its tables are those of another version. */
async function isUsable(connection: ReservedSQL): Promise<boolean> {
  if (!(await isPrimary(connection))) return false
  await requireUsableTables(new PostgresConnection(connection))
  return true
}

/** Thrown by a command that waited for a connection until its row was locked. It waits again, in another pool. */
class RowLocked extends Error {}

function limitsOf(timeLimitMs: number | undefined): string {
  if (timeLimitMs === undefined) return ''
  // A large import may spend a long time between two statements.
  return `SET LOCAL statement_timeout = ${timeLimitMs};
    SET LOCAL idle_in_transaction_session_timeout = ${LONG_IDLE_MS};`
}

/** Runs a command once. If an earlier run of it has committed, returns the result of that run. */
async function attempt<Result>(
  connection: ReservedSQL,
  begin: string,
  execution: Execution<Result>,
  run: (connection: ReservedSQL) => Promise<Result>,
): Promise<Result> {
  const { unconfirmed } = execution
  let hasBegun = false
  try {
    await connection.unsafe(begin)
    // The insertion of the key proves that no earlier run has committed.
    hasBegun = true
    execution.unconfirmed = undefined
    const result = await run(connection)
    // From here until the server confirms the commit, nobody knows whether the command has taken effect.
    execution.unconfirmed = { result }
    await connection.unsafe('COMMIT')
    return result
  } catch (error) {
    // A lost connection has nothing to roll back. The error that ended the command is the one to report.
    await connection.unsafe('ROLLBACK').catch(() => {})
    if (unconfirmed && execution.hasCommitted(error)) {
      // If the wait for a synchronous standby was cut off, the earlier commit may be on the primary alone.
      await connection.unsafe(execution.confirmation)
      return unconfirmed.result
    }
    // A server that reports an error has not committed.
    if (hasBegun && failureOf(error) !== 'lost') execution.unconfirmed = undefined
    throw error
  }
}

function isFinal(failure: DatabaseFailure): boolean {
  return (
    failure === 'slow' ||
    failure === 'full' ||
    failure === 'denied' ||
    failure === 'broken' ||
    failure === 'migrated'
  )
}

const reasons: Readonly<Record<Exclude<DatabaseFailure, 'crowded'>, string>> = {
  conflict: 'Too many commands compete for the same rows; try again shortly.',
  duplicate: 'Another command has just inserted the same row; try again shortly.',
  locked: 'Another transaction holds a row that the request needs; try again shortly.',
  slow: 'The database took too long; try again shortly.',
  lost: 'The database does not respond; try again shortly.',
  full: 'The database has no space left for this read; try again shortly.',
  broken: 'The database reports an error of its own; its operator must look into it.',
  migrated: 'The tables of the database are those of another version; its operator must look into it.',
  denied: 'The database refuses to serve the store; its operator must look into it.',
  standby: 'The database accepts no writes now; try again shortly.',
}
