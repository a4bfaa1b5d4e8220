import { SQL } from 'bun'
import { runCommand, type ServerProcess } from './child.ts'
import { figureTable, medianFigure } from './figures.ts'
import { generateOrders } from './generate.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import {
  type CountingContestant,
  countingContestant,
  interleave,
  type Result,
  rateOf,
  type Sample,
  type Schedule,
  spread,
} from './sample.ts'
import { type Section, spreadText, table } from './section.ts'
import { fillStatements, makeStore, openTempDirectory, startStore } from './store.ts'

/** The number of clients beside pgbench. */
const CLIENTS = 16
/** The number of clients of several processes. Nobody needs four processes for 16 clients. */
const CLIENTS_OF_PROCESSES = 32
/** The number of pets that are ordered at random, one unit at a time. */
const PETS = 300
/** The number of processes of one store, in the order in which they are compared. */
const PROCESSES = [1, 2, 4]
const PGBENCH_SCALE = 10
const SEQUENCER_MS_MAX = 60_000
/**
 * How long each contestant runs before the first round. The runtime compiles the code of an order only after thousands
 * of orders, which take seconds on PostgreSQL.
 */
const WARM_UP_SECONDS = 15

/** What the server used in one run, for each order or transaction. */
interface UsagePerOrder {
  readonly cpuUs: number
  readonly walBytes: number
}

/** A contestant, with what the server used in each of its runs. */
interface MeasuredContestant extends CountingContestant {
  readonly usages: UsagePerOrder[]
}

/** Measures orders on PostgreSQL: beside pgbench on the same server, and with several processes. */
export async function benchPostgres(schedule: Schedule): Promise<Section[]> {
  using files = openTempDirectory()
  await using postgres = await startPostgres(files.folder('postgres'))
  const databaseUrl = await postgres.newDatabase('store')
  const place = { directory: files.folder('store'), databaseUrl }
  await makeStore(place)
  await using database = new SQL({ url: databaseUrl, max: 1 })
  for (const statement of fillStatements(PETS, 'available')) await database.unsafe(statement)
  await database.unsafe('VACUUM ANALYZE')
  const stores: ServerProcess[] = []
  try {
    for (let process = 0; process < Math.max(...PROCESSES); process++) stores.push(await startStore(place))
    const contestants = [1, ...PROCESSES].map((count, index) =>
      measured(postgres, nameOf(count), seconds =>
        placeOrders(stores.slice(0, count), database, {
          clients: index === 0 ? CLIENTS : CLIENTS_OF_PROCESSES,
          seconds,
        }),
      ),
    )
    const [single, ...several] = contestants
    if (!single) throw new Error('a contestant is missing')
    const pgbench = await pgbenchContestant(postgres)
    const sections = [
      pgbenchSection(postgres.settings, await compare(pgbench ? [single, pgbench] : [single], schedule)),
      processesSection(postgres.settings, await compare(several, schedule)),
    ]
    await assertAllThere(
      database,
      contestants.reduce((sum, contestant) => sum + contestant.answered(), 0),
    )
    return sections
  } finally {
    for (const store of stores) await store[Symbol.asyncDispose]()
  }
}

function nameOf(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`
}

function measured(
  postgres: Postgres,
  name: string,
  run: (seconds: number) => Promise<Sample>,
): MeasuredContestant {
  const usages: UsagePerOrder[] = []
  const contestant = countingContestant(name, async seconds => {
    const before = await postgres.usage()
    const sample = await run(seconds)
    const after = await postgres.usage()
    usages.push({
      cpuUs: (after.cpuUs - before.cpuUs) / sample.answered,
      walBytes: (after.walBytes - before.walBytes) / sample.answered,
    })
    return sample
  })
  return { ...contestant, usages }
}

/** Returns the contestant that runs the TPC-B-like transaction of pgbench; undefined if pgbench is not installed. */
async function pgbenchContestant(postgres: Postgres): Promise<MeasuredContestant | undefined> {
  if (Bun.which('pgbench') === null) return undefined
  await postgres.newDatabase('pgbench')
  const run = async (...options: string[]) => {
    const address = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres']
    const result = await runCommand(['pgbench', ...address, ...options, 'pgbench'], {
      environment: { PATH: process.env.PATH, PGPASSWORD: 'postgres' },
      timeoutMs: 600_000,
    })
    if (result.status !== 0)
      throw new Error(`pgbench ended with ${result.status}: ${result.errorOutput.trim()}`)
    return result
  }
  await run('-i', '-q', '-s', String(PGBENCH_SCALE))
  return measured(postgres, 'pgbench, TPC-B-like', async seconds => {
    const { output, cpuUs } = await run(
      '-M',
      'prepared',
      '-c',
      String(CLIENTS),
      '-j',
      '2',
      '-T',
      String(seconds),
    )
    const requests = Number(/actually processed: (\d+)/.exec(output)?.[1])
    return { requests, seconds, cpuUs, answered: requests }
  })
}

interface Measured {
  readonly result: Result
  readonly usages: readonly UsagePerOrder[]
}

/** Runs contestants in turns. Returns their results with what the server used in the same rounds. */
async function compare(contestants: readonly MeasuredContestant[], schedule: Schedule): Promise<Measured[]> {
  for (const { run } of contestants) await run(WARM_UP_SECONDS)
  const results = await interleave(contestants, schedule)
  return results.map((result, index) => ({
    result,
    usages: contestants[index]?.usages.slice(-schedule.rounds) ?? [],
  }))
}

/** Places orders from all clients, evenly over several processes. Returns the sums of counts, and the mean duration. */
async function placeOrders(
  stores: readonly ServerProcess[],
  database: SQL,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Sample> {
  const connections = clients / stores.length
  const samples = await Promise.all(
    stores.map(({ port, pid }) =>
      generateOrders({ port, pid, connections, seconds }, { pets: PETS, idempotencyKeyPrefix: null }),
    ),
  )
  await waitForSequencer(database)
  const sum = (count: (sample: Sample) => number): number =>
    samples.reduce((total, sample) => total + count(sample), 0)
  return {
    requests: sum(({ requests }) => requests),
    seconds: sum(sample => sample.seconds) / samples.length,
    cpuUs: sum(({ cpuUs }) => cpuUs),
    answered: sum(({ answered }) => answered),
  }
}

/**
 * Waits until every event has a position, so that the work of the sequencer counts for these orders, and not for the
 * next contestant. Throws after a minute.
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

async function assertAllThere(database: SQL, answered: number): Promise<void> {
  const [counts] = await database.unsafe<Record<string, string>[]>(`
    SELECT (SELECT count(*) FROM orders) AS orders, (SELECT sum(reserved) FROM pet) AS reserved,
      (SELECT count(*) FROM movement WHERE reason = 'order') AS movements,
      (SELECT count(*) FROM event WHERE type = 'petstore.order.placed') AS placed,
      (SELECT count(*) FROM event WHERE type = 'petstore.inventory.changed' AND subject_version > 1) AS stock_changes`)
  if (Object.values(counts ?? {}).some(n => Number(n) !== answered)) {
    throw new Error(`${answered} orders were committed; the database has ${JSON.stringify(counts)}`)
  }
}

function usageTable(measurements: readonly Measured[]): string {
  const head = ['', 'per second', 'CPU µs of the database', 'WAL bytes', 'CPU µs of the program']
  return table(
    head,
    measurements.map(({ result, usages }) => [
      result.name,
      spreadText(spread(result.samples.map(rateOf)), 0),
      spreadText(spread(usages.map(({ cpuUs }) => cpuUs)), 0),
      spreadText(spread(usages.map(({ walBytes }) => walBytes)), 0),
      spreadText(spread(result.samples.map(({ cpuUs, requests }) => cpuUs / requests)), 0),
    ]),
  )
}

function pgbenchSection(settings: string, measurements: readonly Measured[]): Section {
  const [store, pgbench] = measurements
  if (!store) throw new Error('the store has no result')
  const about = [
    `${settings}, otherwise default settings; ${CLIENTS} clients. Each order is for one unit of a pet chosen at ` +
      `random from ${PETS}. pgbench runs its TPC-B-like transaction: scale ${PGBENCH_SCALE}, \`-M prepared\`. ` +
      'The CPU time of the database is that of all its processes, also of those that number events and vacuum. All ' +
      'values are per order or transaction.',
    usageTable(measurements),
  ]
  if (!pgbench) {
    about.push(
      'pgbench is not installed here, so there is no comparison: it comes with the server of PostgreSQL.',
    )
    return { title: 'placeOrder on PostgreSQL', about, results: [], ratios: [] }
  }
  const databaseRatios = store.usages.map(({ cpuUs }, round) => cpuUs / (pgbench.usages[round]?.cpuUs ?? 0))
  const figure = {
    name: 'CPU of the database per order, against pgbench',
    unit: 'x',
    required: 1.3,
    aim: 1,
  } as const
  about.push(figureTable([medianFigure(databaseRatios, figure)]))
  const target = { required: 0.7, aim: 0.9 }
  const sides = { of: store.result, against: pgbench.result }
  return {
    title: 'placeOrder on PostgreSQL, beside pgbench',
    about,
    results: [],
    ratios: [{ name: 'petstore against pgbench', ...sides, target, unit: '%' }],
  }
}

function processesSection(settings: string, measurements: readonly Measured[]): Section {
  const [one, two, four] = measurements
  if (!one || !two || !four) throw new Error('a contestant has no result')
  return {
    title: 'placeOrder on PostgreSQL, several processes',
    about: [
      `${settings}; ${CLIENTS_OF_PROCESSES} clients, evenly over the processes, on one machine with the database: ` +
        'all of them share its cores, so this shows the cost of more processes, and not the gain of more machines.',
      usageTable(measurements),
    ],
    results: [],
    ratios: [
      { name: '2 processes against 1', of: two.result, against: one.result, unit: '%' },
      {
        name: '4 processes against 1',
        of: four.result,
        against: one.result,
        target: { required: 0.85 },
        unit: '%',
      },
    ],
  }
}
