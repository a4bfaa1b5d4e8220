import type { ReservedSQL, SQL } from 'bun'
import type { DatabaseAddress, DatabaseHost } from '../model/database-url.ts'
import { overloaded } from '../model/refusals.ts'
import { BoundedPool } from './bounded-pool.ts'
import { hostOptions } from './host-options.ts'
import { isRefusedSetting, isTlsMissing } from './postgres-fault.ts'

/** The time in which the server ends a statement of a request, in milliseconds. It is below every deadline. */
const STATEMENT_MS_MAX = 4000
/** The time that a transaction waits for a lock, in milliseconds. A command that fails then waits in another pool. */
const LOCK_MS_MAX = 250
const LONG_LOCK_MS_MAX = 2000
/** The time in which the server ends the session of a process that is frozen in a transaction, in milliseconds. */
const FROZEN_MS_MAX = 2000
/** The time in which a host must say whether it is the primary, in milliseconds. */
const PROBE_MS_MAX = 1500
/** The same at the start, which may be over a slow network. */
const FIRST_PROBE_MS_MAX = 10_000

/** The connections for lists and summaries. */
const SCANS = 6
const READS = 6
/** The connections of commands that wait for a locked row, so that they do not hold the connections of the others. */
const LOCKED = 3
/** Ids and positions have their own connections, because a transaction that waits for an id already holds one. */
const NUMBERING = 2

/** The pools of one server, one for each kind of work, so that no kind can take the connections of another. */
export interface Pools {
  readonly host: DatabaseHost
  readonly commands: BoundedPool
  readonly lockedCommands: BoundedPool
  readonly reads: BoundedPool
  readonly scans: BoundedPool
  readonly numbering: BoundedPool
  readonly pings: BoundedPool
}

/**
 * The server that accepts writes, among the hosts of an address. After a failover it is another one: `renew` finds it.
 */
export class Primary {
  readonly #hosts: readonly DatabaseHost[]
  readonly #commandsMax: number
  #pools: Pools
  #renewing: Promise<void> | undefined

  private constructor({ hosts }: DatabaseAddress, host: DatabaseHost, commandsMax: number) {
    this.#hosts = hosts
    this.#commandsMax = commandsMax
    this.#pools = openPools(host, commandsMax)
  }

  /** Finds the primary. Throws the error of the first host if none of them is one, or Pooled. */
  static async find(address: DatabaseAddress, commandsMax: number): Promise<Primary> {
    const primary = new Primary(address, await findPrimary(address.hosts, FIRST_PROBE_MS_MAX), commandsMax)
    try {
      await primary.pools.pings.use(performance.now() + FIRST_PROBE_MS_MAX, assertSettings)
    } catch (error) {
      await primary.close(0)
      throw error
    }
    return primary
  }

  get pools(): Pools {
    return this.#pools
  }

  /**
   * Looks for the primary, if the address has other hosts and these pools are still in use. Rejects if there is none
   * now.
   */
  async renew(failed: Pools): Promise<void> {
    if (this.#hosts.length === 1 || this.#pools !== failed) return
    this.#renewing ??= this.#switch().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Closes all connections. Work that is still in progress after `limitMs` fails. */
  async close(limitMs: number): Promise<void> {
    await closePools(this.#pools, limitMs)
  }

  async #switch(): Promise<void> {
    const host = await findPrimary(this.#hosts, PROBE_MS_MAX)
    if (host === this.#pools.host) return
    const old = this.#pools
    this.#pools = openPools(host, this.#commandsMax)
    // Nobody waits for the pools of a server that may be frozen.
    void closePools(old, 0)
  }
}

function openPools(host: DatabaseHost, commandsMax: number): Pools {
  const open = (connectionsMax: number, lockMs: number, options?: SQL.PostgresOrMySQLOptions): BoundedPool =>
    new BoundedPool({ ...hostOptions(host), ...options, connection: sessionSettings(lockMs) }, connectionsMax)
  return {
    host,
    commands: open(commandsMax, LOCK_MS_MAX),
    lockedCommands: open(LOCKED, LONG_LOCK_MS_MAX),
    reads: open(READS, LONG_LOCK_MS_MAX),
    // A Bun connection keeps every named statement for its lifetime, here and in PostgreSQL (1.3 MB for a list of 60
    // branches). Lists have many texts, so their statements are unnamed and planned again each time, in 0.1 to 1 ms.
    scans: open(SCANS, LONG_LOCK_MS_MAX, { prepare: false }),
    numbering: open(NUMBERING, LONG_LOCK_MS_MAX),
    pings: open(1, LOCK_MS_MAX),
  }
}

async function closePools({ host: _, ...pools }: Pools, limitMs: number): Promise<void> {
  await Promise.all(Object.values(pools).map(pool => pool.close(limitMs)))
}

/** The settings of a session, which the server enforces: it sees a frozen client that cannot keep a deadline itself. */
function sessionSettings(lockMs: number): Record<string, string | number> {
  return {
    application_name: 'petstore',
    statement_timeout: STATEMENT_MS_MAX,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: FROZEN_MS_MAX,
  }
}

/** Returns the first host in the list that accepts writes; asks all at once. Throws the error of the first host. */
export async function findPrimary(
  hosts: readonly DatabaseHost[],
  limitMs = FIRST_PROBE_MS_MAX,
): Promise<DatabaseHost> {
  const answers = await Promise.allSettled(hosts.map(host => acceptsWrites(host, limitMs)))
  const index = answers.findIndex(answer => answer.status === 'fulfilled' && answer.value)
  const found = hosts[index]
  if (found) return found
  const [first] = answers
  if (first?.status === 'rejected') throw first.reason
  throw overloaded(`${hosts.map(({ name }) => name).join(', ')}: no primary, so no writes are possible.`, 5)
}

/** Thrown if the connections do not lead to PostgreSQL itself. */
class Pooled extends Error {
  constructor() {
    super(
      'its sessions do not keep their time limits and prepared statements: ' +
        'connect to PostgreSQL itself, not to a pooler such as PgBouncer',
    )
  }
}

/** Thrown if a host that needs TLS has none. */
class NoTls extends Error {
  constructor({ name }: DatabaseHost) {
    super(`${name} has no TLS: configure it, or add ?sslmode=disable if you trust the network`)
  }
}

async function assertSettings(connection: ReservedSQL): Promise<void> {
  const [row] = await connection.unsafe<{ statement_timeout: string }[]>('SHOW statement_timeout')
  if (row?.statement_timeout !== `${STATEMENT_MS_MAX / 1000}s`) throw new Pooled()
  const [commit] = await connection.unsafe<{ synchronous_commit: string }[]>('SHOW synchronous_commit')
  if (commit?.synchronous_commit === 'off') {
    throw new Error('synchronous_commit is off, so a crash would lose acknowledged orders: set it to on')
  }
}

async function acceptsWrites(host: DatabaseHost, limitMs: number): Promise<boolean> {
  const pool = new BoundedPool({ ...hostOptions(host), connection: sessionSettings(LOCK_MS_MAX) }, 1)
  try {
    return await pool.use(performance.now() + limitMs, isPrimary)
  } catch (error) {
    if (isRefusedSetting(error)) throw new Pooled()
    throw isTlsMissing(error) ? new NoTls(host) : error
  } finally {
    await pool.close()
  }
}

/** Returns whether the server of a connection accepts writes. */
export async function isPrimary(connection: Pick<SQL, 'unsafe'>): Promise<boolean> {
  const [row] = await connection.unsafe<{ transaction_read_only: string }[]>('SHOW transaction_read_only')
  return row?.transaction_read_only === 'off'
}
