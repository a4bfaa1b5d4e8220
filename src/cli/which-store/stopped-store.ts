import type { Config } from '../../config.ts'
import { type DataLock, DirectoryInUse, lockDirectory } from '../../database/sqlite/data-lock.ts'
import { type EngineOptions, openEngine, type StoreEngine } from '../../serving/open.ts'
import { CommandFailed, reasonOf, say } from '../terminal/terminal.ts'
import { cannotOpen } from './store-config.ts'

/** A store that a command has opened. A SQLite store is locked against other processes. */
interface StoppedStore extends AsyncDisposable {
  readonly engine: StoreEngine
  /** Closes the store and drops what was done since it was opened; undefined if it was opened without `canUndo`. */
  readonly undo: (() => Promise<void>) | undefined
}

/**
 * Opens a store. If another process has its data directory open, this throws DirectoryInUse, or with `advice`, the
 * sentence that says what to do then, CommandFailed. Throws CommandFailed if the store cannot be opened.
 */
export async function openStopped(
  config: Config,
  {
    advice,
    ...options
  }: Pick<EngineOptions, 'writerCacheKib' | 'canUndo'> & { readonly advice?: string } = {},
): Promise<StoppedStore> {
  const lock = config.databaseUrl === undefined ? lockStopped(config.data, advice) : undefined
  const engine = await openOrFail(config, {
    ...options,
    log: { access: () => {}, info: () => {}, error: fields => say(JSON.stringify(fields)) },
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
  options: Pick<EngineOptions, 'log' | 'onFatal' | 'watchedTables' | 'writerCacheKib' | 'canUndo'>,
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
