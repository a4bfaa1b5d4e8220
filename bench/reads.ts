import { logUniform, oneOf, type Range, type Request, runLoad } from './load.ts'
import { cpuUsOf, interleave, rateOf, ratios, type Schedule, type Side, side } from './measure.ts'
import { installPeers, peerVersions, startFastify, startHono } from './peers.ts'
import { assertSame, partsOf, rawGet } from './reply.ts'
import { figureRows, type Report, type Row } from './report.ts'
import { freePort, pathOf, type Server, startServer } from './server.ts'
import {
  cursorWith,
  DEMO_PETS,
  KEYED,
  makeStore,
  openTempDirectory,
  RUNTIME_ENVIRONMENT,
  startStore,
} from './store.ts'

const CONNECTIONS = 64
/** The numbers of clients that show how the rate grows with them. */
const CLIENTS = [1, 4, 16, CONNECTIONS]
const PETS = 100_000
/** The number of cursors of which each read of a list takes one at random. */
const CURSORS = 400
const GET_PATH = '/pets/1'
/** The stock of the pet that is read. Setting it drops the pet from the cache, because both are one row. */
const WRITE_PATH = '/store/inventory/1'
const READS_PER_WRITE = 9

const names = ['petstore', 'cache off', 'Hono', 'Fastify', 'bare'] as const
type Name = (typeof names)[number]

/** Requests that several servers get, and how the first of two must compare with the second. */
interface Comparison {
  readonly name: string
  readonly requests: readonly Request[]
  /** What servers other than petstore get instead, which do not know its cursors or writes. */
  readonly ofOthers?: readonly Request[]
  readonly connections?: number
  /** By processor time, unless `byRate` is true: requests per second. */
  readonly ratios: readonly (Pick<Row, 'atLeast' | 'aim'> & {
    readonly of: Name
    readonly against: Name
    readonly byRate?: true
  })[]
}

/** A miss may cost this much more than a read without the cache. */
const MISS = { of: 'petstore', against: 'cache off', atLeast: 0.95 } as const
const OVER_HONO = { of: 'petstore', against: 'Hono', aim: 1 } as const
const get = (target: () => string): Request[] => [{ target }]

function petReads(pets: Range): Comparison[] {
  const ofPet = (next: () => number): Request[] => get(() => `/pets/${next()}`)
  return [
    {
      name: 'one path',
      requests: get(() => GET_PATH),
      ratios: [
        { of: 'petstore', against: 'bare', atLeast: 0.5 },
        { of: 'petstore', against: 'Fastify', atLeast: 2, byRate: true },
        { of: 'cache off', against: 'bare', atLeast: 0.3, aim: 0.4 },
        { of: 'cache off', against: 'Fastify', atLeast: 1 },
        OVER_HONO,
      ],
    },
    {
      name: `random of ${DEMO_PETS}`,
      requests: ofPet(oneOf({ first: 1, count: DEMO_PETS })),
      ratios: [OVER_HONO, { of: 'petstore', against: 'Fastify' }, { of: 'petstore', against: 'bare' }],
    },
    {
      name: 'random of 100,000',
      requests: ofPet(oneOf(pets)),
      ratios: [
        { of: 'petstore', against: 'bare', atLeast: 0.24, aim: 0.3 },
        MISS,
        { of: 'petstore', against: 'Fastify', atLeast: 1 },
        OVER_HONO,
      ],
    },
    {
      name: 'log-uniform of 100,000',
      requests: ofPet(logUniform(pets)),
      ratios: [
        { of: 'petstore', against: 'bare', atLeast: 0.35 },
        { of: 'petstore', against: 'Fastify' },
        OVER_HONO,
      ],
    },
    {
      name: 'random of 100,000, with a key',
      requests: ofPet(oneOf(pets)).map(request => ({ ...request, headers: () => KEYED })),
      ratios: [MISS],
    },
  ]
}

function listReads(pets: Range, cursors: readonly string[]): Comparison[] {
  const index = oneOf({ first: 0, count: CURSORS })
  const after = oneOf({ first: pets.first, count: PETS - 20 })
  const start = oneOf({ first: 1000, count: 9000 })
  return [
    {
      name: `20 pets after a random one of ${CURSORS} cursors`,
      requests: get(() => `/pets?limit=20&cursor=${cursors[index()]}`),
      ofOthers: get(() => `/pets?after=${after()}`),
      ratios: [
        MISS,
        { of: 'cache off', against: 'Fastify', atLeast: 1 },
        { of: 'cache off', against: 'Hono', aim: 0.67 },
      ],
    },
    {
      name: '20 pets with one of 9,000 starts of the name',
      requests: get(() => `/pets?limit=20&name=bench%20pet%20${start()}`),
      ratios: [MISS],
    },
  ]
}

function readsAtOnce(pets: Range): Comparison[] {
  const next = logUniform(pets)
  return CLIENTS.map(connections => ({
    name: `log-uniform of 100,000, ${connections} at once`,
    requests: get(() => `/pets/${next()}`),
    connections,
    ratios: [{ of: 'petstore', against: 'Hono', byRate: true }],
  }))
}

function withWrites(): Comparison {
  let quantity = 100_000
  const write: Request = {
    method: 'PUT',
    target: () => WRITE_PATH,
    headers: () => KEYED,
    body: () => `{"quantity":${quantity++}}`,
  }
  const reads = Array.from({ length: READS_PER_WRITE }, () => ({ target: () => GET_PATH }))
  return {
    name: 'one path, and one write in ten requests',
    requests: [...reads, write],
    ofOthers: get(() => GET_PATH),
    ratios: [{ of: 'petstore', against: 'bare', atLeast: 0.35, byRate: true }],
  }
}

/** Measures reads of the store beside two small stores, and beside the bare runtime that sends the same bytes. */
export async function benchReads(schedule: Schedule): Promise<Report> {
  installPeers()
  using files = openTempDirectory()
  const place = { directory: files.folder('petstore') }
  const uncachedPlace = { directory: files.folder('uncached') }
  const pets = await makeStore(place, PETS)
  await makeStore(uncachedPlace, PETS)
  await using hono = await startHono(files.path, place)
  await using fastify = await startFastify(files.path, place)
  await using petstore = await startStore(place)
  await using uncached = await startStore(uncachedPlace, { PETSTORE_CACHE: 'off' })
  await using bare = await startBare(petstore)
  const servers = { petstore, 'cache off': uncached, Hono: hono, Fastify: fastify, bare }
  const rows: Row[] = []
  const lists = listReads(pets, await cursorsOf(petstore, pets))
  const comparisons = [...petReads(pets), ...lists, withWrites(), ...readsAtOnce(pets)]
  for (const comparison of comparisons) rows.push(...(await compare(servers, comparison, schedule)))
  return { about: about(), rows }
}

async function compare(
  servers: Readonly<Record<Name, Server>>,
  { name, requests, ofOthers = requests, connections = CONNECTIONS, ratios: wanted }: Comparison,
  schedule: Schedule,
): Promise<Row[]> {
  const compared = names.filter(one => wanted.some(({ of, against }) => one === of || one === against))
  const sideOf = (one: Name): Side => {
    const sent = one === 'petstore' || one === 'cache off' ? requests : ofOthers
    const load = { server: servers[one], requests: sent, connections }
    return side(one, seconds => runLoad(load, seconds))
  }
  process.stderr.write(`  ${name}\n`)
  const sides = new Map(compared.map(one => [one, sideOf(one)]))
  await interleave([...sides.values()], schedule)
  const isByRate = wanted.some(({ byRate, atLeast }) => byRate && atLeast !== undefined)
  const figures = [...sides].flatMap(([one, { samples }]) =>
    figureRows(`${name}: ${one}`, samples, isByRate && one === 'petstore'),
  )
  const compareSides = wanted.map(({ of, against, byRate, ...bounds }): Row => {
    const [one, other] = [sides.get(of), sides.get(against)]
    if (!one || !other) throw new Error(`${name} has no side ${of} or ${against}`)
    // Less processor time is better, so its ratio is the other way round.
    const values = byRate ? ratios(one, other, rateOf) : ratios(other, one, cpuUsOf)
    const unit = against === 'Fastify' && byRate ? 'x' : '%'
    return { name: `${name}: ${of} against ${against}${byRate ? '' : ' (CPU)'}`, values, unit, ...bounds }
  })
  return [...figures, ...compareSides]
}

/** Returns the cursors of pages that begin all over the list. */
async function cursorsOf(store: Server, { first }: Range): Promise<string[]> {
  const ids = Array.from(
    { length: CURSORS },
    (_, index) => first + Math.floor((index * (PETS - 20)) / CURSORS),
  )
  return await Promise.all(ids.map(id => cursorWith(store, '/pets?limit=20', [id, id])))
}

/** Starts a bare server that sends the reply of the store to `GET_PATH`. Throws unless both send the same bytes. */
async function startBare(store: Server): Promise<Server> {
  const reply = await rawGet(store.port, GET_PATH)
  const { fields, body } = partsOf(reply)
  // The runtime adds Date and Content-Length itself, to every reply of both servers.
  const headers = Object.fromEntries(
    fields.filter(field => !/^(Date|Content-Length):/.test(field)).map(field => field.split(/: (.*)/, 2)),
  )
  const port = freePort()
  const command = [process.execPath, pathOf('bare-server.ts'), JSON.stringify({ port, body, headers })]
  const bare = await startServer(port, command, RUNTIME_ENVIRONMENT)
  assertSame(reply, await rawGet(port, GET_PATH))
  return bare
}

function about(): string {
  return (
    `SQLite with the demo shop and ${PETS.toLocaleString('en')} more pets, and ${CONNECTIONS} clients, unless a ` +
    'row says how many. petstore has everything enabled: rate limit, validation, ETag, lifecycle headers, metrics and a log line per ' +
    `request. Hono and Fastify are the small programs in bench/peers (${peerVersions()}), with the same rows, ` +
    'without these. The bare server creates one Response per request from a constant body and constant headers, ' +
    'which are the bytes of the store. Log-uniform: the first 10 pets are read as often as the 90 after them, ' +
    'and as the 900 after those.'
  )
}
