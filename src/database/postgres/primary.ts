import type { ReservedSQL, SQL } from 'bun'
import type { StoreError } from '../../contract/error.ts'
import { overloaded } from '../../contract/refusals.ts'
import { singleFlight } from '../../values/single-flight.ts'
import type { PoolState } from '../engine.ts'
import { BoundedPool } from './bounded-pool.ts'
import type { DatabaseAddress, DatabaseHost } from './database-url.ts'
import { failureOf, isRefusedSetting, isTlsMissing, isUnreachable } from './failure.ts'
import { hostOptions } from './host-options.ts'

/** The time after which the server ends a statement, in milliseconds. The default deadline of a request is later. */
const STATEMENT_MS_MAX = 4000
/** The time that a transaction waits for a lock, in milliseconds. Then the command waits again, in another pool. */
const LOCK_MS_MAX = 250
/** The same for a group of commands. All of them wait, so a group that meets a locked row soon gives up. */
const GROUP_LOCK_MS_MAX = 100
/** The same in the pools for locked commands, reads, lists, and ids and positions. */
const LONG_LOCK_MS_MAX = 2000
/** The time after which the server ends a session that is idle in a transaction: its process is probably frozen. */
const FROZEN_MS_MAX = 2000
/** The time in which a host must say whether it is the primary, in milliseconds. */
const PROBE_MS_MAX = 1500
/** The same at the start of a process, when nobody waits for a response and the network may be slow. */
const FIRST_PROBE_MS_MAX = 10_000

const LONG_READ_CONNECTIONS = 6
const SHORT_READ_CONNECTIONS = 6
/** The connections of commands that wait for a locked row, so that they do not hold connections of other commands. */
const LOCKED_COMMAND_CONNECTIONS = 3
/** Ids and positions have their own connections, because a transaction that waits for an id already holds one. */
const NUMBERING_CONNECTIONS = 2
const PING_CONNECTIONS = 1
/** A process commits one group of commands after another, unless a connection hangs. */
const GROUP_CONNECTIONS = 3

/** The pools of one server, one for each kind of work, so that no kind can take the connections of another. */
export interface Pools {
  readonly host: DatabaseHost
  readonly commands: BoundedPool
  readonly groups: BoundedPool
  readonly lockedCommands: BoundedPool
  readonly shortReads: BoundedPool
  readonly longReads: BoundedPool
  readonly numbering: BoundedPool
  readonly pings: BoundedPool
}

/** The server that accepts writes, among the hosts of an address. After a failover, `renew` finds the new primary. */
export class Primary {
  readonly #hosts: readonly DatabaseHost[]
  readonly #commandsMax: number
  #pools: Pools
  readonly #switchOnce = singleFlight(() => this.#switch())

  private constructor({ hosts }: DatabaseAddress, host: DatabaseHost, commandsMax: number) {
    this.#hosts = hosts
    this.#commandsMax = commandsMax
    this.#pools = openPools(host, commandsMax)
  }

  /**
   * Finds the primary. Throws the errors of findPrimary, and Pooled. Throws an Error if the server does not make
   * commits durable, or if its database has an encoding other than UTF-8 or no schema for the tables.
   */
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

  get poolStates(): Record<string, PoolState> {
    const { host: _, ...pools } = this.#pools
    return Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, pool.state]))
  }

  /** The maximum number of connections of this process. */
  get connectionsMax(): number {
    return connectionsOf(this.#commandsMax)
  }

  /**
   * Looks for the primary, if the address has other hosts and the failed pools are still in use. Rejects if no host is
   * the primary now.
   */
  async renew(failed: Pools): Promise<void> {
    if (this.#hosts.length === 1 || this.#pools !== failed) return
    return this.#switchOnce()
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
    // The old server may be frozen, so nothing waits until its pools are closed.
    void closePools(old, 0)
  }
}

function openPools(host: DatabaseHost, commandsMax: number): Pools {
  const open = (
    connectionsMax: number,
    lockMs: number,
    options?: SQL.PostgresOrMySQLOptions,
  ): BoundedPool => {
    const connection = { ...sessionSettings(lockMs), ...options?.connection }
    return new BoundedPool({ ...hostOptions(host), ...options, connection }, connectionsMax)
  }
  return {
    host,
    commands: open(commandsMax, LOCK_MS_MAX),
    groups: open(GROUP_CONNECTIONS, GROUP_LOCK_MS_MAX),
    lockedCommands: open(LOCKED_COMMAND_CONNECTIONS, LONG_LOCK_MS_MAX),
    shortReads: open(SHORT_READ_CONNECTIONS, LONG_LOCK_MS_MAX),
    // A Bun connection keeps every named statement, up to 1.3 MB each in PostgreSQL. Lists have many texts, so theirs
    // are unnamed.
    longReads: open(LONG_READ_CONNECTIONS, LONG_LOCK_MS_MAX, { prepare: false }),
    // A plan lives as long as its statement: one made while `event_batch` was empty would scan its deleted rows later.
    numbering: open(NUMBERING_CONNECTIONS, LONG_LOCK_MS_MAX, { connection: { enable_seqscan: 'off' } }),
    pings: open(PING_CONNECTIONS, LOCK_MS_MAX),
  }
}

async function closePools({ host: _, ...pools }: Pools, limitMs: number): Promise<void> {
  await Promise.all(Object.values(pools).map(pool => pool.close(limitMs)))
}

/** The settings of a session. The server enforces the time limits, because a frozen process cannot do so itself. */
function sessionSettings(lockMs: number): Record<string, string | number> {
  return {
    application_name: 'petstore',
    statement_timeout: STATEMENT_MS_MAX,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: FROZEN_MS_MAX,
  }
}

/**
 * Returns the first host in the list that accepts writes; asks all at once. If there is none, throws the error of the
 * first host: Pooled, NoTls, Unreachable, or an error of the driver. The error is `overloaded` if the host accepts no
 * writes, or has not responded after `limitMs`.
 */
export async function findPrimary(
  hosts: readonly DatabaseHost[],
  limitMs = FIRST_PROBE_MS_MAX,
): Promise<DatabaseHost> {
  const results = await Promise.allSettled(hosts.map(host => acceptsWrites(host, limitMs)))
  const index = results.findIndex(result => result.status === 'fulfilled' && result.value)
  const found = hosts[index]
  if (found) return found
  const [first] = results
  if (first?.status === 'rejected') throw first.reason
  const names = hosts.map(({ name }) => name).join(', ')
  throw overloaded(
    `${names} accepts no writes: it is a standby, or default_transaction_read_only is on for its user or database.`,
    5,
  )
}

function connectionsOf(commandsMax: number): number {
  const others = LOCKED_COMMAND_CONNECTIONS + SHORT_READ_CONNECTIONS + LONG_READ_CONNECTIONS
  return commandsMax + others + NUMBERING_CONNECTIONS + PING_CONNECTIONS + GROUP_CONNECTIONS
}

/** The refusal if the server has no connection left: for anybody, for the user of the store, or for its database. */
export function noConnectionLeft(connectionsMax: number): StoreError {
  return overloaded(
    `The database has no connection left. A process of the store needs up to ${connectionsMax}; its operator must ` +
      'raise max_connections, or the CONNECTION LIMIT of the user or of the database.',
    2,
  )
}

/** Runs work, and throws `noConnectionLeft` if the server has no connection left for it. */
export async function refusingCrowds<T>(commandsMax: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw failureOf(error) === 'crowded' ? noConnectionLeft(connectionsOf(commandsMax)) : error
  }
}

class Pooled extends Error {
  constructor() {
    super(
      'its sessions do not keep their time limits and prepared statements: ' +
        'connect to PostgreSQL itself, not to a pooler such as PgBouncer',
    )
  }
}

class Unreachable extends Error {
  constructor({ name }: DatabaseHost, { message }: Error) {
    super(`PostgreSQL cannot be reached at ${name} (${message.replace(/\.$/, '').toLowerCase()})`)
  }
}

class NoTls extends Error {
  constructor({ name }: DatabaseHost) {
    super(`${name} has no TLS: configure it, or add ?sslmode=disable if you trust the network`)
  }
}

async function assertSettings(connection: ReservedSQL): Promise<void> {
  const statementLimit = await settingOf(connection, 'statement_timeout')
  if (statementLimit !== `${STATEMENT_MS_MAX / 1000}s`) throw new Pooled()
  if ((await settingOf(connection, 'synchronous_commit')) === 'off') {
    throw new Error('synchronous_commit is off, so a crash would lose acknowledged orders: set it to on')
  }
  const encoding = await settingOf(connection, 'server_encoding')
  if (encoding !== 'UTF8') {
    const remedy = "create the database with ENCODING 'UTF8'"
    throw new Error(`its encoding is ${encoding}, which cannot store every name: ${remedy}`)
  }
  const [schema] = await connection.unsafe<{ name: string | null }[]>('SELECT current_schema() AS name')
  // The schemas of PostgreSQL itself start with pg_. Tables in pg_temp would belong to one connection.
  if (typeof schema?.name !== 'string' || schema.name.startsWith('pg_')) {
    throw new Error(
      `its search_path (${await settingOf(connection, 'search_path')}) does not start with a schema for the tables: ` +
        'set it to an existing schema, such as public',
    )
  }
}

async function acceptsWrites(host: DatabaseHost, limitMs: number): Promise<boolean> {
  const pool = new BoundedPool({ ...hostOptions(host), connection: sessionSettings(LOCK_MS_MAX) }, 1)
  try {
    return await pool.use(performance.now() + limitMs, isPrimary)
  } catch (error) {
    if (isRefusedSetting(error)) throw new Pooled()
    if (isTlsMissing(error)) throw new NoTls(host)
    throw isUnreachable(error) ? new Unreachable(host, error) : error
  } finally {
    await pool.close()
  }
}

/** Returns whether the server of a connection accepts writes. */
export async function isPrimary(connection: Pick<SQL, 'unsafe'>): Promise<boolean> {
  return (await settingOf(connection, 'transaction_read_only')) === 'off'
}

async function settingOf(connection: Pick<SQL, 'unsafe'>, name: string): Promise<string | undefined> {
  const [row] = await connection.unsafe<Readonly<Record<string, string>>[]>(`SHOW ${name}`)
  return row?.[name]
}
