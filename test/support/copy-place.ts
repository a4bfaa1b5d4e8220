import { Database } from 'bun:sqlite'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import type { EngineName } from './engines.ts'
import { newDatabase } from './postgres-server.ts'
import { childEnvironment, command, type ServerProcess, startProcess } from './process.ts'
import type { RawRow } from './store.ts'
import type { StoreDirectory } from './store-directory.ts'

/** A data directory or database that `petstore copy` reads or writes. Disposing it deletes its data directory. */
export interface CopyPlace extends Disposable {
  /** The value of --from or --to. */
  readonly name: string
  /** The data directory. A store on PostgreSQL has one too. */
  readonly directory: string
  /** Runs SQL on the database, and returns the rows. */
  database(text: string): Promise<RawRow[]>
  /** Serves the place without a demo shop. `secretKeyFile` is the file of the secret key. */
  serve(secretKeyFile?: string): Promise<ServerProcess>
}

/** Returns a place with a data directory that does not exist yet, and on PostgreSQL a new database without tables. */
export async function newCopyPlace(engine: EngineName): Promise<CopyPlace> {
  const parent = mkdtempSync(join(tmpdir(), 'petstore-copy-'))
  const directory = join(parent, 'data')
  const url = engine === 'postgres' ? await newDatabase() : undefined
  return {
    ...placeAt(directory, url),
    [Symbol.dispose]: () => rmSync(parent, { recursive: true, force: true }),
  }
}

/** Returns the place of the store in a store directory, as the source or the target of `petstore copy`. */
export function placeOf({ directory, env }: StoreDirectory): Omit<CopyPlace, keyof Disposable> {
  return placeAt(directory, env.DATABASE_URL)
}

function placeAt(directory: string, url: string | undefined): Omit<CopyPlace, keyof Disposable> {
  return {
    name: url ?? directory,
    directory,
    database: text => query(directory, url, text),
    serve: secretKeyFile =>
      startProcess(['serve', '--port', '0', '--no-demo', '--data', directory], {
        PETSTORE_ALLOW_PRIVATE_WEBHOOKS: 'true',
        PETSTORE_RATE_LIMIT: 'off',
        ...(url && { DATABASE_URL: url }),
        ...(secretKeyFile && { PETSTORE_SECRET_KEY_FILE: secretKeyFile }),
      }),
  }
}

async function query(directory: string, url: string | undefined, text: string): Promise<RawRow[]> {
  if (url !== undefined) {
    await using pool = new SQL({ url, bigint: true, max: 1 })
    return [...(await pool.unsafe<RawRow[]>(text))]
  }
  using database = new Database(databaseFile(directory), { safeIntegers: true, strict: true })
  return database.query<RawRow, []>(text).all()
}

/** Returns whether a place has no database file, or on PostgreSQL no table. */
export async function isUntouched(
  place: Pick<CopyPlace, 'name' | 'directory' | 'database'>,
): Promise<boolean> {
  if (place.name === place.directory) return !existsSync(databaseFile(place.directory))
  const tables = await place.database(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)
  return tables.length === 0
}

/** Starts a copy, calls `interrupt` when it reports its first table, and returns the exit code and the messages. */
export async function interruptedCopy(
  from: string,
  to: string,
  interrupt: (child: Bun.Subprocess) => void,
): Promise<{ exitCode: number; errors: string }> {
  const { line, env } = command(['copy', '--from', from, '--to', to])
  const child = Bun.spawn(line, {
    env: childEnvironment(env),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  let errors = ''
  let isInterrupted = false
  for await (const chunk of child.stderr) {
    errors += new TextDecoder().decode(chunk)
    if (isInterrupted || !errors.includes('rows copied')) continue
    isInterrupted = true
    interrupt(child)
  }
  return { exitCode: await child.exited, errors }
}
