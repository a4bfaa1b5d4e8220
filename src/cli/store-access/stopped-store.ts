import type { Config } from '../../config.ts'
import { postgresMigrations, sqliteMigrations } from '../../database/migrations/migrations.ts'
import { parseDatabaseUrl } from '../../database/postgres/database-url.ts'
import { type DataLock, DirectoryInUse, lockDirectory } from '../../database/sqlite/data-lock.ts'
import { sqliteVersion } from '../../database/sqlite/engine.ts'
import { type EngineOptions, openEngine, type StoreEngine } from '../../serving/open.ts'
import { CommandFailed, reasonOf, say } from '../terminal/terminal.ts'
import { cannotOpen, hasDatabase } from './store-config.ts'

/** A store that a command has opened. A SQLite store is locked against other processes. */
interface StoppedStore extends AsyncDisposable {
  readonly engine: StoreEngine
  /** Closes the store and drops what was done since it was opened; undefined if it was opened without `canUndo`. */
  readonly undo: (() => Promise<void>) | undefined
}

/**
 * Opens a store. If another process has its data directory open, this throws DirectoryInUse, or with `advice`, the
 * sentence that says what to do then, CommandFailed. Throws CommandFailed if the store cannot be opened, or if it lacks
 * a migration, unless it `migrates`: an upgrade cannot be undone, so only a start and `migrate` do it.
 */
export async function openStopped(
  config: Config,
  {
    advice,
    migrates = false,
    ...options
  }: Pick<EngineOptions, 'writerCacheKib' | 'canUndo'> & {
    readonly advice?: string
    readonly migrates?: boolean
  } = {},
): Promise<StoppedStore> {
  const lock = config.databaseUrl === undefined ? lockStopped(config.data, advice) : undefined
  const hasStore = config.databaseUrl !== undefined || hasDatabase(config.data)
  if (hasStore && !migrates) await databaseVersion(config, true)
  const engine = await openOrFail(config, {
    ...options,
    log: {
      access: () => {},
      info: (_, message) => say(message),
      error: fields => say(JSON.stringify(fields)),
    },
    onFatal: reason => {
      say(`The store cannot continue: ${reason}`)
      process.exit(1)
    },
  })
  const closeWith = async (close: () => Promise<void>): Promise<void> => {
    await close().catch(error => say(reasonOf(error)))
    lock?.release()
  }
  const { undo } = engine
  return {
    engine,
    undo: undo && (() => closeWith(undo)),
    [Symbol.asyncDispose]: () => closeWith(engine.close),
  }
}

/** Opens the engine that the settings select. Throws CommandFailed if the database cannot be opened. */
export async function openOrFail(
  config: Config,
  options: Pick<
    EngineOptions,
    'log' | 'onFatal' | 'watchedTables' | 'writerCacheKib' | 'canUndo' | 'acceptsLoss'
  >,
): Promise<StoreEngine> {
  try {
    const { databaseUrl, databasePassword, data: directory } = config
    return await openEngine({ databaseUrl, databasePassword, directory, ...options })
  } catch (error) {
    throw cannotOpen(config, error)
  }
}

/**
 * Locks the data directory of a stopped store. If a process has it open, this throws DirectoryInUse, or with `advice`,
 * the sentence that says what to do then, CommandFailed. Throws CommandFailed if the directory cannot be written.
 */
export function lockStopped(directory: string, advice?: string): DataLock {
  try {
    return lockDirectory(directory)
  } catch (error) {
    if (!(error instanceof DirectoryInUse))
      throw new CommandFailed(`The data directory ${directory} cannot be written: ${reasonOf(error)}.`)
    throw advice === undefined ? error : new CommandFailed(`${error.message} ${advice}`)
  }
}

/** The version of a database, 0 if it has no store. */
interface DatabaseVersion {
  readonly version: number
  /** The version that this program knows. */
  readonly known: number
  /** The number of migrations that the database lacks. */
  readonly missing: number
}

/**
 * Returns the version of the database of a store. Throws CommandFailed, also if the version is not supported, or if
 * `isCurrent` and the store lacks a migration.
 */
export async function databaseVersion(config: Config, isCurrent = false): Promise<DatabaseVersion> {
  const { databaseUrl, databasePassword, data } = config
  try {
    const [version, migrations] =
      databaseUrl === undefined
        ? [sqliteVersion(data), sqliteMigrations]
        : [await versionOnPostgres(databaseUrl, databasePassword), postgresMigrations]
    if (isCurrent && version > 0) migrations.requireCurrent(version)
    return { version, known: migrations.version, missing: migrations.missingIn(version).length }
  } catch (error) {
    throw cannotOpen(config, error)
  }
}

async function versionOnPostgres(url: string, password: Config['databasePassword']): Promise<number> {
  const { postgresVersion } = await import('../../database/postgres/engine.ts')
  return postgresVersion(parseDatabaseUrl(url, password))
}
