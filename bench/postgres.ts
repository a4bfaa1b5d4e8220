import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { embeddedPostgres } from '../test/support/embedded-postgres.ts'
import { orderRequest, type Range, runLoad } from './load.ts'
import { interleave, rateOf, ratios, type Sample, type Schedule, type Side, side } from './measure.ts'
import { assertCounts, ORDER_COUNTS } from './orders.ts'
import { figureRows, type Report, type Row } from './report.ts'
import { cpuUsOfTree, freePort, runCommand, type Server } from './server.ts'
import { ADMIN_KEY, makeStore, openTempDirectory, startStore } from './store.ts'

/** The number of clients beside pgbench. */
const CLIENTS = 16
/** The number of clients of several processes. Nobody needs four processes for 16 clients. */
const CLIENTS_OF_PROCESSES = 32
const PROCESSES = 4
/** The number of pets that are ordered at random, one unit at a time. */
const PETS = 300
const PGBENCH_SCALE = 10
const SEQUENCER_MS_MAX = 60_000
/**
 * How long each side runs before the first round. The runtime compiles the code of an order only after thousands of
 * orders, which take seconds on PostgreSQL.
 */
const WARM_UP_SECONDS = 15

/** A PostgreSQL server with its default settings. Disposing it deletes it with its data. */
interface Postgres extends AsyncDisposable {
  readonly port: number
  readonly version: string
  /** The process whose children are all processes of the server. */
  readonly pid: number
  /** Returns the URL of a new database. */
  newDatabase(name: string): Promise<string>
}

/** A sample, with the processor time of the database for each order or transaction of its whole run. */
interface PostgresSample extends Sample {
  readonly databaseCpuUs: number
}
type PostgresSide = Side<PostgresSample>

const databaseCpuUsOf = ({ databaseCpuUs }: PostgresSample): number => databaseCpuUs

/** Measures orders on PostgreSQL: beside pgbench on the same server, and with several processes. */
export async function benchPostgres(schedule: Schedule): Promise<Report> {
  using files = openTempDirectory()
  await using postgres = await startPostgres(files.folder('postgres'))
  const databaseUrl = await postgres.newDatabase('store')
  const place = { directory: files.folder('store'), databaseUrl }
  const pets = await makeStore(place, PETS)
  await using database = new SQL({ url: databaseUrl, max: 1 })
  await database.unsafe('VACUUM ANALYZE')
  await using stores = new AsyncDisposableStack()
  const servers: Server[] = []
  for (let process = 0; process < PROCESSES; process++) servers.push(stores.use(await startStore(place)))
  const store = (name: string, clients: number, processes: number): PostgresSide =>
    measured(postgres, name, async seconds => {
      const sample = await placeOrders(servers.slice(0, processes), { clients, pets, seconds })
      await waitForSequencer(database)
      return sample
    })
  const single = store('petstore', CLIENTS, 1)
  const pgbench = await pgbenchSide(postgres)
  await compare([single, pgbench], schedule)
  const one = store('1 process, 32 clients', CLIENTS_OF_PROCESSES, 1)
  const four = store('4 processes, 32 clients', CLIENTS_OF_PROCESSES, PROCESSES)
  await compare([one, four], schedule)
  const [counts = {}] = await database.unsafe<Record<string, string>[]>(ORDER_COUNTS)
  assertCounts(counts, single.answered + one.answered + four.answered)
  const ofDatabase = ratios(single, pgbench, databaseCpuUsOf)
  return {
    about: about(postgres.version),
    rows: [
      ...[single, pgbench, one, four].flatMap(figuresOf),
      {
        name: 'petstore against pgbench',
        values: ratios(single, pgbench, rateOf),
        unit: '%',
        atLeast: 0.7,
        aim: 0.9,
      },
      { name: 'CPU of the database against pgbench', values: ofDatabase, unit: 'x', atMost: 1.3, aim: 1 },
      { name: '4 processes against 1', values: ratios(four, one, rateOf), unit: '%', atLeast: 0.85 },
    ],
  }
}

function figuresOf({ name, samples }: PostgresSide): Row[] {
  const ofDatabase = { values: samples.map(databaseCpuUsOf), unit: 'µs' } as const
  return [...figureRows(name, samples), { name: `${name}, CPU of the database`, ...ofDatabase }]
}

/** Returns a side that also measures the processor time of the database. */
function measured(postgres: Postgres, name: string, run: (seconds: number) => Promise<Sample>): PostgresSide {
  return side(name, async seconds => {
    const beforeUs = cpuUsOfTree(postgres.pid)
    const sample = await run(seconds)
    return { ...sample, databaseCpuUs: (cpuUsOfTree(postgres.pid) - beforeUs) / sample.answered }
  })
}

async function compare(sides: readonly PostgresSide[], schedule: Schedule): Promise<void> {
  for (const { run } of sides) await run(WARM_UP_SECONDS)
  await interleave(sides, schedule)
}

/** Places orders from all clients, evenly over several processes. Returns the sums of counts, and the mean duration. */
async function placeOrders(
  servers: readonly Server[],
  { clients, pets, seconds }: { clients: number; pets: Range; seconds: number },
): Promise<Sample> {
  const requests = [orderRequest(pets, ADMIN_KEY)]
  const connections = clients / servers.length
  const samples = await Promise.all(
    servers.map(server => runLoad({ server, requests, connections }, seconds)),
  )
  const sum = (count: (sample: Sample) => number): number =>
    samples.reduce((total, one) => total + count(one), 0)
  return {
    requests: sum(({ requests }) => requests),
    seconds: sum(({ seconds }) => seconds) / samples.length,
    cpuUs: sum(({ cpuUs }) => cpuUs),
    answered: sum(({ answered }) => answered),
  }
}

/**
 * Waits until every event has a position, so that the work of the sequencer counts for these orders, and not for the
 * next side. Throws after a minute.
 */
async function waitForSequencer(database: SQL): Promise<void> {
  const deadline = performance.now() + SEQUENCER_MS_MAX
  while (performance.now() < deadline) {
    const [row] = await database.unsafe<{ n: string }[]>('SELECT count(*) AS n FROM event_batch')
    if (Number(row?.n) === 0) return
    await Bun.sleep(100)
  }
  throw new Error('the store does not assign positions to its events')
}

/** Returns the side that runs the TPC-B-like transaction of pgbench. */
async function pgbenchSide(postgres: Postgres): Promise<PostgresSide> {
  await postgres.newDatabase('pgbench')
  const run = async (options: readonly string[]) => {
    const address = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres']
    return await runCommand(['pgbench', ...address, ...options, 'pgbench'], { PGPASSWORD: 'postgres' })
  }
  await run(['-i', '-q', '-s', String(PGBENCH_SCALE)])
  return measured(postgres, 'pgbench', async seconds => {
    // pgbench accepts only whole seconds.
    const wholeSeconds = Math.ceil(seconds)
    const options = ['-M', 'prepared', '-c', String(CLIENTS), '-j', '2', '-T', String(wholeSeconds)]
    const { output, cpuUs } = await run(options)
    const requests = Number(/actually processed: (\d+)/.exec(output)?.[1])
    return { requests, seconds: wholeSeconds, cpuUs, answered: requests }
  })
}

/** Starts a PostgreSQL server in a new directory. Throws if it does not sync its commits. */
async function startPostgres(directory: string): Promise<Postgres> {
  const port = freePort()
  const databaseDir = join(directory, 'data')
  // Four processes of a store may open more connections than the default allows.
  const postgresFlags = ['-c', 'max_connections=250']
  const server = await embeddedPostgres({ databaseDir, port, postgresFlags })
  // If this process runs as root, the server runs as another user, which must be able to enter the directory.
  chmodSync(directory, 0o755)
  await server.initialise()
  await server.start()
  const address = `postgres://postgres:postgres@127.0.0.1:${port}`
  const admin = new SQL({ url: `${address}/postgres`, max: 1 })
  const one = async (expression: string): Promise<string> => {
    const [row] = await admin.unsafe<{ value: string }[]>(`SELECT ${expression} AS value`)
    return row?.value ?? ''
  }
  for (const name of ['fsync', 'synchronous_commit'])
    if ((await one(`current_setting('${name}')`)) !== 'on') throw new Error(`${name} of PostgreSQL is not on`)
  return {
    port,
    version: await one(`current_setting('server_version')`),
    pid: Number.parseInt(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8'), 10),
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

function about(version: string): string {
  return (
    `PostgreSQL ${version}, fsync and synchronous_commit on, otherwise default settings. Each order is for one ` +
    `unit of a pet chosen at random from ${PETS}. pgbench runs its TPC-B-like transaction: scale ` +
    `${PGBENCH_SCALE}, -M prepared; beside it, petstore has ${CLIENTS} clients too. The clients of several ` +
    'processes are evenly over them, on one machine with the database, so this shows the cost of more processes, ' +
    'and not the gain of more machines. The CPU of the database is that of all its processes, also of those that ' +
    'number events and vacuum, per order or transaction. After the rounds, the store must have exactly the ' +
    'orders that got a 201 response.'
  )
}
