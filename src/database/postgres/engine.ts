import { type ReservedSQL, SQL } from 'bun'
import { noNumberLeft } from '../../contract/refusals.ts'
import type { Engine, Noun, Reader, Tx } from '../engine.ts'
import type { OnProgress } from '../migrate.ts'
import { sql } from '../statement.ts'
import { PostgresConnection } from './connection.ts'
import { DatabaseClock } from './database-clock.ts'
import type { DatabaseAddress } from './database-url.ts'
import { Executions } from './executions.ts'
import { GroupCommit, type Grouping } from './group-commit.ts'
import { hostOptions } from './host-options.ts'
import { IdBlocks } from './id-blocks.ts'
import { LockedRows } from './locked-rows.ts'
import { exclusively, migratePostgres, storeVersionOf } from './migrations.ts'
import type { OutageChange } from './outage.ts'
import { findPrimary, Primary, refusingCrowds } from './primary.ts'
import { PostgresRunner } from './runner.ts'
import { startSequencer } from './sequencer.ts'
import { PostgresTx } from './transaction.ts'

const takeIds = sql<{ last: bigint }>()(`
  UPDATE counter SET last = last + $count WHERE noun = $noun AND last <= 9223372036854775807 - $count
  RETURNING last`)

const databaseSize = sql<{ bytes: bigint }>()('SELECT pg_database_size(current_database()) AS bytes')

/** The time in which ids must be reserved and events numbered, in milliseconds. */
const NUMBERING_MS_MAX = 4000
/** The time that the work in progress gets when the engine closes, in milliseconds. */
const CLOSE_MS_MAX = 5000

export interface PostgresOptions<Query, Command, Reply, Result = Reply> {
  readonly address: DatabaseAddress
  /** The maximum number of commands that run at once. */
  readonly commandsMax: number
  readonly executeQuery: (reader: Reader, query: Query) => Promise<Reply>
  readonly executeCommand: (tx: Tx, command: Command) => Promise<Result>
  /** Returns the time that a command may take, in milliseconds; undefined for the usual time. */
  readonly timeLimitMs?: (command: Command) => number | undefined
  /** Returns how a command can commit together with others; undefined if it cannot. */
  readonly groupingOf?: (command: Command) => Grouping | undefined
  /** Returns names of the rows that a command names by an id. */
  readonly rowsOf?: (command: Command) => readonly string[]
  /** Returns a number from 0 to 1, for the jitter. */
  readonly random: () => number
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE'
  /** The clock of this machine; `Date.now` by default. */
  readonly localClock?: () => number
  /** Called when the clock of this machine differs from that of the database: how far it is ahead. */
  readonly onClockDifference?: (aheadMs: number) => void
  readonly onError: (error: unknown) => void
  /** Called when the database stops responding or accepting writes, and when it works again. */
  readonly onOutage: (change: OutageChange) => void
  readonly onProgress?: OnProgress | undefined
}

/**
 * Migrates and opens a store on PostgreSQL 15 or later, with bounded pools. Throws UnsupportedVersion, and the errors
 * of Primary.find.
 */
export async function openPostgres<Query, Command, Reply, Result = Reply>(
  options: PostgresOptions<Query, Command, Reply, Result>,
): Promise<Engine<Query, Command, Reply, Result>> {
  const { address, commandsMax, executeQuery, isolation, random, onError } = options
  const starting = <T>(work: () => Promise<T>): Promise<T> => refusingCrowds(commandsMax, work)
  const primary = await starting(() => Primary.find(address, commandsMax))
  await starting(() => migratePostgres(primary.pools.host, options.onProgress))
  const useNumbering = <T>(work: (connection: ReservedSQL) => Promise<T>): Promise<T> =>
    primary.pools.numbering.use(performance.now() + NUMBERING_MS_MAX, work)
  const ids = new IdBlocks((noun, count) => useNumbering(connection => reserveIds(connection, noun, count)))
  const clock = await DatabaseClock.start({
    read: () => starting(() => primary.pools.pings.use(performance.now() + NUMBERING_MS_MAX, readClock)),
    local: options.localClock ?? Date.now,
    onDifference: options.onClockDifference ?? (() => {}),
  })
  const executions = new Executions(useNumbering, clock.now)
  const watchers = new Set<(commands: number) => void>()
  const notifyAll = (): void => {
    for (const listener of watchers) listener(1)
  }
  const sequencer = startSequencer(
    work => useNumbering(connection => inTransaction(connection, work)),
    notifyAll,
    onError,
  )
  const lockedRows = new LockedRows()
  const runner = new PostgresRunner({
    primary,
    executions,
    lockedRows,
    isolation,
    random,
    onOutage: options.onOutage,
  })
  const openTx = (connection: ReservedSQL): PostgresTx => new PostgresTx(connection, ids, sequencer)
  const execute = commandRunner(runner, openTx, lockedRows, options)
  return {
    name: 'postgres',
    clock: clock.now,
    readShort: <Result>(work: (reader: Reader) => Result) =>
      runner.read('shortReads', async (reader): Promise<Awaited<Result>> => await work(reader)),
    readLong: query => runner.read('longReads', reader => executeQuery(reader, query)),
    execute: async command => {
      const result = await execute(command)
      sequencer.wake()
      return result
    },
    watch: listener => {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    exclusively: work => starting(() => exclusively(primary.pools.host, work)),
    ping: () => runner.ping(),
    storageState: async responds => ({
      pools: primary.poolStates,
      clockAheadMs: clock.aheadMs,
      databaseBytes: responds ? await runner.read('shortReads', readSize).catch(() => undefined) : undefined,
    }),
    close: async () => {
      clock.close()
      runner.close()
      await sequencer.close()
      await executions.close()
      await primary.close(CLOSE_MS_MAX)
    },
  }
}

/** Returns the function that runs a command: in a transaction of its own, or together with others. */
function commandRunner<Command, Result>(
  runner: PostgresRunner,
  openTx: (connection: ReservedSQL) => PostgresTx,
  lockedRows: LockedRows,
  options: Pick<
    PostgresOptions<never, Command, never, Result>,
    'executeCommand' | 'timeLimitMs' | 'groupingOf' | 'rowsOf'
  >,
): (command: Command) => Promise<Result> {
  const { executeCommand, timeLimitMs, groupingOf, rowsOf = () => [] } = options
  const runAlone = (command: Command, dueMs?: number): Promise<Result> => {
    const run = async (connection: ReservedSQL): Promise<Result> => {
      const tx = openTx(connection)
      try {
        const result = await executeCommand(tx, command)
        await tx.written()
        return result
      } catch (error) {
        // After a write that failed, each statement fails: the error of the write is the one to report.
        await tx.sent()
        throw error
      }
    }
    return runner.execute(run, { timeLimitMs: timeLimitMs?.(command), dueMs, rows: rowsOf(command) })
  }
  const group = new GroupCommit<Command, Result>({
    commit: (work, dueMs) => runner.execute(work, { dueMs, isGroup: true }),
    openTx,
    executeCommand,
    runAlone,
    lockedRows,
    rowsOf,
  })
  return command => {
    const grouping = groupingOf?.(command)
    return grouping === undefined ? runAlone(command) : group.execute(command, grouping)
  }
}

async function readClock(connection: ReservedSQL): Promise<number> {
  const [row] = await connection.unsafe<{ ms: unknown }[]>(
    'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms',
  )
  return Number(row?.ms)
}

async function readSize(reader: Reader): Promise<number> {
  return Number((await reader.one(databaseSize))?.bytes)
}

async function reserveIds(connection: ReservedSQL, noun: Noun, count: bigint): Promise<bigint> {
  const row = await new PostgresConnection(connection).one(takeIds, { noun, count })
  if (!row) throw noNumberLeft(`id for another ${noun}`)
  return row.last
}

async function inTransaction<T>(
  connection: ReservedSQL,
  work: (connection: ReservedSQL) => Promise<T>,
): Promise<T> {
  try {
    await connection.unsafe('BEGIN ISOLATION LEVEL READ COMMITTED')
    const result = await work(connection)
    await connection.unsafe('COMMIT')
    return result
  } catch (error) {
    await connection.unsafe('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * Returns the number of the last migration of a database; 0 if it has no store. Throws the errors of findPrimary and of
 * the driver.
 */
export async function postgresVersion({ hosts }: DatabaseAddress): Promise<number> {
  await using pool = new SQL({ ...hostOptions(await findPrimary(hosts)), max: 1 })
  return await storeVersionOf(new PostgresConnection(pool))
}
