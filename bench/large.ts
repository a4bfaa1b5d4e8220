import { largeReads, makeLargeStore, type Read } from './large-store.ts'
import { type Load, orderRequest, type Range, runLoad, sendAll } from './load.ts'
import { cpuUsOf, interleave, ratios, type Schedule, side, spread } from './measure.ts'
import { partsOf, rawGet } from './reply.ts'
import type { Report, Row } from './report.ts'
import type { Server } from './server.ts'
import { ADMIN_KEY, openTempDirectory, type Place, startStore } from './store.ts'

const PETS_SMALL = 1000
const PETS_LARGE = 1_000_000
const CONNECTIONS = 8
/** There are many kinds of reads, so each has fewer and shorter rounds than the sides of other comparisons. */
const ROUNDS_MAX = 3
const SECONDS_MAX = 0.7
/** The maximum CPU time of a read in the large store, as a multiple of that in the small store. */
const RATIO_MAX = 1.5
/** The orders that are placed before a kill. The next start must recover them from the write-ahead log. */
const ORDERS = 5000
const START_MS_MAX = 1000
const IMPORT_SECONDS_MAX = 120
/** Searches that read as many words as a page may, and find no pet; and one that reads none. */
const EMPTY_SEARCHES = ['m g', 'xylophone']
const SEARCHES = 200
const SEARCH_MS_MAX = 20

/** Measures an import, reads, searches and starts with a million pets. */
export async function benchLarge({ rounds, seconds }: Schedule): Promise<Report> {
  using files = openTempDirectory()
  const small = { directory: files.folder('small') }
  const large = { directory: files.folder('large') }
  await makeLargeStore(small, PETS_SMALL)
  const importSeconds = await makeLargeStore(large, PETS_LARGE)
  const schedule = { rounds: Math.min(rounds, ROUNDS_MAX), seconds: Math.min(seconds, SECONDS_MAX) }
  return {
    about: about(schedule),
    rows: [
      ...(await compareReads(small, large, schedule)),
      ...(await measureSearches(large)),
      ...(await measureStarts(large, rounds)),
      { name: 'import', values: [importSeconds], unit: 's', atMost: IMPORT_SECONDS_MAX },
    ],
  }
}

async function compareReads(small: Place, large: Place, schedule: Schedule): Promise<Row[]> {
  await using smallServer = await startStore(small, { PETSTORE_CACHE: 'off' })
  await using largeServer = await startStore(large, { PETSTORE_CACHE: 'off' })
  const ofSmall = await largeReads(smallServer, PETS_SMALL)
  const ofLarge = await largeReads(largeServer, PETS_LARGE)
  const pairs = ofSmall.map((read, index) => [read, ofLarge[index] ?? read] as const)
  // All reads are checked before the first measurement, because the measurements take minutes.
  for (const [one, other] of pairs) await assertSameCount([smallServer, one], [largeServer, other])
  const rows: Row[] = []
  for (const [one, other] of pairs) {
    const sideOf = (server: Server, { name, ...request }: Read) => {
      const load: Load = { server, requests: [request], connections: CONNECTIONS }
      return side(name, seconds => runLoad(load, seconds))
    }
    const [smallSide, largeSide] = [sideOf(smallServer, one), sideOf(largeServer, other)]
    await interleave([smallSide, largeSide], schedule)
    rows.push({ name: `${one.name}, of 1,000`, values: smallSide.samples.map(cpuUsOf), unit: 'µs' })
    const values = ratios(largeSide, smallSide, cpuUsOf)
    rows.push({ name: `${one.name}, of 1,000,000 against of 1,000`, values, unit: 'x', aim: RATIO_MAX })
  }
  return [highestRatio(rows), ...rows]
}

/** Returns the row of the highest ratio, which must meet the requirement of all. */
function highestRatio(rows: readonly Row[]): Row {
  const compared = rows.filter(({ unit }) => unit === 'x')
  const median = ({ values }: Row): number => spread(values).median
  const [highest] = compared.toSorted((one, other) => median(other) - median(one))
  if (!highest) throw new Error('no read was compared')
  const { aim: _, ...row } = highest
  const name = `highest of ${compared.length} ratios (CPU): ${row.name.split(', of 1,000,000')[0]}`
  return { ...row, name, atMost: RATIO_MAX }
}

/** Throws unless a read returns the same number of items from both stores, and the number is not 0. */
async function assertSameCount(...sides: readonly (readonly [Server, Read])[]): Promise<void> {
  const counts: number[] = []
  for (const [{ port }, { name, target, headers }] of sides) {
    const { statusLine, body } = partsOf(await rawGet(port, target(), headers?.()))
    if (statusLine !== 'HTTP/1.1 200 OK') throw new Error(`${name}: ${statusLine}, ${body}`)
    const value: unknown = JSON.parse(body)
    counts.push(Array.isArray(value) ? value.length : 1)
  }
  if (counts.some(count => count === 0 || count !== counts[0]))
    throw new Error(`${sides[0]?.[1].name} returns different numbers of items: ${counts.join(', ')}`)
}

/** Measures one page of each search, one request at a time. */
async function measureSearches(large: Place): Promise<Row[]> {
  await using server = await startStore(large, { PETSTORE_CACHE: 'off' })
  const rows: Row[] = []
  for (const search of EMPTY_SEARCHES) {
    const values: number[] = []
    for (let sent = 0; sent < SEARCHES; sent++) {
      const startedMs = performance.now()
      const { body } = partsOf(await rawGet(server.port, `/pets?search=${encodeURIComponent(search)}`))
      values.push(performance.now() - startedMs)
      if (body !== '[]') throw new Error(`a search for ${search} returned ${body}`)
    }
    rows.push({ name: `page of a search for "${search}"`, values, unit: 'ms', atMost: SEARCH_MS_MAX })
  }
  return rows
}

async function measureStarts(large: Place, rounds: number): Promise<Row[]> {
  const clean: number[] = []
  const killed: number[] = []
  const pets: Range = { first: 2, count: PETS_LARGE / 5 - 1, step: 5 }
  for (let round = 0; round < rounds; round++) {
    {
      await using server = await startStore(large)
      clean.push(server.startedMs)
      await sendAll({ server, requests: [orderRequest(pets, ADMIN_KEY)], connections: CONNECTIONS }, ORDERS)
      await server.kill()
    }
    await using server = await startStore(large)
    killed.push(server.startedMs)
  }
  return [
    { name: 'start after a clean stop', values: clean, unit: 'ms', atMost: START_MS_MAX },
    { name: 'start after a kill', values: killed, unit: 'ms', atMost: START_MS_MAX },
  ]
}

function about({ rounds, seconds }: Schedule): string {
  return (
    'The import loads a CSV file with a million pets into a new store whose server is stopped. Then every fifth ' +
    'pet gets an order. The small store is made in the same way. Both run with PETSTORE_CACHE=off, so every read ' +
    'reaches the database. Ids, references and positions are random for each request, from the whole table. The ' +
    `run checks that each kind of read returns the same number of items in both stores. Each has ${rounds} ` +
    `rounds of ${seconds} s, with ${CONNECTIONS} connections. A start is measured from the command to the first ` +
    `response that is not 503. Before each kill (SIGKILL), ${ORDERS.toLocaleString('en')} orders are placed.`
  )
}
