import { createReadStream, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../src/client/client.ts'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import { childEnvironment } from '../test/support/process.ts'
import { programFile, runCommand, type ServerProcess } from './child.ts'
import { type Figure, figureTable, medianFigure } from './figures.ts'
import { generateVariedReads, type VariedRead } from './generate.ts'
import { largeReads, type Read, readFor } from './large-reads.ts'
import { CATEGORIES, categoryName, type LargeStore, makeEmptyStore, makeLargeStore } from './large-store.ts'
import { targetWriter } from './load-request.ts'
import { rawGet } from './raw-reply.ts'
import {
  cpuUsOf,
  cpuUsPerRequest,
  interleave,
  type Result,
  type Schedule,
  type Spread,
  spread,
  spreadOfRatios,
} from './sample.ts'
import { type Section, table } from './section.ts'
import {
  ADMIN_KEY,
  openTempDirectory,
  PET_ID_FIRST,
  type Place,
  startStore,
  type TempDirectory,
} from './store.ts'

const PETS_SMALL = 1000
const PETS_LARGE = 1_000_000
const CONNECTIONS = 8
/**
 * This benchmark measures many kinds of reads, so each kind has fewer and shorter rounds than the contestants of other
 * benchmarks.
 */
const ROUNDS_MAX = 3
const SECONDS_MAX = 0.7
/** The maximum CPU time of a read in the large store, as a multiple of that in the small store. */
const RATIO_MAX = 1.5

const STARTS = 5
/** The number of changes that are made before a kill. The next start must recover them from the write-ahead log. */
const CHANGES = 5000
const CHANGES_AT_ONCE = 100
const START_MS_MAX = 1000

/** Searches that read as many words as a page may, and find no pet; and one that reads none. */
const EMPTY_SEARCHES = ['m g', 'xylophone']
const SEARCHES = 200
const SEARCH_MS_MAX = 20

const IMPORT_SECONDS_MAX = 120
/** The time limit of an import. It is long enough to measure an import that misses its requirement. */
const IMPORT_MS_MAX = 600_000
const MIB = 1_048_576

/** Measures reads, starts and an import with a million pets. */
export async function benchLarge({ rounds, seconds }: Schedule): Promise<Section[]> {
  using files = openTempDirectory()
  const small = await makeLargeStore(files.folder('small'), PETS_SMALL)
  const large = await makeLargeStore(files.folder('large'), PETS_LARGE)
  const schedule = { rounds: Math.min(rounds, ROUNDS_MAX), seconds: Math.min(seconds, SECONDS_MAX) }
  const reads = await compareReads(small, large, schedule)
  const figures = [
    ...(await measureSearches(large)),
    ...(await measureStarts(large)),
    ...(await measureImport(files)),
  ]
  return [
    { title: 'Reads of 1,000,000 pets against reads of 1,000', about: reads, results: [], ratios: [] },
    {
      title: 'Searches without a match, start and import with 1,000,000 pets',
      about: [aboutFigures(), figureTable(figures)],
      results: [],
      ratios: [],
    },
  ]
}

/** One kind of read, prepared for the small and for the large store. */
interface ReadOfBoth {
  readonly name: string
  readonly ofSmall: VariedRead
  readonly ofLarge: VariedRead
}

/** Returns the text about the comparison of all reads, with its table. */
async function compareReads(small: LargeStore, large: LargeStore, schedule: Schedule): Promise<string[]> {
  await using smallServer = await startStore(small, { cache: 'off' })
  await using largeServer = await startStore(large, { cache: 'off' })
  const reads: ReadOfBoth[] = []
  // All reads are checked before the first measurement, because the measurements take minutes.
  for (const read of largeReads) {
    const ofSmall = await readFor(read, small, smallServer)
    const ofLarge = await readFor(read, large, largeServer)
    await assertSameCount(read, [smallServer, ofSmall], [largeServer, ofLarge])
    reads.push({ name: read.name, ofSmall, ofLarge })
  }
  const rows: string[][] = []
  let diskMib = 0
  for (const { name, ofSmall, ofLarge } of reads) {
    const contestant = (pets: number, { port, pid }: ServerProcess, read: VariedRead) => ({
      name: `${name}, ${numberText(pets)} pets`,
      run: (seconds: number) => generateVariedReads({ port, pid, connections: CONNECTIONS, seconds }, read),
    })
    const contestants = [
      contestant(small.pets, smallServer, ofSmall),
      contestant(large.pets, largeServer, ofLarge),
    ]
    await readIntoPageCache(databaseFile(large.directory))
    const diskMibBefore = diskReadMib(largeServer)
    const [one, other] = await interleave(contestants, schedule)
    if (!one || !other) throw new Error('a contestant has no result')
    diskMib += diskReadMib(largeServer) - diskMibBefore
    rows.push(readRow(name, one, other))
  }
  const head = [
    '',
    'CPU µs, 1,000 pets',
    'CPU µs, 1,000,000 pets',
    'ratio',
    'p99 ms, 1,000',
    'p99 ms, 1,000,000',
    '',
  ]
  return [...aboutReads(schedule, diskMib), table(head, rows)]
}

/**
 * Reads a file, so that it is in the page cache of the system. The small store is in this cache anyway. A read from the
 * disk would cost more than the work of the store that is measured.
 */
async function readIntoPageCache(file: string): Promise<void> {
  for await (const _ of createReadStream(file, { highWaterMark: MIB })) {
    // The content is not used.
  }
}

/** Returns how much a process has read from the disk, in MiB. Reads from the page cache do not count. */
function diskReadMib({ pid }: ServerProcess): number {
  const [, bytes] = /^read_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? []
  if (bytes === undefined) throw new Error(`/proc/${pid}/io has no read_bytes`)
  return Number(bytes) / MIB
}

function readRow(name: string, small: Result, large: Result): string[] {
  const [smallCpuUs, largeCpuUs] = [cpuUsPerRequest(small), cpuUsPerRequest(large)]
  const { median: ratio } = spreadOfRatios(large, small, cpuUsOf)
  return [
    name,
    spreadText(smallCpuUs),
    spreadText(largeCpuUs),
    `**${ratio.toFixed(2)}**`,
    p99Text(small),
    p99Text(large),
    ratio <= RATIO_MAX ? 'requirement met' : '**MISSED**',
  ]
}

function spreadText({ median, min, max }: Spread): string {
  return `${median.toFixed(1)} (${min.toFixed(1)} – ${max.toFixed(1)})`
}

function p99Text({ samples }: Result): string {
  return spread(samples.map(({ p99Ms = Number.NaN }) => p99Ms)).median.toFixed(2)
}

/** Throws unless a read returns the same number of items from both stores, and the number is not 0. */
async function assertSameCount(
  { name }: Read,
  ...sides: readonly (readonly [ServerProcess, VariedRead])[]
): Promise<void> {
  const counts: number[] = []
  for (const [{ port }, read] of sides) {
    const { statusLine, body } = await rawGet(port, targetWriter(read)(), read.headers)
    if (statusLine !== 'HTTP/1.1 200 OK') throw new Error(`${name}: ${statusLine}, ${body}`)
    const value: unknown = JSON.parse(body)
    counts.push(Array.isArray(value) ? value.length : 1)
  }
  if (counts.some(count => count === 0 || count !== counts[0])) {
    throw new Error(`${name} returns different numbers of items: ${counts.join(', ')}`)
  }
}

/** Measures one page of each search, one request at a time. */
async function measureSearches(large: LargeStore): Promise<Figure[]> {
  await using server = await startStore(large, { cache: 'off' })
  const figures: Figure[] = []
  for (const search of EMPTY_SEARCHES) {
    const tookMs: number[] = []
    for (let sent = 0; sent < SEARCHES; sent++) {
      const startedMs = performance.now()
      const { body } = await rawGet(server.port, `/pets?search=${encodeURIComponent(search)}`)
      tookMs.push(performance.now() - startedMs)
      if (body !== '[]') throw new Error(`a search for ${search} returned ${body}`)
    }
    const name = `page of a search for "${search}"`
    figures.push(medianFigure(tookMs, { unit: 'ms', required: SEARCH_MS_MAX, name }))
  }
  return figures
}

async function measureStarts(large: LargeStore): Promise<Figure[]> {
  const clean: number[] = []
  const killed: number[] = []
  for (let start = 0; start < STARTS; start++) {
    {
      await using store = await startStore(large)
      clean.push(store.startedMs)
      await changeStock(store)
      await store.kill()
    }
    await using store = await startStore(large)
    killed.push(store.startedMs)
  }
  const figure = { unit: 'ms', required: START_MS_MAX } as const
  return [
    medianFigure(clean, { ...figure, name: 'start after a clean stop' }),
    medianFigure(killed, { ...figure, name: 'start after a kill' }),
  ]
}

/** Changes the stock of pets that are spread over the whole table. */
async function changeStock({ port }: ServerProcess): Promise<void> {
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, key: ADMIN_KEY })
  const body = { quantityChange: 1n }
  for (let done = 0; done < CHANGES; done += CHANGES_AT_ONCE) {
    const petIds = Array.from({ length: CHANGES_AT_ONCE }, (_, index) =>
      BigInt(PET_ID_FIRST + ((done + index) * PETS_LARGE) / CHANGES),
    )
    await Promise.all(petIds.map(petId => client.adjustInventory({ petId, body })))
  }
}

async function measureImport(files: TempDirectory): Promise<Figure[]> {
  const place = { directory: files.folder('import') }
  await makeEmptyStore(place.directory)
  const catalogue = await writeCatalogue(files.path)
  const startedMs = performance.now()
  await runImport(place, catalogue)
  const seconds = (performance.now() - startedMs) / 1000
  const mib = statSync(databaseFile(place.directory)).size / MIB
  return [
    { name: 'import', value: seconds, unit: 's', required: IMPORT_SECONDS_MAX },
    { name: 'pets imported', value: PETS_LARGE / seconds, unit: 'per second' },
    { name: 'size of the imported database', value: mib, unit: 'MiB' },
  ]
}

interface Catalogue {
  readonly categories: string
  readonly pets: string
}

/** Writes the files of an import: 50 categories, and a million pets with 0 to 20 units. */
async function writeCatalogue(directory: string): Promise<Catalogue> {
  const files = { categories: join(directory, 'categories.csv'), pets: join(directory, 'pets.csv') }
  const names = Array.from({ length: CATEGORIES }, (_, index) => categoryName(index + 1))
  await Bun.write(files.categories, `name\n${names.join('\n')}\n`)
  const rows = Array.from(
    { length: PETS_LARGE },
    (_, index) => `Pet ${index},${names[index % CATEGORIES]},${index % 21},no`,
  )
  await Bun.write(files.pets, `name,category,quantity,hold\n${rows.join('\n')}\n`)
  return files
}

async function runImport({ directory }: Place, { categories, pets }: Catalogue): Promise<void> {
  const { status, errorOutput } = await runCommand(
    [
      ...[process.execPath, programFile('../src/main.ts'), 'import', '--data', directory],
      ...['--categories', categories, '--pets', pets],
    ],
    { environment: childEnvironment({}), timeoutMs: IMPORT_MS_MAX },
  )
  if (status !== 0 || !errorOutput.includes(`${PETS_LARGE} pets`)) {
    throw new Error(`the import ended with ${status}: ${errorOutput.trim()}`)
  }
}

function aboutReads({ rounds, seconds }: Schedule, diskMib: number): string[] {
  return [
    `Two stores on SQLite have the same shape: ${CATEGORIES} categories, an order for every fifth pet, and the ` +
      'movements and events of these pets and orders. A fifth of the pets is sold, and about a tenth is pending. Both ' +
      'run with PETSTORE_CACHE=off, so every read reaches the database. Ids, references and positions are random for ' +
      'each request, from the whole table. The run checks once that each kind of read returns the same number of items ' +
      'in both stores.',
    `The requirement is at most ${RATIO_MAX} times the CPU per request. This table has ${rounds} rounds of ` +
      `${seconds} s per kind of read, because there are ${largeReads.length} kinds. The two stores take turns, with ` +
      `${CONNECTIONS} connections. p99 is the latency at this load, which saturates the server: it includes the ` +
      'wait for other requests.',
    'Before each kind of read, the run reads the whole file of the large store, so that it is in the page cache of ' +
      `the system. While the reads were measured, the large store read ${diskMib.toFixed(1)} MiB from the disk.`,
  ]
}

function aboutFigures(): string {
  return (
    'A start of the large store above is measured from the command to the first response that is not 503. The table ' +
    `shows the median of ${STARTS} starts, with the minimum and maximum. Before each kill (SIGKILL), ` +
    `${numberText(CHANGES)} changes of stock are made in different parts of the table. The import loads a CSV file ` +
    'with a million pets into a new store whose server is stopped.'
  )
}

function numberText(count: number): string {
  return count.toLocaleString('en')
}
