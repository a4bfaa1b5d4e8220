import type { Engine } from '../database/engine.ts'
import { UnsupportedVersion } from '../database/migrate.ts'
import { parseDatabaseUrl } from '../database/postgres/database-url.ts'
import type { OutageChange } from '../database/postgres/outage.ts'
import { openSqlite } from '../database/sqlite/engine.ts'
import type { Reply } from '../shop/kernel/idempotency.ts'
import {
  type Command,
  type CommandResult,
  groupingOf,
  rowsOf,
  timeLimitMs,
} from '../shop/registry/commands.ts'
import type { Query } from '../shop/registry/queries.ts'
import { executeCommand, executeQuery, replyForms } from '../shop/registry/run.ts'
import { errorText, type Log } from '../values/log.ts'

export type StoreEngine = Engine<Query, Command, Reply, CommandResult>

export interface EngineOptions {
  readonly databaseUrl?: string | undefined
  /** Returns the password for the database, instead of the one in the URL. */
  readonly databasePassword?: (() => string) | undefined
  readonly directory: string
  readonly log: Log
  /** The tables whose changes SQLite reports to `watchRows`, for a store that is served. */
  readonly watchedTables?: readonly string[] | undefined
  readonly onFatal: (reason: string) => void
  /** The maximum page cache of the writer of SQLite, if it is not the default. */
  readonly writerCacheKib?: number
  /** Whether the engine can drop all its commits, on SQLite. */
  readonly canUndo?: boolean
  /** Whether SQLite starts although commits are missing, or files do not belong together. */
  readonly acceptsLoss?: boolean
}

const LARGE_LOG = 'the write-ahead log grows, because another program reads the database and does not finish'

/** The maximum number of commands that PostgreSQL runs at once for one process. */
const COMMANDS_MAX = 13

/**
 * Opens the store: PostgreSQL if there is a `databaseUrl`, otherwise SQLite in the directory. Throws
 * UnsupportedVersion, the errors of parseDatabaseUrl and of Primary.find, or an error of the driver.
 */
export async function openEngine(options: EngineOptions): Promise<StoreEngine> {
  const { databaseUrl, databasePassword, directory, log, onFatal, watchedTables, canUndo } = options
  const onProgress = (line: string): void => log.info({}, line)
  if (databaseUrl === undefined) {
    return openSqlite({
      directory,
      writer: new URL('./sqlite-writer.ts', import.meta.url),
      reader: new URL('./sqlite-reader.ts', import.meta.url),
      shared: replyForms,
      watchedTables,
      writerCacheKib: options.writerCacheKib,
      canUndo,
      acceptsLoss: options.acceptsLoss,
      onLoss: loss => log.error({ loss }, 'the store goes on with what is there'),
      onLargeLog: canUndo ? undefined : bytes => log.error({ bytes }, LARGE_LOG),
      onFatal,
      onProgress,
    })
  }
  // A store on SQLite needs none of its modules.
  const { openPostgres } = await import('../database/postgres/engine.ts')
  return openPostgres({
    address: parseDatabaseUrl(databaseUrl, databasePassword),
    commandsMax: COMMANDS_MAX,
    timeLimitMs,
    groupingOf,
    rowsOf,
    executeCommand,
    executeQuery,
    random: Math.random,
    onClockDifference: aheadMs => reportClock(log, aheadMs),
    onError: error => log.error({ error: errorText(error) }, 'the sequencer failed'),
    onOutage: change => reportOutage(log, change),
    onProgress,
  })
}

/** Writes a line to the log when an outage of the database begins, and when it ends. */
export function reportOutage(log: Log, change: OutageChange): void {
  if ('lastedMs' in change) log.info({ lastedMs: change.lastedMs }, 'the database responds again')
  else if (change.reason instanceof UnsupportedVersion)
    log.error({ error: change.reason.message }, 'the tables of the database are those of another version')
  else log.error({ error: String(change.reason) }, 'the database does not respond, or accepts no writes')
}

/** Writes a line to the log when the clock of this machine begins to differ from that of the database. */
function reportClock(log: Log, aheadMs: number): void {
  const message =
    'the clock of this machine differs from that of the database: the time of the database is used'
  if (aheadMs === 0) log.info({}, 'the clock agrees with that of the database again')
  else log.error({ aheadSeconds: Math.round(aheadMs / 1000) }, message)
}
