import { Database } from 'bun:sqlite'
import { databaseFile } from '../src/engine/sqlite.ts'
import { freePort, programFile, type ServerProcess, startServerProcess } from './child.ts'
import { generateOrders, runForSample } from './generate.ts'
import { assertSameStatements } from './order-command.ts'
import {
  type CountingContestant,
  countingContestant,
  interleave,
  type Result,
  type Schedule,
} from './sample.ts'
import type { Section } from './section.ts'
import {
  ADMIN_KEY,
  makeSqliteStore,
  openTempDirectory,
  PET_ID_FIRST,
  START_ENVIRONMENT,
  startStore,
} from './store.ts'

const CLIENTS = 64
const CEILING_BATCH = 64
/** The number of pets that are ordered at random, one unit at a time. */
const PETS = 1000

/** Measures durable orders on SQLite, compared with its limits. */
export async function benchOrders(schedule: Schedule): Promise<Section[]> {
  return [await benchSqliteOrders(schedule, false), await benchSqliteOrders(schedule, true)]
}

async function benchSqliteOrders(schedule: Schedule, isKeyed: boolean): Promise<Section> {
  using files = openTempDirectory()
  const fill = async (name: string): Promise<string> => {
    const directory = files.folder(name)
    await makeSqliteStore(directory, PETS, 'available')
    return directory
  }
  const directories = {
    group: await fill('group'),
    single: await fill('single'),
    bare: await fill('bare'),
    verbs: await fill('verbs'),
    statements: await fill('statements'),
  }
  await using group = await startStore({ directory: directories.group })
  await using single = await startStore({ directory: directories.single }, { preload: 'one-commit.ts' })
  await using bare = await startBareServer(directories.bare, await headersOfOrder(await fill('sample')))
  const nextIdempotencyKeyPrefix = idempotencyKeyPrefixSource(isKeyed)
  const served = (name: string, { port, pid }: ServerProcess): CountingContestant =>
    countingContestant(name, seconds =>
      generateOrders(
        { port, pid, connections: CLIENTS, seconds },
        { pets: PETS, idempotencyKeyPrefix: nextIdempotencyKeyPrefix() },
      ),
    )
  const direct = (name: string, variant: 'verbs' | 'statements'): CountingContestant =>
    countingContestant(name, seconds =>
      runForSample(
        'sqlite-ceiling.ts',
        {
          file: databaseFile(directories[variant]),
          variant,
          batchSize: CEILING_BATCH,
          idempotencyKeyPrefix: nextIdempotencyKeyPrefix(),
          petIdFirst: PET_ID_FIRST,
          pets: PETS,
          seconds,
        },
        START_ENVIRONMENT,
      ),
    )
  const contestants = {
    group: served('placeOrder, petstore', group),
    single: served('one commit per request, the same program', single),
    bare: served('bare Bun.serve with the same writer', bare),
    verbs: direct('SQLite: the same verbs, no HTTP', 'verbs'),
    statements: direct('SQLite: bare statements, no HTTP', 'statements'),
  }
  const results = await interleave(Object.values(contestants), schedule)
  for (const name of ['group', 'single', 'bare', 'verbs', 'statements'] as const) {
    assertAllThere(directories[name], contestants[name].answered(), isKeyed)
  }
  await assertSameStatements(databaseFile(directories.verbs), BigInt(PET_ID_FIRST))
  return sectionOf(isKeyed, results)
}

/** Headers that the runtime adds to a response, and headers that differ between orders. */
const OTHER_HEADERS = ['date', 'content-length', 'etag', 'location']

/** Places an order in a store, and returns those headers of the response that another order has too. */
async function headersOfOrder(directory: string): Promise<Record<string, string>> {
  await using store = await startStore({ directory })
  const response = await fetch(`http://127.0.0.1:${store.port}/store/orders`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ petId: PET_ID_FIRST, quantity: 1 }),
  })
  if (response.status !== 201) throw new Error(`an order got ${response.status}: ${await response.text()}`)
  return Object.fromEntries([...response.headers].filter(([name]) => !OTHER_HEADERS.includes(name)))
}

function startBareServer(directory: string, headers: Record<string, string>): Promise<ServerProcess> {
  const port = freePort()
  const input = JSON.stringify({ port, directory, headers })
  return startServerProcess([programFile('bare-order-server.ts'), input], START_ENVIRONMENT, port)
}

/** Returns a function that returns a new prefix of idempotency keys at each call, or always null without keys. */
function idempotencyKeyPrefixSource(isKeyed: boolean): () => string | null {
  let count = 0
  return () => (isKeyed ? `bench-${++count}` : null)
}

/** Throws unless the store has exactly the orders that got a response, with all their rows. */
export function assertAllThere(directory: string, answered: number, isKeyed: boolean): void {
  using database = new Database(databaseFile(directory), { readonly: true })
  const count = (tableAndCondition: string): number =>
    database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${tableAndCondition}`).get()?.n ?? -1
  const reserved = database.query<{ n: number }, []>('SELECT sum(reserved) AS n FROM pet').get()?.n ?? -1
  const counts = {
    orders: count('orders'),
    reserved,
    movements: count(`movement WHERE reason = 'order'`),
    placed: count(`event WHERE type = 'petstore.order.placed'`),
    stockChanges: count(`event WHERE type = 'petstore.inventory.changed' AND subject_version > 1`),
    ...(isKeyed && { replies: count('reply WHERE status = 201') }),
  }
  if (Object.values(counts).some(n => n !== answered)) {
    throw new Error(`there must be ${answered} of each; ${directory} has ${JSON.stringify(counts)}`)
  }
}

function sectionOf(isKeyed: boolean, results: readonly Result[]): Section {
  const [group, single, bare, verbs, statements] = results
  if (!group || !single || !bare || !verbs || !statements) throw new Error('a contestant has no result')
  const key = isKeyed ? 'each with its own Idempotency-Key' : 'no Idempotency-Key'
  const about = [
    `\`POST /store/orders\` on SQLite, ${CLIENTS} clients, each order for one unit of a pet chosen at random ` +
      `from ${PETS}, ${key}. Each order is durable before the response is sent: the store sets WAL and ` +
      'synchronous=FULL when it opens the file, and does not start if SQLite did not accept them. "One commit per ' +
      'request" is the same program with one number changed: its writer runs one command per transaction instead ' +
      'of up to 128. The bare server passes each order to the same writer and sends its reply with the same ' +
      'headers, but without authentication, limits, validation, metrics or a log.',
    `The ceilings run in one thread without HTTP, in batches of ${CEILING_BATCH}: "the same verbs" is the ` +
      'batch loop and verb of the program; "bare statements" are the statements of an order prepared by ' +
      'hand, without savepoints, counters, hashes or encoding. After the last round, the benchmark counts the ' +
      'rows. Each database must have exactly the orders that got a 201 response, or that a contestant without ' +
      'HTTP committed. Each order must have one movement and two events.',
  ]
  return {
    title: `placeOrder on SQLite, ${isKeyed ? 'with' : 'without'} an idempotency key`,
    about,
    results,
    ratios: [
      {
        name: 'petstore against one commit per request',
        of: group,
        against: single,
        target: { required: 2.5, aim: 4 },
        unit: 'x',
      },
      {
        name: 'petstore against the ceiling (the same verbs)',
        of: group,
        against: verbs,
        target: { required: 0.6, aim: 0.8, isByCpu: true },
        unit: '%',
      },
      { name: 'bare server against the ceiling (the same verbs)', of: bare, against: verbs, unit: '%' },
      {
        name: 'petstore against the ceiling (bare statements)',
        of: group,
        against: statements,
        target: { required: 0.5, aim: 0.8 },
        unit: '%',
      },
    ],
  }
}
