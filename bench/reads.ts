import { freePort, programFile, type ServerProcess, startServerProcess } from './child.ts'
import { generateReadsAndWrites, generateVariedReads, type VariedRead } from './generate.ts'
import { findNode, installPeers, peerVersion } from './peer-packages.ts'
import { startFastify, startHono } from './peer-servers.ts'
import { assertSame, type RawReply, rawGet } from './raw-reply.ts'
import { type Contestant, cpuUsPerRequest, interleave, type Result, type Schedule } from './sample.ts'
import { type Ratio, type Section, spreadText, type Target, table } from './section.ts'
import {
  ADMIN_KEY,
  makeSqliteStore,
  openTempDirectory,
  PET_ID_FIRST,
  START_ENVIRONMENT,
  startStore,
} from './store.ts'

const CONNECTIONS = 64
const PETS = 100_000
const DEMO_PETS = 349
/** The number of cursors of which each read of a list takes one at random. */
const CURSORS = 400
/** Every tenth request is a write, if there are writes. */
const WRITE_EVERY = 10

const GET_PATH = '/pets/1'
/** The stock of the pet that is read. Setting it drops the pet from the cache, because both are one row. */
const WRITE_PATH = '/store/inventory/1'
const KEYED = { Authorization: `Bearer ${ADMIN_KEY}` }

const STORE = 'petstore'
const UNCACHED = 'cache off'
const HONO = 'Hono'
const FASTIFY = 'Fastify'
const BARE = 'bare'
const STATIC = 'static'
type Side = typeof STORE | typeof UNCACHED | typeof HONO | typeof FASTIFY | typeof BARE | typeof STATIC

/** A read that several sides send, and the ratios by processor time that it must have. */
interface ComparedRead {
  readonly name: string
  readonly read: Pick<VariedRead, 'target'> & Partial<VariedRead>
  /** The same read in the notation of Hono and Fastify, which do not know the cursors of the store. */
  readonly ofPeers?: Pick<VariedRead, 'target'> & Partial<VariedRead>
  readonly sides: readonly Side[]
  readonly targets: readonly (readonly [of: Side, against: Side, target: Omit<Target, 'isByCpu'>])[]
}

/** A miss may cost this much more than a read without the cache. */
const MISS = { required: 1 / 1.05 }
const NOT_DEARER = { required: 1 }
const AHEAD = { required: 0, aim: 1 }
const random = (first: number, count: number, isLogUniform = false) => ({
  random: { n: { first, count, step: 1, isLogUniform } },
})
const ALL = [STORE, UNCACHED, HONO, FASTIFY, BARE] as const

const getReads: readonly ComparedRead[] = [
  {
    name: 'one path',
    read: { target: GET_PATH },
    sides: [...ALL, STATIC],
    targets: [
      [STORE, BARE, { required: 0.5 }],
      [UNCACHED, BARE, { required: 0.3, aim: 0.4 }],
      [STORE, HONO, AHEAD],
      [UNCACHED, HONO, AHEAD],
      [UNCACHED, FASTIFY, NOT_DEARER],
    ],
  },
  {
    name: `random of ${DEMO_PETS}`,
    read: { target: '/pets/{n}', ...random(1, DEMO_PETS) },
    sides: ALL,
    targets: [[STORE, HONO, AHEAD]],
  },
  {
    name: 'random of 100,000',
    read: { target: '/pets/{n}', ...random(PET_ID_FIRST, PETS) },
    sides: ALL,
    targets: [
      [STORE, BARE, { required: 0.24, aim: 0.3 }],
      [STORE, UNCACHED, MISS],
      [STORE, HONO, AHEAD],
      [STORE, FASTIFY, NOT_DEARER],
    ],
  },
  {
    name: 'log-uniform of 100,000',
    read: { target: '/pets/{n}', ...random(PET_ID_FIRST, PETS, true) },
    sides: ALL,
    targets: [
      [STORE, BARE, { required: 0.35 }],
      [STORE, HONO, AHEAD],
    ],
  },
]

const keyedReads = (etag: string): readonly ComparedRead[] => [
  {
    name: 'one path',
    read: { target: GET_PATH, headers: KEYED },
    sides: [STORE, UNCACHED, BARE],
    targets: [],
  },
  {
    name: 'random of 100,000',
    read: { target: '/pets/{n}', headers: KEYED, ...random(PET_ID_FIRST, PETS) },
    sides: [STORE, UNCACHED],
    targets: [[STORE, UNCACHED, MISS]],
  },
  {
    name: '304, without a key',
    read: { target: GET_PATH, headers: { 'If-None-Match': etag }, status: 304 },
    sides: [STORE, UNCACHED, BARE],
    targets: [],
  },
  {
    name: '304, with a key',
    read: { target: GET_PATH, headers: { ...KEYED, 'If-None-Match': etag }, status: 304 },
    sides: [STORE, UNCACHED],
    targets: [],
  },
]

const listReads = (cursors: string[]): readonly ComparedRead[] => [
  {
    name: `after a random one of ${CURSORS} cursors`,
    read: { target: '/pets?limit=20&cursor={n}', random: { n: cursors } },
    ofPeers: { target: '/pets?after={n}', ...random(PET_ID_FIRST, PETS - 20) },
    sides: [STORE, UNCACHED, HONO, FASTIFY],
    targets: [
      [STORE, UNCACHED, MISS],
      [UNCACHED, FASTIFY, NOT_DEARER],
      [UNCACHED, HONO, { required: 0, aim: 1 / 1.5 }],
    ],
  },
  {
    name: 'with one of 9,000 starts of the name',
    read: { target: '/pets?limit=20&name=bench%20pet%20{n}', ...random(1000, 9000) },
    sides: [STORE, UNCACHED],
    targets: [[STORE, UNCACHED, MISS]],
  },
]

/** Measures reads of the store beside two small stores, and beside the bare runtime that sends the same bytes. */
export async function benchReads(schedule: Schedule): Promise<Section[]> {
  const node = await findNode()
  await installPeers(node)
  using files = openTempDirectory()
  const place = await makeSqliteStore(files.folder('petstore'), PETS, 'mixed')
  const host = { node, directory: files.folder('peers') }
  await using hono = await startHono(host.directory, place)
  await using fastify = await startFastify(host, place)
  await using store = await startStore(place)
  await using uncached = await startStore(await makeSqliteStore(files.folder('uncached'), PETS, 'mixed'), {
    cache: 'off',
  })
  const reply = await rawGet(store.port, GET_PATH)
  const etag = reply.headers.get('ETag') ?? ''
  const notModified = await rawGet(store.port, GET_PATH, { 'If-None-Match': etag })
  await using bare = await startBare(store, reply, false)
  await using bareStatic = await startBare(store, reply, true)
  await using bare304 = await startBare(store, notModified, false)
  const servers = {
    [STORE]: store,
    [UNCACHED]: uncached,
    [HONO]: hono,
    [FASTIFY]: fastify,
    [STATIC]: bareStatic,
  }
  const compare = (reads: readonly ComparedRead[]): Promise<Compared> =>
    compareReads(reads, ({ status }) => ({ ...servers, [BARE]: status === 304 ? bare304 : bare }), schedule)
  return [
    sectionOf('getPet: one pet by its id', aboutGet(), await compare(getReads)),
    sectionOf('getPet with a key, and with If-None-Match', [], await compare(keyedReads(etag))),
    sectionOf('listPets: 20 pets', [], await compare(listReads(await cursorsOf(store)))),
    await benchWrites(store, bare, schedule),
  ]
}

type Servers = Readonly<Record<Side, ServerProcess>>

interface Compared {
  readonly rows: readonly (readonly [name: string, results: ReadonlyMap<Side, Result>])[]
  readonly ratios: readonly Ratio[]
}

/** Sends each read to its sides in turn. */
async function compareReads(
  reads: readonly ComparedRead[],
  serversOf: (read: Partial<VariedRead>) => Servers,
  schedule: Schedule,
): Promise<Compared> {
  const rows: [string, ReadonlyMap<Side, Result>][] = []
  const ratios: Ratio[] = []
  for (const { name, read, ofPeers = read, sides, targets } of reads) {
    const contestants = sides.map((side): Contestant => {
      const { port, pid } = serversOf(read)[side]
      const sent = { random: {}, headers: {}, ...(side === HONO || side === FASTIFY ? ofPeers : read) }
      return {
        name: `${name}, ${side}`,
        run: seconds => generateVariedReads({ port, pid, connections: CONNECTIONS, seconds }, sent),
      }
    })
    const results = await interleave(contestants, schedule)
    const bySide = new Map(sides.flatMap((side, index) => (results[index] ? [[side, results[index]]] : [])))
    rows.push([name, bySide])
    for (const [side, other, target] of targets) {
      const [of, against] = [bySide.get(side), bySide.get(other)]
      if (!of || !against) throw new Error(`${name} has no result of ${side} or ${other}`)
      ratios.push({
        name: `${name}: ${side} against ${other}`,
        of,
        against,
        target: { ...target, isByCpu: true },
        unit: '%',
      })
    }
  }
  return { rows, ratios }
}

function sectionOf(title: string, about: readonly string[], { rows, ratios }: Compared): Section {
  const sides = [...new Set(rows.flatMap(([, results]) => [...results.keys()]))]
  const cells = rows.map(([name, results]) => [
    name,
    ...sides.map(side => {
      const result = results.get(side)
      return result ? spreadText(cpuUsPerRequest(result), 1) : ''
    }),
  ])
  return { title, about: [...about, table(['CPU µs per request', ...sides], cells)], results: [], ratios }
}

function aboutGet(): string[] {
  return [
    `SQLite with the demo shop and ${PETS.toLocaleString('en')} more pets, ${CONNECTIONS} connections. petstore has ` +
      'everything enabled: rate limit, validation, ETag, lifecycle headers, metrics and a log line per request (to ' +
      `/dev/null). ${HONO} (${peerVersion('hono')}, bun:sqlite) and ${FASTIFY} (${peerVersion('fastify')}, ` +
      `${peerVersion('better-sqlite3')}) are the small programs in bench/peers, with the same rows, without these. ` +
      'The bare server creates one Response per request from a constant body and a constant Headers object; the ' +
      'static reply is sent by the runtime without JavaScript. Both send the bytes of the store.',
    'Log-uniform: the first 10 pets are read as often as the 90 after them, and as the 900 after those.',
  ]
}

/** Returns the cursors of pages that begin all over the list. */
async function cursorsOf({ port }: ServerProcess): Promise<string[]> {
  const link = (await rawGet(port, '/pets?limit=20')).headers.get('Link') ?? ''
  const [, cursor = ''] = /cursor=([\w-]+)>; rel="next"/.exec(link) ?? []
  const [hash]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return Array.from({ length: CURSORS }, (_, index) => {
    const id = PET_ID_FIRST + Math.floor((index * (PETS - 20)) / CURSORS)
    return Buffer.from(JSON.stringify([hash, id, id])).toString('base64url')
  })
}

/** Measures reads of one pet whose stock every tenth request changes. The bare server gets only reads. */
async function benchWrites(store: ServerProcess, bare: ServerProcess, schedule: Schedule): Promise<Section> {
  const load = (seconds: number, { port, pid }: ServerProcess) => ({
    port,
    pid,
    connections: CONNECTIONS,
    seconds,
  })
  const writes = { target: GET_PATH, writeTarget: WRITE_PATH, writeEvery: WRITE_EVERY }
  const read = { target: GET_PATH, random: {}, headers: {} }
  const results = await interleave(
    [
      {
        name: 'getPet, and one write in ten requests, petstore',
        run: seconds => generateReadsAndWrites(load(seconds, store), writes),
      },
      { name: 'getPet, bare', run: seconds => generateVariedReads(load(seconds, bare), read) },
    ],
    schedule,
  )
  const [of, against] = results
  if (!of || !against) throw new Error('a contestant has no result')
  return {
    title: 'getPet, and one write in ten requests',
    about: [
      'Every tenth request sets the stock of the pet that the others read, so the next read is a miss.',
    ],
    results,
    ratios: [{ name: 'petstore against bare', of, against, target: { required: 0.35 }, unit: '%' }],
  }
}

/** Starts a bare server that sends a reply of the store. Throws unless both send the same bytes. */
async function startBare(
  { port: storePort }: ServerProcess,
  reply: RawReply,
  isStatic: boolean,
): Promise<ServerProcess> {
  // The runtime adds these fields itself, to every reply of both servers.
  const runtimeFields = ['Date', 'Content-Length']
  const headers = Object.fromEntries([...reply.headers].filter(([name]) => !runtimeFields.includes(name)))
  const status = Number(reply.statusLine.split(' ')[1])
  const port = freePort()
  const input = JSON.stringify({ port, isStatic, status, body: reply.body, headers })
  const bare = await startServerProcess([programFile('bare-server.ts'), input], START_ENVIRONMENT, port)
  const condition = status === 304 ? { 'If-None-Match': reply.headers.get('ETag') ?? '' } : {}
  assertSame(await rawGet(storePort, GET_PATH, condition), await rawGet(port, GET_PATH))
  return bare
}
