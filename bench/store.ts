import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../src/client/client.ts'
import type { Range } from './load.ts'
import { type Environment, freePort, pathOf, runCommand, type Server, startServer } from './server.ts'

/** A well-formed key with a correct checksum. All stores listen only on loopback and are deleted after the run. */
export const ADMIN_KEY = 'pst_00000000000000000000000000000000000000000074DLXrg'
export const KEYED = `Authorization: Bearer ${ADMIN_KEY}\r\n`
/** The pets of the demo shop have the ids from 1 to this number. */
export const DEMO_PETS = 349
/** More units of a pet than a benchmark can order. */
const MANY_UNITS = 1_000_000
/** A rate limit that refuses no request. The limiter is enabled, and the length of its headers is constant. */
const RATE_LIMIT = '999999999/86400'
/** The secret key file of stores on PostgreSQL, where every process on one database needs the same key. */
const SECRET_KEY_FILE = pathOf('../test/support/secret-key')
const START_SCRIPT = pathOf('../src/start.sh')
const TMPFS = 0x0102_1994

/** The variables that the script of `npm start` sets for the runtime. Other servers on Bun get the same. */
export const RUNTIME_ENVIRONMENT: Environment = Object.fromEntries(
  [...readFileSync(START_SCRIPT, 'utf8').matchAll(/^export (\w+)="\$\{\1:-([\d.]+)\}"$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)

/** A temporary directory for the files of a benchmark, deleted afterwards. */
export interface TempDirectory extends Disposable {
  readonly path: string
  /** Creates a directory in the temporary directory, and returns its path. */
  folder(name: string): string
}

/** Creates a temporary directory. Throws if it is in memory, where nothing is durable. */
export function openTempDirectory(): TempDirectory {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
  // PostgreSQL does not run as root. If this process does, the user of PostgreSQL must be able to enter the directory.
  chmodSync(directory, 0o755)
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  process.on('exit', remove)
  if (statfsSync(directory).type === TMPFS)
    throw new Error(`${directory} is in memory, where an fsync costs nothing: set TMPDIR to a disk.`)
  return {
    path: directory,
    folder: name => {
      const path = join(directory, name)
      mkdirSync(path)
      return path
    },
    [Symbol.dispose]: () => {
      process.off('exit', remove)
      remove()
    },
  }
}

/** The location of a store: a data directory, and optionally a PostgreSQL database that contains the data instead. */
export interface Place {
  readonly directory: string
  readonly databaseUrl?: string
}

function settingsOf({ directory, databaseUrl }: Place): Environment {
  const ofPostgres = databaseUrl && { DATABASE_URL: databaseUrl, PETSTORE_SECRET_KEY_FILE: SECRET_KEY_FILE }
  return { PETSTORE_DATA: directory, ...ofPostgres }
}

/** Starts the program as `npm start` does, but without npm, with default settings except those that are passed. */
export function startByDefault(
  place: Place,
  environment: Environment = {},
  options: readonly string[] = [],
): Promise<Server> {
  const port = freePort()
  const settings = { ...settingsOf(place), PETSTORE_PORT: String(port), ...environment }
  return startServer(port, ['sh', START_SCRIPT, 'serve', ...options], settings)
}

/** Starts a host of sandboxes as `npm run sandboxes` does, but without npm. */
export function startSandboxHost(directory: string): Promise<Server> {
  const port = freePort()
  return startServer(port, ['sh', START_SCRIPT, 'sandboxes', '--data', directory, '--port', String(port)])
}

/** Starts a store with every feature enabled, whose key is known and whose rate limit refuses nothing. */
export function startStore(
  place: Place,
  environment: Environment = {},
  options: readonly string[] = [],
): Promise<Server> {
  const settings = { PETSTORE_ADMIN_KEY: ADMIN_KEY, PETSTORE_RATE_LIMIT: RATE_LIMIT }
  return startByDefault(place, { ...settings, ...environment }, options)
}

export function clientOf({ port }: Server) {
  return createClient({ baseUrl: `http://127.0.0.1:${port}`, key: ADMIN_KEY })
}

/** Creates a store with the demo shop and `count` pets of many units, and returns their ids. */
export async function makeStore(place: Place, count: number): Promise<Range> {
  await stopAtOnce(startStore(place))
  const rows = Array.from({ length: count }, (_, index) => `Bench pet ${index},Dogs,${MANY_UNITS}`)
  await importPets(place, rows)
  await using server = await startStore(place)
  const { data } = await clientOf(server).listPets({ sort: '-id', limit: 1n })
  return { first: Number(data.items[0]?.id) - count + 1, count }
}

/** Stops a server that was started only to create its store. */
export async function stopAtOnce(started: Promise<Server>): Promise<void> {
  await using _ = await started
}

/** Imports pets into a stopped store: lines with a name, a category and a quantity. */
export async function importPets(place: Place, rows: readonly string[]): Promise<void> {
  const file = join(place.directory, 'bench-pets.csv')
  await Bun.write(file, `name,category,quantity\n${rows.join('\n')}\n`)
  const command = [
    process.execPath,
    pathOf('../src/main.ts'),
    'import',
    '--create-categories',
    '--pets',
    file,
  ]
  await runCommand(command, settingsOf(place))
  rmSync(file)
}

/** Returns the cursor of the second page of a list, with other sort keys, so that its page begins anywhere. */
export async function cursorWith(
  { port }: Server,
  target: string,
  keys: readonly unknown[],
): Promise<string> {
  const link = (await fetch(`http://127.0.0.1:${port}${target}`)).headers.get('Link') ?? ''
  const [, cursor = ''] = /cursor=([\w-]+)>; rel="next"/.exec(link) ?? []
  const [hash]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return Buffer.from(JSON.stringify([hash, ...keys])).toString('base64url')
}
