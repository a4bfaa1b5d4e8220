import { Database } from 'bun:sqlite'
import { Pet } from '../src/shop/pets/schema.ts'
import { parseJson } from '../src/values/json.ts'
import type { ServerProcess } from './child.ts'
import { generateOrders, generateReads } from './generate.ts'
import { assertAllThere } from './orders.ts'
import { findNode, installPeers, type Node, peerVersion } from './peer-packages.ts'
import {
  fastifyDatabaseFile,
  startFastify,
  startJsonServer,
  startMockoon,
  startPrism,
} from './peer-servers.ts'
import { rawGet } from './raw-reply.ts'
import {
  type Contestant,
  type CountingContestant,
  countingContestant,
  interleave,
  type Schedule,
} from './sample.ts'
import type { Ratio, Section } from './section.ts'
import { makeSqliteStore, openTempDirectory, startStore } from './store.ts'

const CONNECTIONS = 64
const TARGET = '/pets/1'
/** The number of pets that are ordered at random, one unit at a time. */
const PETS = 1000

const FASTIFY = 'Fastify + better-sqlite3'

/**
 * Compares the store with a pet store on Fastify, in reads of a pet and in orders, and with mock servers in reads.
 * Installs these peers at the first run.
 */
export async function benchPeers(schedule: Schedule): Promise<Section[]> {
  const node = await findNode()
  await installPeers(node)
  return [await benchPeerReads(node, schedule), await benchPeerOrders(node, schedule)]
}

async function benchPeerReads(node: Node, schedule: Schedule): Promise<Section> {
  using files = openTempDirectory()
  const demo = await makeSqliteStore(files.folder('demo'), 0, 'mixed')
  const uncachedDemo = await makeSqliteStore(files.folder('uncached'), 0, 'mixed')
  const host = { node, directory: files.folder('peers') }
  await using fastifyServer = await startFastify(host, demo)
  await using store = await startStore(demo)
  await using uncachedStore = await startStore(uncachedDemo, { cache: 'off' })
  const pet = (await rawGet(store.port, TARGET)).body
  await using jsonServer = await startJsonServer(host, pet)
  await using prismServer = await startPrism(host)
  await using mockoonServer = await startMockoon(host, TARGET, pet)
  const isSameText = (body: string): boolean => body === pet
  const isSameValue = (body: string): boolean => Bun.deepEquals(parseJson(body), parseJson(pet))
  const results = await interleave(
    [
      await reader('getPet, petstore', store, isSameText),
      await reader('getPet with PETSTORE_CACHE=off, petstore', uncachedStore, isSameText),
      await reader(FASTIFY, fastifyServer, isSameText),
      await reader('json-server', jsonServer, isSameValue),
      await reader('Prism', prismServer, body => Pet.safeParse(parseJson(body)).success),
      await reader('Mockoon', mockoonServer, isSameText),
    ],
    schedule,
  )
  const [cached, uncached, fastify, ...mocks] = results
  if (!cached || !uncached || !fastify) throw new Error('a contestant has no result')
  const target = { required: 2 }
  return {
    title: 'getPet against other servers',
    about: aboutReads(node),
    results,
    ratios: [
      { name: `getPet against ${FASTIFY}`, of: cached, against: fastify, target, unit: 'x' },
      {
        name: `getPet with PETSTORE_CACHE=off against ${FASTIFY}`,
        of: uncached,
        against: fastify,
        unit: 'x',
      },
      ...mocks.map(
        (against): Ratio => ({ name: `getPet against ${against.name}`, of: cached, against, unit: 'x' }),
      ),
    ],
  }
}

/**
 * Returns a contestant that reads the pet. Throws unless its first reply is correct. Under load, only the status and
 * the length of each reply are checked.
 */
async function reader(
  name: string,
  { port, pid }: ServerProcess,
  isRight: (body: string) => boolean,
): Promise<Contestant> {
  const { statusLine, body } = await rawGet(port, TARGET)
  if (statusLine !== 'HTTP/1.1 200 OK' || !isRight(body)) {
    throw new Error(`${name} sends a wrong pet: ${statusLine}, ${body}`)
  }
  const bodyBytes = Buffer.byteLength(body)
  return {
    name,
    run: seconds => generateReads({ port, pid, connections: CONNECTIONS, seconds }, TARGET, bodyBytes),
  }
}

function aboutReads({ version }: Node): string[] {
  return [
    `\`GET ${TARGET}\`, ${CONNECTIONS} connections, one process per server. petstore is the demo shop on SQLite with ` +
      'rate limit, validation, ETag, lifecycle headers, metrics and a log line per request (to /dev/null). Every ' +
      'request has the same target, so all but the first two are served from its cache of representations. With ' +
      'PETSTORE_CACHE=off, each one reads the database.',
    `The others run on Node ${version} with NODE_ENV=production. ${FASTIFY} (${peerVersion('fastify')}, ` +
      `${peerVersion('better-sqlite3')}) is the small program bench/peers/fastify-server.mjs. It has the same row, ` +
      'and sends the same body. For each request it validates the id with a JSON schema, runs one prepared ' +
      'statement, and writes the body with the serializer that Fastify generates from a JSON schema. It has no ' +
      'cache, rate limit, ETag, lifecycle headers, metrics or log.',
    'The other three are mock servers without a database, with their default settings except for the log. ' +
      `json-server (${peerVersion('json-server')}, --quiet) holds the same pet in memory, and sends it with line ` +
      `breaks and an ETag. Prism (${peerVersion('@stoplight/prism-cli')}, silent) validates every request and ` +
      'response against openapi.yaml, and sends the example from it, which is another pet. Mockoon ' +
      `(${peerVersion('@mockoon/cli')}, without its admin API) sends the same body as a constant text, without ` +
      'templates. It has no option to disable its log line per request, which goes to /dev/null. The run checks the ' +
      'first body of each side, and the status and length of every response.',
  ]
}

async function benchPeerOrders(node: Node, schedule: Schedule): Promise<Section> {
  using files = openTempDirectory()
  const place = await makeSqliteStore(files.folder('store'), PETS, 'available')
  const host = { node, directory: files.folder('peers') }
  await using fastifyServer = await startFastify(host, place)
  await using store = await startStore(place)
  const buyer = (name: string, { port, pid }: ServerProcess): CountingContestant =>
    countingContestant(name, seconds =>
      generateOrders(
        { port, pid, connections: CONNECTIONS, seconds },
        { pets: PETS, idempotencyKeyPrefix: null },
      ),
    )
  const buyers = [buyer('placeOrder, petstore', store), buyer(FASTIFY, fastifyServer)] as const
  const results = await interleave(buyers, schedule)
  const [ofStore, ofFastify] = buyers
  assertAllThere(place.directory, ofStore.answered(), false)
  assertFastifyOrders(fastifyDatabaseFile(host), ofFastify.answered())
  const [of, against] = results
  if (!of || !against) throw new Error('a contestant has no result')
  return {
    title: `placeOrder against ${FASTIFY}`,
    about: aboutOrders(node),
    results,
    ratios: [{ name: `placeOrder against ${FASTIFY}`, of, against, unit: 'x' }],
  }
}

/** Throws unless Fastify's database has exactly the orders that got a response, and their units are reserved. */
function assertFastifyOrders(file: string, answered: number): void {
  using database = new Database(file, { readonly: true })
  const counts = database
    .query<{ orders: number; reserved: number }, []>(
      'SELECT (SELECT count(*) FROM orders) AS orders, (SELECT sum(reserved) FROM pet) AS reserved',
    )
    .get()
  if (counts?.orders !== answered || counts.reserved !== answered) {
    throw new Error(`${answered} orders got the response 201; ${FASTIFY} has ${JSON.stringify(counts)}`)
  }
}

function aboutOrders({ version }: Node): string[] {
  return [
    `\`POST /store/orders\`, ${CONNECTIONS} clients, each order for one unit of a pet chosen at random from ${PETS}, ` +
      'no Idempotency-Key. On both sides each order is durable before the response is sent (WAL, synchronous=FULL), ' +
      'and an order that exceeds the stock is refused. petstore has everything enabled: it checks the API key ' +
      'and the rate limit, writes a movement of stock and two events for each order, and maintains the indexes of ' +
      'its lists. Its writer commits the orders that wait together in one transaction.',
    `${FASTIFY} (${peerVersion('fastify')}, ${peerVersion('better-sqlite3')}, Node ${version}) runs one transaction ` +
      'per request with two prepared statements: a conditional UPDATE of the stock, and the INSERT of the order. It ' +
      'validates the body with a JSON schema, and has no keys, rate limit, events, movements, metrics, log, or index ' +
      'other than the primary keys. The run checks at its end that both databases have exactly the orders with a 201 ' +
      'response.',
  ]
}
