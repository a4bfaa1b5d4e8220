import { type ReservedSQL, SQL } from 'bun'
import { overloaded } from '../model/refusals.ts'

/** The time within which a connection must be established, in seconds. */
const CONNECT_SECONDS_MAX = 5

interface Waiter {
  readonly admit: () => void
  readonly timer: NodeJS.Timeout
}

/**
 * A pool of connections to PostgreSQL in which every use has a deadline. A use waits for a free connection until its
 * deadline. At the deadline, its connection is closed: a server that is frozen would hold it for ever.
 */
export class BoundedPool {
  readonly #sql: SQL
  readonly #waiting = new Set<Waiter>()
  #free: number

  constructor(options: SQL.PostgresOrMySQLOptions, connectionsMax: number) {
    this.#sql = new SQL({
      ...options,
      max: connectionsMax,
      connectionTimeout: CONNECT_SECONDS_MAX,
    })
    this.#free = connectionsMax
  }

  /**
   * Runs `work` with a connection of its own. `dueMs` is on the clock of `performance.now`. Throws `overloaded` if all
   * connections are in use until then, and an error of the driver if the connection is lost or closed.
   */
  async use<T>(dueMs: number, work: (connection: ReservedSQL) => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await this.#freed(dueMs)
    let connection: ReservedSQL | undefined
    const reserving = new AbortController()
    const timer = setTimeout(() => {
      reserving.abort(overloaded('The database does not respond; try again shortly.', 2))
      void connection?.close({ timeout: 0 }).catch(() => {})
    }, leftMs(dueMs))
    try {
      connection = await this.#sql.reserve({ signal: reserving.signal })
      return await work(connection)
    } finally {
      clearTimeout(timer)
      // A connection that was closed cannot be released.
      void connection?.release().catch(() => {})
      this.#passOn()
    }
  }

  /** Closes all connections. Work that is still in progress after `limitMs` fails. */
  async close(limitMs = 0): Promise<void> {
    await this.#sql.close({ timeout: limitMs / 1000 }).catch(() => {})
  }

  /** Resolves once a connection is free, and takes it. */
  #freed(dueMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#waiting.delete(waiter)
      reject(overloaded('Too many requests wait for the database; try again shortly.', 2))
    }, leftMs(dueMs))
    const waiter = { admit: resolve, timer }
    this.#waiting.add(waiter)
    return promise
  }

  #passOn(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    clearTimeout(next.timer)
    next.admit()
  }
}

function leftMs(dueMs: number): number {
  return Math.max(0, dueMs - performance.now())
}
