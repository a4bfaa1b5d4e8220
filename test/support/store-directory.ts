import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { type Client, makeClient } from './client.ts'
import type { EngineName } from './engines.ts'
import { newDatabase } from './postgres-server.ts'
import { run, type ServerProcess, startProcess } from './process.ts'
import { deadPort } from './receiver.ts'
import { ADMIN_KEY, type RawRow } from './store.ts'

/** The base URL of the servers that `start` and `startAnother` start, so that all their events have the same source. */
const BASE = 'http://shop.example'

/**
 * The location of the data that all processes of one store use. The data remains when a process ends. Disposing the
 * location deletes the directory.
 */
export interface StoreDirectory extends AsyncDisposable {
  readonly directory: string
  /** The arguments of `petstore serve` for this store, without a port. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Starts a server, always on the same port. `script` replaces `petstore serve`. */
  start(script?: string): Promise<ServerProcess>
  /** Starts a server with these variables instead of `env`, on a free port unless a base URL has one. */
  startWith(env: Readonly<Record<string, string>>, base?: string): Promise<ServerProcess>
  /** Starts an additional server, on its own port. */
  startAnother(): Promise<ServerProcess>
  client(server: ServerProcess): Client
  /** Starts a server, does this work with a client of it, and stops it. */
  use(work?: (client: Client) => Promise<unknown>): Promise<void>
  /** Runs SQL on the database of the servers, and returns the rows. */
  database(text: string): Promise<RawRow[]>
  /** Ends all leases, because a dead process would hold them for up to 30 seconds. */
  endLeases(): Promise<void>
}

export async function newStoreDirectory(engine: EngineName): Promise<StoreDirectory> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-place-'))
  const keyFile = join(directory, 'the-key')
  const url = engine === 'postgres' ? await newDatabase() : undefined
  if (url) await run(['new-secret-key', keyFile])
  const args = ['--data', directory, '--no-demo']
  const env = {
    PETSTORE_ADMIN_KEY: ADMIN_KEY,
    PETSTORE_RATE_LIMIT: 'off',
    PETSTORE_LOG_LEVEL: 'error',
    PETSTORE_ALLOW_PRIVATE_WEBHOOKS: 'true',
    ...(url && { DATABASE_URL: url, PETSTORE_SECRET_KEY_FILE: keyFile }),
  }
  const port = await deadPort()
  const serve = async (serverPort: number): Promise<ServerProcess> => {
    const server = await startProcess(['serve', '--port', `${serverPort}`, '--base-url', BASE, ...args], env)
    return { ...server, base: `http://127.0.0.1:${serverPort}` }
  }
  const database = async (text: string): Promise<RawRow[]> => {
    if (url) {
      await using pool = new SQL({ url, bigint: true, max: 1 })
      return [...(await pool.unsafe<RawRow[]>(text))]
    }
    using file = new Database(databaseFile(directory), { safeIntegers: true, strict: true })
    file.run('PRAGMA busy_timeout = 5000')
    return file.query<RawRow, []>(text).all()
  }
  const client = ({ base }: ServerProcess): Client => makeClient({ base, key: ADMIN_KEY })
  return {
    directory,
    args,
    env,
    start: script => {
      if (!script) return serve(port)
      return startProcess([directory, ADMIN_KEY, `${port}`], { ...(url && { DATABASE_URL: url }) }, script)
    },
    use: async work => {
      await using server = await serve(port)
      await work?.(client(server))
      await server.kill('SIGTERM')
    },
    startWith: (environment, base) =>
      startProcess(['serve', '--port', base ? new URL(base).port : '0', ...args], environment),
    startAnother: async () => serve(await deadPort()),
    client,
    database,
    endLeases: async () => {
      await database(
        `UPDATE webhook SET leased_until = '2026-01-01T00:00:00.000Z' WHERE leased_by IS NOT NULL`,
      )
    },
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true, force: true }),
  }
}
