import type { Engine, Reading } from './engine/engine.ts'
import { openPostgres, openPostgresReading } from './engine/postgres.ts'
import { openSqlite, openSqliteReading } from './engine/sqlite.ts'
import { type Command, perform } from './shop/commands.ts'
import { answer, type Query } from './shop/queries.ts'
import type { Reply } from './shop/replies.ts'

export type StoreEngine = Engine<Query, Command, Reply>

/** Each call writes one JSON line; `fault` is the value that an internal error was thrown with. */
export interface Log {
  /** Writes a line that is already JSON. */
  access(line: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface EngineOptions {
  readonly databaseUrl?: string | undefined
  readonly directory: string
  readonly log: Log
  readonly onFatal: (reason: string) => void
}

const CONNECTIONS_MAX = 20

/** Opens the store that the settings select. Throws NewerDatabase, or an error of the driver. */
export async function openEngine(options: EngineOptions): Promise<StoreEngine> {
  const { databaseUrl, directory, log, onFatal } = options
  if (databaseUrl === undefined) {
    return openSqlite({
      directory,
      writer: new URL('./writer.ts', import.meta.url),
      reader: new URL('./reader.ts', import.meta.url),
      onFatal,
    })
  }
  return openPostgres({
    url: databaseUrl,
    connectionsMax: CONNECTIONS_MAX,
    perform,
    answer,
    random: Math.random,
    onFault: error => log.error({ fault: faultText(error) }, 'the sequencer failed'),
  })
}

/** A store that is open for reading only. */
export interface OpenReading extends AsyncDisposable {
  readonly reading: Reading
}

/**
 * Opens a store for reading only, while another process may serve it. Throws NewerDatabase, or an error of the
 * driver.
 */
export async function openReading(where: {
  databaseUrl?: string | undefined
  directory: string
}): Promise<OpenReading> {
  const { databaseUrl, directory } = where
  const { reading, close } =
    databaseUrl === undefined ? openSqliteReading(directory) : await openPostgresReading(databaseUrl)
  return { reading, [Symbol.asyncDispose]: close }
}

/** Returns the text of a thrown value, with its stack if it has one. */
export function faultText(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
}
