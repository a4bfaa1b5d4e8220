import { freePort, programFile, type ServerProcess, startServerProcess } from './child.ts'
import { generateReads, generateReadsAndWrites } from './generate.ts'
import { assertSame, rawGet } from './raw-reply.ts'
import { type Contestant, interleave, type Schedule } from './sample.ts'
import type { Ratio, Section, Target } from './section.ts'
import { makeSqliteStore, openTempDirectory, START_ENVIRONMENT, startStore } from './store.ts'

const CONNECTIONS = 64
const LIST_PETS = 100_000

const GET_PATH = '/pets/1'
/** The stock of the pet that is read. Setting it drops the pet from the cache, because both are one row. */
const WRITE_PATH = '/store/inventory/1'
/** Every tenth request is a write, if a contestant writes. */
const WRITE_EVERY = 10
const LIST_PATH = '/pets?limit=20&status=available'

/** A sentence in the text of both sections. */
const CACHED =
  'Every read has the same path and query, so all but the first are served from the cache of representations.'

/** Measures reads of the store, compared with the bare runtime that sends the same bytes. */
export async function benchReads(schedule: Schedule): Promise<Section[]> {
  using files = openTempDirectory()
  const demo = await makeSqliteStore(files.folder('demo'), 0, 'mixed')
  const uncached = await makeSqliteStore(files.folder('uncached'), 0, 'mixed')
  const large = await makeSqliteStore(files.folder('large'), LIST_PETS, 'mixed')
  await using demoStore = await startStore(demo)
  await using uncachedStore = await startStore(uncached, { cache: 'off' })
  await using largeStore = await startStore(large)
  await using writtenStore = await startStore(await makeSqliteStore(files.folder('written'), 0, 'mixed'))
  const getStores = [
    { name: 'getPet', store: demoStore, target: { required: 0.45, aim: 0.6 } },
    { name: 'getPet with PETSTORE_CACHE=off', store: uncachedStore, target: { required: 0.3 } },
    {
      name: 'getPet, and one write in ten requests',
      store: writtenStore,
      target: { required: 0.35 },
      writes: true,
    },
  ]
  const get = await compare(getStores, GET_PATH, schedule)
  const listStores = [{ name: 'listPets', store: largeStore, target: { required: 0.25, aim: 0.4 } }]
  const list = await compare(listStores, LIST_PATH, schedule)
  return [
    {
      ...get,
      title: 'getPet: one pet by its id',
      about: [
        `\`GET ${GET_PATH}\` of the demo shop on SQLite, ${CONNECTIONS} connections: rate limit, ` +
          'validation, ETag, lifecycle headers, metrics and a log line per request (to /dev/null) are all ' +
          `enabled. ${CACHED} With PETSTORE_CACHE=off, each one reads the database. With one write in ten ` +
          'requests, every tenth request sets the stock of the same pet, so the next read is not served from the ' +
          'cache.',
        'The bare server creates one Response per request from a constant body and a constant Headers object. The ' +
          'static reply is sent by the runtime without JavaScript. The run checks that all servers send the same ' +
          'body, and that the bare servers send the same headers as the store. Of Date, X-Request-Id and RateLimit ' +
          'it compares only the length.',
      ],
    },
    {
      ...list,
      title: 'listPets: the first 20 available pets',
      about: [
        `\`GET ${LIST_PATH}\` on SQLite with the demo shop and ${LIST_PETS.toLocaleString('en')} more pets, of which ` +
          `three quarters are available. ${CONNECTIONS} connections, against bare servers that send the same bytes. ` +
          CACHED,
      ],
    },
  ]
}

interface MeasuredStore {
  readonly name: string
  readonly store: ServerProcess
  /** The ratio to the bare runtime that the store must reach. */
  readonly target: Target
  /** Whether every `WRITE_EVERY`-th request writes the row that the others read. The bare servers get only reads. */
  readonly writes?: boolean
}

/** Compares stores with two bare servers: one with a handler, one with a static reply. All send the same body. */
async function compare(
  stores: readonly MeasuredStore[],
  path: string,
  schedule: Schedule,
): Promise<Pick<Section, 'results' | 'ratios'>> {
  const [first, ...others] = stores
  if (!first) throw new Error('there is no store to compare')
  const reply = await rawGet(first.store.port, path)
  for (const { name, store } of others) {
    // The headers differ, because Link contains the port.
    if ((await rawGet(store.port, path)).body !== reply.body)
      throw new Error(`${name} sends a different body`)
  }
  await using bare = await startBare(first.store, path, false)
  await using bareStatic = await startBare(first.store, path, true)
  const bodyBytes = Buffer.byteLength(reply.body)
  const contestant = (name: string, { port, pid }: ServerProcess, writes = false): Contestant => ({
    name,
    run: seconds => {
      const load = { port, pid, connections: CONNECTIONS, seconds }
      if (!writes) return generateReads(load, path, bodyBytes)
      return generateReadsAndWrites(load, { target: path, writeTarget: WRITE_PATH, writeEvery: WRITE_EVERY })
    },
  })
  const results = await interleave(
    [
      ...stores.map(({ name, store, writes }) => contestant(`${name}, petstore`, store, writes)),
      contestant('bare Bun.serve', bare),
      contestant('bare Bun.serve, static reply', bareStatic),
    ],
    schedule,
  )
  const [against, againstStatic] = results.slice(stores.length)
  if (!against || !againstStatic) throw new Error('a contestant has no result')
  const ratios = stores.flatMap((measured, index): Ratio[] => {
    const of = results[index]
    if (!of) throw new Error('a contestant has no result')
    const { name } = measured
    return [
      { name: `${name} against the bare runtime`, of, against, target: measured.target, unit: '%' },
      { name: `${name} against a static reply`, of, against: againstStatic, unit: '%' },
    ]
  })
  return { results, ratios }
}

/** Starts a bare server that responds as the store does. Throws unless the replies are the same. */
async function startBare(store: ServerProcess, path: string, isStatic: boolean): Promise<ServerProcess> {
  const reply = await rawGet(store.port, path)
  // The runtime adds these fields itself, to every reply of both servers.
  const runtimeFields = ['Date', 'Content-Length']
  const headers = Object.fromEntries([...reply.headers].filter(([name]) => !runtimeFields.includes(name)))
  const port = freePort()
  const input = JSON.stringify({ port, isStatic, body: reply.body, headers })
  const bare = await startServerProcess([programFile('bare-server.ts'), input], START_ENVIRONMENT, port)
  assertSame(await rawGet(store.port, path), await rawGet(bare.port, path))
  return bare
}
