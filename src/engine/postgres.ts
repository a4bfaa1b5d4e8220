import { type ReservedSQL, SQL } from 'bun'
import { overloaded } from '../model/refusals.ts'
import { ATTEMPTS_MAX, type Engine, type Noun, type Reader, Stale, type Tx } from './engine.ts'
import { migrate, newerDatabase } from './migrate.ts'
import storeTables from './migrations/postgres/0001-store.sql' with { type: 'text' }
import webhookTables from './migrations/postgres/0002-webhooks.sql' with { type: 'text' }
import keyVersion from './migrations/postgres/0003-key-version.sql' with { type: 'text' }
import plainNames from './migrations/postgres/0004-plain-names.sql' with { type: 'text' }
import orderReference from './migrations/postgres/0005-order-reference.sql' with { type: 'text' }
import eventPet from './migrations/postgres/0006-event-pet.sql' with { type: 'text' }
import totals from './migrations/postgres/0007-totals.sql' with { type: 'text' }
import { PostgresConnection } from './postgres-connection.ts'
import { sequence } from './sequencer.ts'
import { sql } from './statement.ts'

/** The scripts that create the tables, in order. */
export const migrations = [
  storeTables,
  webhookTables,
  keyVersion,
  plainNames,
  orderReference,
  eventPet,
  totals,
]

const readVersion = sql<{ version: bigint | null }>()('SELECT max(version) AS version FROM migration')
const insertVersion = sql()('INSERT INTO migration (version) VALUES ($version)')
const takeIds = sql<{ last: bigint }>()(
  'UPDATE counter SET last = last + $count WHERE noun = $noun RETURNING last',
)

/** The number of ids that a process reserves at a time. Ids that remain when the process stops are never used. */
const ID_BLOCK = 1000n
const NUMBERING_CONNECTIONS = 2
/** The number of connections for lists and summaries, in addition to the other connections. */
const CONNECTIONS_OF_SCANS = 6
/** The n-th repetition is delayed by a random time of at most 2^n times this (full jitter). */
const BACKOFF_MS = 5

export interface PostgresOptions<Query, Command, Reply, Result = Reply> {
  readonly url: string
  readonly connectionsMax: number
  readonly executeQuery: (reader: Reader, query: Query) => Promise<Reply>
  readonly executeCommand: (tx: Tx, command: Command) => Promise<Result>
  /** Returns a number from 0 to 1, for the jitter. */
  readonly random: () => number
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE'
  readonly onFault: (error: unknown) => void
}

/** Migrates and opens a store on PostgreSQL 14 or later, with bounded pools. Throws NewerDatabase. */
export async function openPostgres<Query, Command, Reply, Result = Reply>(
  options: PostgresOptions<Query, Command, Reply, Result>,
): Promise<Engine<Query, Command, Reply, Result>> {
  const pool = new SQL({ url: options.url, bigint: true, max: options.connectionsMax })
  await migratePool(pool)
  const reader = new PostgresConnection(pool)
  // A Bun connection keeps every named statement for its lifetime, here and in PostgreSQL (1.3 MB for a list of 60
  // branches). Lists have many texts, so their statements are unnamed and planned again each time, in 0.1 to 1 ms.
  const scans = new SQL({ url: options.url, bigint: true, max: CONNECTIONS_OF_SCANS, prepare: false })
  const scanning = new PostgresConnection(scans)
  // Ids and positions have connections of their own, because a transaction that waits for an id already holds a
  // connection of the pool.
  const numberingPool = new SQL({ url: options.url, bigint: true, max: NUMBERING_CONNECTIONS })
  const ids = new IdBlocks(new PostgresConnection(numberingPool))
  const begin = `BEGIN ISOLATION LEVEL ${options.isolation ?? 'READ COMMITTED'}`
  const watchers = new Set<() => void>()
  const notifyAll = (): void => {
    for (const notify of watchers) notify()
  }
  const sequencer = sequence(numberingPool, notifyAll, options.onFault)

  async function attempt(command: Command): Promise<Result> {
    const connection = await pool.reserve()
    try {
      await connection.unsafe(begin)
      const result = await options.executeCommand(new PostgresTx(connection, ids), command)
      await connection.unsafe('COMMIT')
      return result
    } catch (error) {
      // A lost connection has nothing to roll back. The error that ended the command is the one to report.
      await connection.unsafe('ROLLBACK').catch(() => {})
      throw error
    } finally {
      connection.release()
    }
  }

  async function execute(command: Command): Promise<Result> {
    for (let attempts = 1; ; attempts++) {
      try {
        const result = await attempt(command)
        sequencer.wake()
        return result
      } catch (error) {
        if (!isTransient(error)) throw error
        if (attempts === ATTEMPTS_MAX) {
          throw overloaded('Too many commands compete for the same rows; try again shortly.', 10)
        }
        await Bun.sleep(options.random() * BACKOFF_MS * 2 ** attempts)
      }
    }
  }

  return {
    name: 'postgres',
    readRow: work => work(reader),
    readScan: query => options.executeQuery(scanning, query),
    execute,
    watch: listener => {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    ping: async () => {
      await pool.unsafe('SELECT 1')
    },
    close: async () => {
      await sequencer.close()
      await Promise.all([pool.close(), scans.close(), numberingPool.close()])
    },
  }
}

/** Opens a store for reading only. Throws NewerDatabase, or an Error if the database must be migrated first. */
export async function openPostgresReader(url: string): Promise<{ reader: Reader; close(): Promise<void> }> {
  const pool = new SQL({ url, bigint: true, max: 1 })
  const reader = new PostgresConnection(pool)
  try {
    const version = await versionOf(reader)
    if (version > migrations.length) throw newerDatabase(version, migrations.length)
    if (version < migrations.length) {
      throw new Error(
        `it is at version ${version}, but this petstore reads version ${migrations.length}: start it once to migrate`,
      )
    }
  } catch (error) {
    await pool.close()
    throw error
  }
  return { reader, close: () => pool.close() }
}

class PostgresTx extends PostgresConnection implements Tx {
  readonly #ids: IdBlocks

  constructor(connection: ReservedSQL, ids: IdBlocks) {
    super(connection)
    this.#ids = ids
  }

  nextId(noun: Noun): bigint | Promise<bigint> {
    return this.#ids.next(noun)
  }

  /** Returns null, because commits are not in order here. The sequencer numbers events after they are committed. */
  numberEvent(): null {
    return null
  }
}

/**
 * Ids from blocks that are reserved outside the transactions that use the ids, so no transaction waits for another one.
 */
class IdBlocks {
  readonly #connection: PostgresConnection
  readonly #blocks = new Map<Noun, { next: bigint; end: bigint }>()
  readonly #reserving = new Map<Noun, Promise<void>>()

  constructor(connection: PostgresConnection) {
    this.#connection = connection
  }

  next(noun: Noun): bigint | Promise<bigint> {
    const block = this.#blocks.get(noun)
    if (block && block.next < block.end) return block.next++
    return this.#reserveThenNext(noun)
  }

  async #reserveThenNext(noun: Noun): Promise<bigint> {
    let reserving = this.#reserving.get(noun)
    if (!reserving) {
      reserving = this.#reserve(noun).finally(() => this.#reserving.delete(noun))
      this.#reserving.set(noun, reserving)
    }
    await reserving
    return this.next(noun)
  }

  async #reserve(noun: Noun): Promise<void> {
    const row = await this.#connection.one(takeIds, { noun, count: ID_BLOCK })
    if (!row) throw new Error(`the table counter has no row for ${noun}`)
    this.#blocks.set(noun, { next: row.last - ID_BLOCK + 1n, end: row.last + 1n })
  }
}

/**
 * Runs the missing migrations. Only one process migrates at a time; the others wait for the lock on the version table.
 */
async function migratePool(pool: SQL): Promise<void> {
  await pool
    .unsafe('CREATE TABLE IF NOT EXISTS migration (version BIGINT NOT NULL PRIMARY KEY)')
    .catch(error => {
      // Two processes that create the table at once collide on its name, its row type or a catalog key. The table then
      // exists.
      if (!['42P07', '42710', '23505'].includes(sqlState(error))) throw error
    })
  await pool.begin(async transaction => {
    const connection = new PostgresConnection(transaction)
    await transaction.unsafe('LOCK TABLE migration IN ACCESS EXCLUSIVE MODE')
    await migrate(
      {
        version: () => versionOf(connection),
        apply: async (script, version) => {
          await transaction.unsafe(script)
          await connection.run(insertVersion, { version: BigInt(version) })
        },
      },
      migrations,
    )
  })
}

async function versionOf(connection: PostgresConnection): Promise<number> {
  const row = await connection.one(readVersion)
  return Number(row?.version ?? 0n)
}

/**
 * Returns whether a command may succeed if it runs again: after a serialization failure, a deadlock or a Stale row.
 */
function isTransient(error: unknown): boolean {
  return error instanceof Stale || ['40001', '40P01'].includes(sqlState(error))
}

function sqlState(error: unknown): string {
  return error instanceof SQL.PostgresError ? (error.errno ?? '') : ''
}
