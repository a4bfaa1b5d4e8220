import { SQL } from 'bun'
import type { ServerProcess } from './child.ts'
import { generateOrders, runForSample } from './generate.ts'
import { startPostgres } from './postgres.ts'
import {
  type Contestant,
  countingContestant,
  interleave,
  type Result,
  type Sample,
  type Schedule,
} from './sample.ts'
import type { Section } from './section.ts'
import {
  fillStatements,
  makeStore,
  openTempDirectory,
  PET_ID_FIRST,
  START_ENVIRONMENT,
  startStore,
} from './store.ts'

const CLIENTS = 32
/** The maximum number of connections of the loops: as many as a process of the store has for commands. */
const CONNECTIONS_MAX = 16
/** The number of pets that are ordered at random, one unit at a time. */
const PETS = 1000
/** The numbers of processes that serve one database. */
const PROCESSES = [1, 2, 4]
const SEQUENCER_MS_MAX = 60_000
/**
 * How long each contestant runs before the first round. The runtime compiles the code of an order only after thousands
 * of orders, which take seconds on PostgreSQL.
 */
const WARM_UP_SECONDS = 12

/** Measures orders on PostgreSQL: against a bare client of the same server, and with several processes. */
export async function benchPostgres(schedule: Schedule): Promise<Section[]> {
  using files = openTempDirectory()
  await using postgres = await startPostgres(files.folder('postgres'))
  const makeDatabase = async (name: string): Promise<DatabasePlace> => {
    const databaseUrl = await postgres.newDatabase(name)
    const place = { directory: files.folder(name), databaseUrl }
    await makeStore(place)
    await using database = new SQL({ url: databaseUrl, max: 1 })
    for (const statement of fillStatements(PETS, 'available')) await database.unsafe(statement)
    await database.unsafe('VACUUM ANALYZE')
    return place
  }
  return [
    loopSection(
      postgres.settings,
      await compareWithLoops(schedule, {
        store: await makeDatabase('store'),
        complete: await makeDatabase('complete'),
        loop: await makeDatabase('loop'),
      }),
    ),
    processesSection(postgres.settings, await compareProcesses(schedule, await makeDatabase('many'))),
  ]
}

interface DatabasePlace {
  readonly directory: string
  readonly databaseUrl: string
}

/** The databases of the contestants. Each contestant has its own database, so that all databases grow alike. */
interface Contestants<T> {
  readonly store: T
  /** The loop with all statements that the store runs. */
  readonly complete: T
  /** The loop with the statements of the shop only. */
  readonly loop: T
}

async function compareWithLoops(schedule: Schedule, places: Contestants<DatabasePlace>): Promise<Result[]> {
  await using server = await startStore(places.store)
  await using storeDatabase = new SQL({ url: places.store.databaseUrl, max: 1 })
  await using completeDatabase = new SQL({ url: places.complete.databaseUrl, max: 1 })
  await using loopDatabase = new SQL({ url: places.loop.databaseUrl, max: 1 })
  const loopOn = async (url: string, isComplete: boolean, seconds: number): Promise<Sample> =>
    runForSample(
      'postgres-loop.ts',
      {
        ...{ url, isComplete, seconds },
        clients: CLIENTS,
        connectionsMax: CONNECTIONS_MAX,
        petIdFirst: PET_ID_FIRST,
        pets: PETS,
      },
      START_ENVIRONMENT,
    )
  const store = countingContestant('placeOrder, petstore', seconds =>
    placeOrders([server], storeDatabase, seconds),
  )
  const complete = countingContestant('client loop, all statements, no HTTP', async seconds => {
    const sample = await loopOn(places.complete.databaseUrl, true, seconds)
    await assertNumbered(completeDatabase)
    return sample
  })
  const loop = countingContestant('client loop, statements of the shop only', seconds =>
    loopOn(places.loop.databaseUrl, false, seconds),
  )
  const contestants = [store, complete, loop]
  await warmUp(contestants)
  const results = await interleave(contestants, schedule)
  await assertAllThere(storeDatabase, store.answered())
  await assertAllThere(completeDatabase, complete.answered())
  await assertAllThere(loopDatabase, loop.answered())
  return results
}

async function warmUp(contestants: readonly Contestant[]): Promise<void> {
  for (const { run } of contestants) await run(WARM_UP_SECONDS)
}

/** Throws if the sequencer of the loop has not kept up: if more than a tenth of all events have no position. */
async function assertNumbered(database: SQL): Promise<void> {
  const [row] = await database.unsafe<{ behind: string; all: string }[]>(
    'SELECT count(*) FILTER (WHERE position IS NULL) AS behind, count(*) AS all FROM event',
  )
  if (Number(row?.behind) > Number(row?.all) / 10) throw new Error('the sequencer of the loop is behind')
}

async function compareProcesses(schedule: Schedule, place: DatabasePlace): Promise<Result[]> {
  const stores: ServerProcess[] = []
  await using database = new SQL({ url: place.databaseUrl, max: 1 })
  try {
    for (let process = 0; process < Math.max(...PROCESSES); process++) stores.push(await startStore(place))
    const contestants = PROCESSES.map(count =>
      countingContestant(`${count} ${count === 1 ? 'process' : 'processes'}`, seconds =>
        placeOrders(stores.slice(0, count), database, seconds),
      ),
    )
    await warmUp(contestants)
    const results = await interleave(contestants, schedule)
    const answered = contestants.reduce((sum, contestant) => sum + contestant.answered(), 0)
    await assertAllThere(database, answered)
    return results
  } finally {
    for (const store of stores) await store[Symbol.asyncDispose]()
  }
}

/** Places orders from all clients, evenly over several processes. Returns the sums of counts, and the mean duration. */
async function placeOrders(
  stores: readonly ServerProcess[],
  database: SQL,
  seconds: number,
): Promise<Sample> {
  const connections = CLIENTS / stores.length
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
 * Waits until every event has a position, so that the sequencer does not run while the bare client is measured. Throws
 * after a minute.
 */
async function waitForSequencer(database: SQL): Promise<void> {
  const deadline = performance.now() + SEQUENCER_MS_MAX
  while (performance.now() < deadline) {
    const [row] = await database.unsafe<{ n: string }[]>(
      'SELECT count(*) AS n FROM event WHERE position IS NULL',
    )
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

function loopSection(settings: string, results: readonly Result[]): Section {
  const [store, complete, loop] = results
  if (!store || !complete || !loop) throw new Error('a contestant has no result')
  return {
    title: 'placeOrder on PostgreSQL',
    about: [
      `${settings}, otherwise default settings; ${CLIENTS} clients, each order for one unit of a pet chosen at ` +
        `random from ${PETS}. Each of the other two sides runs ${CLIENTS} loops on Bun's SQL client with a pool of ` +
        `${CONNECTIONS_MAX} connections, as many as the store has for commands. Each loop runs one transaction after ` +
        'another, awaits each statement, and uses no HTTP. The side with all statements also inserts the execution ' +
        'key of each transaction, and runs the sequencer, which gives each event its position. Each side runs for ' +
        `${WARM_UP_SECONDS} s before the first round.`,
      'CPU is only that of the program, not of the PostgreSQL server, which does most of the work.',
    ],
    results,
    ratios: [
      {
        name: 'petstore against a loop with all its statements',
        of: store,
        against: complete,
        target: { required: 0.85, aim: 1 },
        unit: '%',
      },
      {
        name: 'petstore against a loop with the statements of the shop',
        of: store,
        against: loop,
        unit: '%',
      },
    ],
  }
}

function processesSection(settings: string, results: readonly Result[]): Section {
  const [one, two, four] = results
  if (!one || !two || !four) throw new Error('a contestant has no result')
  return {
    title: 'placeOrder on PostgreSQL, several processes',
    about: [
      `${settings}; ${CLIENTS} clients, evenly over the processes, on one machine with the database: all of them ` +
        'share its cores, so this shows the cost of more processes, and not the gain of more machines.',
    ],
    results,
    ratios: [
      { name: '2 processes against 1', of: two, against: one, unit: '%' },
      { name: '4 processes against 1', of: four, against: one, unit: '%' },
    ],
  }
}
