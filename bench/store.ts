import { Database } from 'bun:sqlite'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import { freePort, programFile, type ServerProcess, startServerProcess } from './child.ts'

/** A well-formed key with a correct checksum. All stores listen only on loopback and are deleted after the run. */
export const ADMIN_KEY = 'pst_00000000000000000000000000000000000000000074DLXrg'

/**
 * The id of the first pet that a benchmark inserts. It is so high that all these ids have the same number of digits.
 */
export const PET_ID_FIRST = 1_000_001

/** A rate limit that refuses no request. The limiter is enabled, and the length of its headers is constant. */
const RATE_LIMIT = '999999999/86400'

const TMPFS = 0x0102_1994

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
  if (statfsSync(directory).type === TMPFS) {
    throw new Error(
      `${directory} is in memory, where an fsync costs nothing: set TMPDIR to a directory on a disk.`,
    )
  }
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

/** The secret key file of stores on PostgreSQL, where every process on one database needs the same key. */
const SECRET_KEY_FILE = programFile('../test/support/secret-key')

/** The location of a store: a data directory, and optionally a PostgreSQL database that contains the data instead. */
export interface Place {
  readonly directory: string
  readonly databaseUrl?: string
}

/** The options with which the script of `npm start` runs Bun. */
const BUN_OPTIONS = ['--no-env-file', '--config=/dev/null']

/** The environment variables that the script of `npm start` sets for the store. */
export const START_ENVIRONMENT = startEnvironment(readFileSync(programFile('../src/start.sh'), 'utf8'))

/** Returns the variables that the script sets. Throws if it has a line that this function does not know. */
export function startEnvironment(script: string): Readonly<Record<string, string>> {
  const lines = script.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const pairs = lines.slice(0, -1).map(line => {
    const [, name, value] = /^export (\w+)="\$\{\1:-([\d.]+)\}"$/.exec(line) ?? []
    if (!name || !value) throw new Error(`unknown line in the start script: ${line}`)
    return [name, value]
  })
  const command = `exec bun ${BUN_OPTIONS.join(' ')} "$(dirname "$0")/main.ts" serve "$@"`
  if (lines.at(-1) !== command) throw new Error(`unknown command in the start script: ${lines.at(-1)}`)
  return Object.fromEntries(pairs)
}

interface StartOptions {
  /** A program of this directory to load first. */
  readonly preload?: string
  readonly cache?: 'on' | 'off'
  /** Whether an empty store gets the demo shop. */
  readonly demo?: boolean
}

/** Starts the program itself, `petstore serve`, with every feature enabled, except the cache if `cache` is off. */
export function startStore(
  { directory, databaseUrl }: Place,
  { preload, cache = 'on', demo = true }: StartOptions = {},
): Promise<ServerProcess> {
  const port = freePort()
  return startServerProcess(
    [
      ...BUN_OPTIONS,
      ...(preload ? ['--preload', programFile(preload)] : []),
      programFile('../src/main.ts'),
      'serve',
    ],
    {
      ...START_ENVIRONMENT,
      PETSTORE_DATA: directory,
      PETSTORE_PORT: String(port),
      PETSTORE_ADMIN_KEY: ADMIN_KEY,
      PETSTORE_RATE_LIMIT: RATE_LIMIT,
      PETSTORE_CACHE: cache,
      PETSTORE_DEMO: String(demo),
      ...(databaseUrl && { DATABASE_URL: databaseUrl, PETSTORE_SECRET_KEY_FILE: SECRET_KEY_FILE }),
    },
    port,
  )
}

/** Creates a store with the demo shop, and stops its server. */
export async function makeStore(place: Place): Promise<void> {
  await using _ = await startStore(place)
}

/**
 * Returns the statements, for both engines, that insert `pets` pets into category 1. The pets have more units than a
 * benchmark can order; with `mixed` stock, every fourth pet is sold.
 */
export function fillStatements(pets: number, stock: 'available' | 'mixed'): readonly string[] {
  const sold = stock === 'mixed' ? 'i % 4 = 3' : '1 = 0'
  return [
    `INSERT INTO pet (id, name, name_key, sort_key, category_id, on_hold, quantity, reserved, status, version,
       created_at, updated_at)
     WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${pets - 1})
     SELECT ${PET_ID_FIRST} + i, 'Bench pet ' || i, 'bench pet ' || i, 'bench pet ' || i, 1, 0,
       CASE WHEN ${sold} THEN 0 ELSE 1000000000 END, 0, CASE WHEN ${sold} THEN 'sold' ELSE 'available' END, 1,
       '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM n`,
    `UPDATE total SET value = (SELECT CAST(sum(quantity) AS BIGINT) FROM pet) WHERE name = 'units/onHand'`,
    `UPDATE total SET value = (SELECT count(*) FROM pet WHERE status = substr(name, 6)) WHERE name LIKE 'pets/%'`,
    `UPDATE category SET pet_count = pet_count + ${pets} WHERE id = 1`,
    `UPDATE counter SET last = ${PET_ID_FIRST + pets} WHERE noun = 'pet'`,
  ]
}

/** Creates a store on SQLite with the demo shop and `pets` additional pets; returns its location. */
export async function makeSqliteStore(
  directory: string,
  pets: number,
  stock: 'available' | 'mixed',
): Promise<Place> {
  await makeStore({ directory })
  using database = new Database(databaseFile(directory))
  if (pets > 0) for (const statement of fillStatements(pets, stock)) database.run(statement)
  return { directory }
}
