import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { parseDatabaseUrl } from '../../src/database/postgres/database-url.ts'
import { migratePostgres } from '../../src/database/postgres/migrations.ts'
import { embeddedPostgres } from './embedded-postgres.ts'
import { testedEngines } from './engines.ts'
import { freePort } from './free-port.ts'

/** A PostgreSQL server of a test. */
export interface PostgresServer {
  /** The URL without a database. */
  readonly address: string
  readonly directory: string
  /** Ends all its processes at once, without a checkpoint, as a crash does. Then deletes its data. */
  crash(): Promise<void>
}

let running: Promise<PostgresServer> | undefined
let databases = 0
let migrated: Promise<string> | undefined

/** The environment variable with the URL of a server that several processes of one run share. */
export const SHARED_SERVER_VARIABLE = 'TEST_POSTGRES'

/** The environment variable with the major version of PostgreSQL; by default, that of test/package.json. */
export const VERSION_VARIABLE = 'TEST_POSTGRES_VERSION'

/** Creates an empty database on a PostgreSQL server, by default the one of this test run. Returns its URL. */
export async function newDatabase(server?: string): Promise<string> {
  return await createDatabase(server ?? (await sharedServer()))
}

/** Creates a database with the tables of a store. Returns its URL. A copy takes half the time of the migrations. */
export async function newMigratedDatabase(): Promise<string> {
  migrated ??= migrateNewDatabase()
  return await createDatabase(await sharedServer(), `TEMPLATE ${await migrated} STRATEGY file_copy`)
}

/** Returns the name of a new database with the tables of a store. */
async function migrateNewDatabase(): Promise<string> {
  const url = await newDatabase()
  for (const host of parseDatabaseUrl(url).hosts) await migratePostgres(host)
  return new URL(url).pathname.slice(1)
}

async function createDatabase(address: string, source = ''): Promise<string> {
  const name = `store_${process.pid}_${++databases}`
  await using admin = new SQL({ url: `${address}/postgres`, max: 1 })
  await admin.unsafe(`CREATE DATABASE ${name} ${source}`)
  return `${address}/${name}`
}

async function sharedServer(): Promise<string> {
  return process.env[SHARED_SERVER_VARIABLE] ?? (await startPostgres())
}

/** Starts the server of this process, once. Returns its URL. */
export async function startPostgres(): Promise<string> {
  running ??= startPostgresServer()
  return (await running).address
}

/** Stops the server of this process, if it was started, and deletes its data. */
export async function stopPostgres(): Promise<void> {
  const server = await running
  running = undefined
  migrated = undefined
  await server?.crash()
}

/** Starts a server with a new database directory. Each setting is a text such as `wal_level=replica`. */
export async function startPostgresServer(...settings: string[]): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-postgres-'))
  // If this process runs as root, the server runs as another user, which must be able to enter the directory.
  chmodSync(directory, 0o755)
  return startPostgresIn(directory, { isNew: true, settings })
}

/** Starts a server in a directory whose subdirectory `data` has the database. `isNew` creates the database. */
export async function startPostgresIn(
  directory: string,
  { isNew = false, settings = [] }: { isNew?: boolean; settings?: readonly string[] } = {},
): Promise<PostgresServer> {
  if (!testedEngines.includes('postgres'))
    throw new Error(
      `ENGINE=${process.env.ENGINE} excludes PostgreSQL, so a test that starts it must be skipped.`,
    )
  const port = freePort()
  const ready = Promise.withResolvers<void>()
  // A run of all tests has 600 databases. To look for garbage in each once a minute takes a quarter of a processor.
  const usual = ['max_connections=600', 'fsync=off', 'autovacuum_naptime=10min']
  const postgresFlags = [...usual, ...settings].flatMap(setting => ['-c', setting])
  const onLog = (text: string): void => {
    if (text.includes('ready to accept')) ready.resolve()
  }
  const server = await embeddedPostgres(
    { databaseDir: join(directory, 'data'), port, postgresFlags, onLog },
    process.env[VERSION_VARIABLE],
  )
  if (isNew) await server.initialise()
  // The library waits for the message of a primary that is ready. A standby writes another message.
  const started = server.start()
  started.catch(() => {})
  await Promise.race([started, ready.promise])
  return {
    address: `postgres://postgres:postgres@127.0.0.1:${port}`,
    directory,
    crash: async () => {
      const pidFile = join(directory, 'data', 'postmaster.pid')
      // At a signal to this process, the library itself has stopped the server.
      if (existsSync(pidFile)) {
        const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
        const stopped = server.stop()
        // The library requests a fast shutdown, which writes a checkpoint. SIGQUIT requests an immediate shutdown.
        process.kill(pid, 'SIGQUIT')
        await stopped
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
