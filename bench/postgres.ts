import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { embeddedPostgres } from '../test/support/embedded-postgres.ts'
import { freePort } from './child.ts'
import { cpuUsOfTree } from './cpu.ts'

/** A PostgreSQL server with its default settings, on the loopback interface. Disposing it deletes it with its data. */
export interface Postgres extends AsyncDisposable {
  /** The version and the settings on which durability depends, as the server itself reports them. */
  readonly settings: string
  readonly port: number
  /** Creates an empty database and returns its URL. */
  newDatabase(name: string): Promise<string>
  /** Returns the processor time of all processes of the server so far, and the bytes of its write-ahead log. */
  usage(): Promise<Usage>
}

export interface Usage {
  readonly cpuUs: number
  readonly walBytes: number
}

/** Starts a PostgreSQL server in a new directory. Throws if it does not sync its commits. */
export async function startPostgres(directory: string): Promise<Postgres> {
  const port = freePort()
  const databaseDir = join(directory, 'data')
  const server = await embeddedPostgres({
    databaseDir,
    port,
    // Four processes of a store may open more connections than the default allows.
    postgresFlags: ['-c', 'max_connections=250'],
  })
  // If this process runs as root, the server runs as another user, which must be able to enter the directory.
  chmodSync(directory, 0o755)
  await server.initialise()
  await server.start()
  const address = `postgres://postgres:postgres@127.0.0.1:${port}`
  const admin = new SQL({ url: `${address}/postgres`, max: 1 })
  const [postmaster] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')
  return {
    settings: await readSettings(admin),
    port,
    usage: async () => {
      const [row] = await admin.unsafe<{ bytes: string }[]>(
        "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes",
      )
      return { cpuUs: cpuUsOfTree(Number(postmaster)), walBytes: Number(row?.bytes) }
    },
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
  if (fsync !== 'on' || commit !== 'on') throw new Error('this PostgreSQL server does not sync its commits')
  return `PostgreSQL ${await show('server_version')}, fsync=${fsync}, synchronous_commit=${commit}`
}
