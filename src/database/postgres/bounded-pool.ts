import { type ReservedSQL, SQL } from 'bun'
import { overloaded } from '../../contract/refusals.ts'
import type { PoolState } from '../engine.ts'

const CONNECT_SECONDS_MAX = 5

interface Waiter {
  readonly admit: () => void
  readonly timer: NodeJS.Timeout
}

/**
 * A pool of connections to PostgreSQL in which every use has a deadline. A use waits for a free connection until its
 * deadline. A connection that is in use at the deadline is closed, because a frozen server may never respond.
 */
export class BoundedPool {
  readonly #sql: SQL
  readonly #waiting = new Set<Waiter>()
  /**
   * Reserved connections that are not in use. Reserving one for each use would take a tenth of the time that placing an
   * order takes.
   */
  readonly #idle: ReservedSQL[] = []
  readonly #connectionsMax: number
  #freeCount: number
  #counts = { uses: 0, useMs: 0, waits: 0, waitMs: 0 }
  /** The number of connections that were closed, by either end. */
  #closedCount = 0
  #isClosing = false

  constructor(options: SQL.PostgresOrMySQLOptions, connectionsMax: number) {
    this.#sql = new SQL({
      ...options,
      max: connectionsMax,
      connectionTimeout: CONNECT_SECONDS_MAX,
      // Any idle connection may be the closed one, so all are released to Bun's SQL client, which knows the open ones.
      onclose: () => {
        this.#closedCount++
        this.#releaseIdle()
      },
    })
    this.#connectionsMax = connectionsMax
    this.#freeCount = connectionsMax
  }

  /**
   * Runs `work` with a connection of its own. `dueMs` is the deadline on the clock of `performance.now`. Throws
   * `overloaded` if it still waits for a connection at the deadline. Throws an error of the driver if the connection
   * cannot be opened, or is lost or closed.
   */
  async use<T>(dueMs: number, work: (connection: ReservedSQL) => Promise<T>): Promise<T> {
    const askedMs = performance.now()
    if (this.#freeCount > 0) this.#freeCount--
    else await this.#waitForFree(dueMs).finally(() => this.#countWait(askedMs))
    const startedMs = performance.now()
    let connection = this.#idle.pop()
    const reserving = connection ? undefined : new AbortController()
    const closedBefore = this.#closedCount
    let isReusable = false
    const timer = setTimeout(() => {
      reserving?.abort(overloaded('The database does not respond; try again shortly.', 2))
      void connection?.close({ timeout: 0 }).catch(() => {})
    }, leftMs(dueMs))
    try {
      connection ??= await this.#sql.reserve(reserving && { signal: reserving.signal })
      const result = await work(connection)
      isReusable = closedBefore === this.#closedCount && !this.#isClosing
      return result
    } finally {
      clearTimeout(timer)
      this.#counts.uses++
      this.#counts.useMs += performance.now() - startedMs
      if (connection && isReusable) this.#idle.push(connection)
      else if (connection) release(connection)
      this.#admitNext()
    }
  }

  /** Closes all connections. Work that is still in progress after `limitMs` fails. */
  async close(limitMs = 0): Promise<void> {
    this.#isClosing = true
    this.#releaseIdle()
    await this.#sql.close({ timeout: limitMs / 1000 }).catch(() => {})
  }

  /** The uses since the start of the pool, and now. */
  get state(): PoolState {
    const max = this.#connectionsMax
    return { ...this.#counts, busy: max - this.#freeCount, max }
  }

  #countWait(askedMs: number): void {
    this.#counts.waits++
    this.#counts.waitMs += performance.now() - askedMs
  }

  #releaseIdle(): void {
    for (const connection of this.#idle.splice(0)) release(connection)
  }

  #waitForFree(dueMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#waiting.delete(waiter)
      reject(overloaded('Too many requests wait for the database; try again shortly.', 2))
    }, leftMs(dueMs))
    const waiter = { admit: resolve, timer }
    this.#waiting.add(waiter)
    return promise
  }

  #admitNext(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#freeCount++
      return
    }
    this.#waiting.delete(next)
    clearTimeout(next.timer)
    next.admit()
  }
}

/** Gives a connection back to Bun's SQL client, which reuses it if it is still open. */
function release(connection: ReservedSQL): void {
  // A connection that was closed cannot be released.
  void connection.release().catch(() => {})
}

function leftMs(dueMs: number): number {
  return Math.max(0, dueMs - performance.now())
}
