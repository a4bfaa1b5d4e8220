import { SQL } from 'bun'
import { generateOrders, selfMeasured } from './generate.ts'
import { startPostgres } from './postgres.ts'
import { interleave, type Result, type Schedule, tallied } from './sample.ts'
import type { Section } from './section.ts'
import { fillStatements, makeStore, openTempDirectory, PET_ID_FIRST, startStore } from './store.ts'

const CLIENTS = 32
/** The maximum number of connections, which is the same as that of the store. */
const CONNECTIONS_MAX = 20
const QUIET_MS_MAX = 60_000

/** Measures orders on PostgreSQL, compared with a bare client of the same server that runs the same statements. */
export async function benchPostgresOrders(schedule: Schedule, pets: number): Promise<Section> {
  using files = openTempDirectory()
  await using postgres = await startPostgres(files.folder('postgres'))
  const make = async (name: string) => {
    const databaseUrl = await postgres.newDatabase(name)
    const place = { directory: files.folder(name), databaseUrl }
    await makeStore(place)
    await using database = new SQL({ url: databaseUrl, max: 1 })
    for (const statement of fillStatements(pets, 'full')) await database.unsafe(statement)
    await database.unsafe('VACUUM ANALYZE')
    return place
  }
  const storePlace = await make('store')
  const loopPlace = await make('loop')
  await using store = await startStore(storePlace)
  await using storeDatabase = new SQL({ url: storePlace.databaseUrl, max: 1 })
  await using loopDatabase = new SQL({ url: loopPlace.databaseUrl, max: 1 })
  const ours = tallied('placeOrder, petstore', async seconds => {
    const { port, pid } = store
    const sample = await generateOrders(
      { port, pid, connections: CLIENTS, seconds },
      { pets, keyPrefix: null },
    )
    await waitForSequencer(storeDatabase)
    return sample
  })
  const bare = tallied('bare client loop, no HTTP', seconds =>
    selfMeasured('postgres-loop.ts', {
      url: loopPlace.databaseUrl,
      clients: CLIENTS,
      connectionsMax: CONNECTIONS_MAX,
      petIdFirst: PET_ID_FIRST,
      pets,
      seconds,
    }),
  )
  const results = await interleave([ours, bare], schedule)
  await assertAllThere(storeDatabase, ours.answered())
  await assertAllThere(loopDatabase, bare.answered())
  return sectionOf(postgres.settings, pets, results)
}

/**
 * Waits until every event has a position, so that the sequencer does not run while the bare client is measured. Throws
 * after a minute.
 */
async function waitForSequencer(database: SQL): Promise<void> {
  const deadline = performance.now() + QUIET_MS_MAX
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
    throw new Error(`${answered} orders were committed; the database holds ${JSON.stringify(counts)}`)
  }
}

function sectionOf(settings: string, pets: number, results: readonly Result[]): Section {
  const [ours, bare] = results
  if (!ours || !bare) throw new Error('a contestant has no result')
  return {
    title: 'placeOrder on PostgreSQL',
    about: [
      `${settings}, otherwise default settings; ${CLIENTS} clients, one unit each of ${pets} pets at ` +
        `random. The other side is ${CLIENTS} loops on Bun's SQL client with a pool of ${CONNECTIONS_MAX} ` +
        'connections, as many as the store has. Each loop runs one transaction after another with the same ' +
        'statements, awaits each, and uses no HTTP. The store also assigns every event a position, which ' +
        'the loops do not.',
      'CPU is only that of the program, not of the PostgreSQL server, which does most of the work.',
    ],
    results,
    ratios: [
      {
        name: 'petstore against a bare client loop',
        of: ours,
        against: bare,
        target: { required: 0.6, aim: 1 },
        unit: '%',
      },
    ],
  }
}
