import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob, SQL } from 'bun'
import { z } from 'zod'
import { missingOrders, startBuyers } from './support/buyers.ts'
import { deadPort } from './support/receiver.ts'
import { makePet } from './support/shop.ts'
import { openTestStore } from './support/store.ts'
import { until } from './support/until.ts'

// `npm run prove:cluster` kills the primary of a Patroni cluster while orders are placed, and counts the lost ones. It
// says which Debian packages are missing.

const NODES = 3
/** The lifetime of the primary's lock: the shortest that Patroni accepts. */
const TTL_SECONDS = 20
/** The interval of Patroni's checks, and the time limit of its retries. Patroni accepts no shorter time limit. */
const LOOP_SECONDS = 3
/** The time limit for a node to become the primary: much longer than the lifetime of the lock. */
const PRIMARY_MS_MAX = 180_000

const { values } = parseArgs({ options: { failovers: { type: 'string', default: '20' } } })
const failovers = Number(values.failovers)
const [initdb] = [...new Glob('/usr/lib/postgresql/*/bin/initdb').scanSync({ cwd: '/', absolute: true })]
  .sort()
  .reverse()
const missing = ['patroni', 'etcd', 'setpriv'].filter(tool => Bun.which(tool) === null)
if (!initdb || missing.length > 0) {
  process.stdout.write(
    `Skipped: ${[...missing, ...(initdb ? [] : ['postgresql'])].join(', ')} not installed.\n`,
  )
  process.exit(0)
}

const directory = mkdtempSync(join(tmpdir(), 'petstore-cluster-'))
chmodSync(directory, 0o777)
const children: Bun.Subprocess[] = []

/** Starts a program in a new session. Root starts it as the user postgres, because PostgreSQL cannot run as root. */
function startProgram(command: string[]): Bun.Subprocess {
  const asUser = ['setsid', 'setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command]
  const log = Bun.file(join(directory, `log${children.length}`))
  const child = Bun.spawn(process.getuid?.() === 0 ? asUser : ['setsid', ...command], {
    cwd: directory,
    stdin: 'ignore',
    stdout: log,
    stderr: log,
  })
  children.push(child)
  return child
}

interface Node {
  readonly name: string
  readonly port: number
  readonly api: string
  readonly config: string
  patroni: Bun.Subprocess
}

const etcdPort = await deadPort()
const peerPort = await deadPort()
mkdirSync(join(directory, 'etcd'), { mode: 0o777 })
chmodSync(join(directory, 'etcd'), 0o777)
startProgram([
  'etcd',
  ...['--data-dir', join(directory, 'etcd/data'), '--unsafe-no-fsync'],
  ...['--listen-client-urls', `http://127.0.0.1:${etcdPort}`],
  ...['--advertise-client-urls', `http://127.0.0.1:${etcdPort}`],
  ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`],
])

async function startNode(index: number): Promise<Node> {
  const name = `node${index}`
  const port = await deadPort()
  const apiPort = await deadPort()
  const config = join(directory, `${name}.json`)
  const user = (username: string) => ({ username, password: 'postgres' })
  const settings = {
    scope: 'petstore',
    name,
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: TTL_SECONDS,
        loop_wait: LOOP_SECONDS,
        retry_timeout: LOOP_SECONDS,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, wal_log_hints: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(directory, name),
      pgpass: join(directory, `${name}.pgpass`),
      bin_dir: join(initdb ?? '', '..'),
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      parameters: { unix_socket_directories: directory },
      authentication: {
        superuser: user('postgres'),
        replication: user('replicator'),
        rewind: user('rewinder'),
      },
    },
  }
  writeFileSync(config, JSON.stringify(settings))
  return {
    name,
    port,
    api: `http://127.0.0.1:${apiPort}`,
    config,
    patroni: startProgram(['patroni', config]),
  }
}

/** Returns the role of a node, as its Patroni reports it; '' if it does not respond. */
async function roleOf({ api }: Node): Promise<string> {
  try {
    const response = await fetch(`${api}/patroni`, { signal: AbortSignal.timeout(1000) })
    return String(Object(await response.json()).role ?? '')
  } catch {
    return ''
  }
}

async function primaryOf(nodes: readonly Node[]): Promise<Node | undefined> {
  const roles = await Promise.all(nodes.map(roleOf))
  return nodes.find((_, index) => ['master', 'primary'].includes(roles[index] ?? ''))
}

/** Returns the primary as soon as a node reports that it is the primary. Throws after PRIMARY_MS_MAX. */
async function waitForPrimary(nodes: readonly Node[]): Promise<Node> {
  const deadlineMs = performance.now() + PRIMARY_MS_MAX
  while (performance.now() < deadlineMs) {
    const primary = await primaryOf(nodes)
    if (primary) return primary
    await Bun.sleep(100)
  }
  throw new Error(`no node has reported within ${PRIMARY_MS_MAX / 1000} s that it is the primary`)
}

/** Returns whether one of the nodes is a standby that each commit waits for. */
async function hasSynchronousStandby(nodes: readonly Node[]): Promise<boolean> {
  const answers = nodes.map(({ api }) =>
    fetch(`${api}/synchronous`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return (await Promise.all(answers)).includes(true)
}

const Members = z.object({ members: z.object({ role: z.string(), state: z.string() }).array() })

/** Returns whether every node runs, and one of them is a standby that each commit waits for. */
async function isComplete(nodes: readonly Node[]): Promise<boolean> {
  const primary = await primaryOf(nodes)
  if (!primary || !(await hasSynchronousStandby(nodes))) return false
  const response = await fetch(`${primary.api}/cluster`, { signal: AbortSignal.timeout(1000) }).catch(
    () => undefined,
  )
  const cluster = Members.safeParse(await response?.json().catch(() => undefined))
  const running =
    cluster.data?.members.filter(({ state }) => state === 'running' || state === 'streaming') ?? []
  return running.length === NODES
}

const nodes: Node[] = []
for (let index = 0; index < NODES; index++) nodes.push(await startNode(index))
try {
  await until('the cluster has a synchronous standby', async () => hasSynchronousStandby(nodes), 180_000)
  const first = await waitForPrimary(nodes)
  const database = `petstore_${process.pid}`
  const address = `postgres://postgres:postgres@127.0.0.1:${first.port}`
  {
    await using admin = new SQL({ url: `${address}/postgres`, max: 1 })
    await admin.unsafe(`CREATE DATABASE ${database}`)
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  await using store = await openTestStore('postgres', {
    databaseUrl: `postgres://postgres:postgres@${hosts}/${database}`,
  })
  const { petId } = await makePet(store.client, { quantity: 1_000_000n })
  const { acknowledged, stop } = startBuyers(store, petId)
  const gapsMs: number[] = []
  for (let failover = 1; failover <= failovers; failover++) {
    await until('all nodes run, and one is a synchronous standby', async () => isComplete(nodes), 180_000)
    const primary = await waitForPrimary(nodes)
    const before = acknowledged.length
    await until('orders are placed', () => acknowledged.length > before + 50, 60_000)
    const killedMs = performance.now()
    // These commands kill Patroni, and the PostgreSQL that it started.
    Bun.spawnSync(['pkill', '-KILL', '-s', String(primary.patroni.pid)])
    Bun.spawnSync(['pkill', '-KILL', '-f', join(directory, primary.name)])
    const atKill = acknowledged.length
    await until('orders are placed again', () => acknowledged.length > atKill + 20, 180_000)
    gapsMs.push(performance.now() - killedMs)
    // The node starts again without data, as on a new machine, and copies the new primary.
    rmSync(join(directory, primary.name), { recursive: true, force: true })
    primary.patroni = startProgram(['patroni', primary.config])
    process.stdout.write(
      `failover ${failover}: ${Math.round((gapsMs.at(-1) ?? 0) / 100) / 10} s without service\n`,
    )
  }
  await stop()
  const { port } = await waitForPrimary(nodes)
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  const lost = await missingOrders(url, acknowledged)
  const longest = Math.round(Math.max(...gapsMs) / 100) / 10
  process.stdout.write(
    `${gapsMs.length} failovers, ${acknowledged.length} acknowledged orders, ${lost} lost; longest gap ${longest} s\n`,
  )
  process.exitCode = lost === 0 && gapsMs.length > 0 ? 0 : 1
} finally {
  for (const child of children) Bun.spawnSync(['pkill', '-KILL', '-s', String(child.pid)])
  for (const { name } of nodes) Bun.spawnSync(['pkill', '-KILL', '-f', join(directory, name)])
  rmSync(directory, { recursive: true, force: true })
}
process.exit()
