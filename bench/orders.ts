import { Database } from 'bun:sqlite'
import { cpSync } from 'node:fs'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import { freePort, programFile, type ServerProcess, startServerProcess } from './child.ts'
import { generateOrders, runForSample } from './generate.ts'
import { assertSameStatements } from './order-command.ts'
import { placeHistory } from './order-history.ts'
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
/** The number of orders that a used store has at the start: 250 for each pet. */
const HISTORY = 250_048

/** Measures durable orders on SQLite, compared with the limits of SQLite. */
export async function benchOrders(schedule: Schedule): Promise<Section[]> {
  const sections: Section[] = []
  for (const history of [0, HISTORY])
    for (const isKeyed of [false, true])
      sections.push(await benchSqliteOrders(schedule, { isKeyed, history }))
  return sections
}

interface Variant {
  /** Whether each order, including the orders of the history, has an idempotency key. */
  readonly isKeyed: boolean
  /** The number of orders that every store has at the start. */
  readonly history: number
}

async function benchSqliteOrders(schedule: Schedule, variant: Variant): Promise<Section> {
  const { isKeyed, history } = variant
  using files = openTempDirectory()
  const original = files.folder('original')
  await makeSqliteStore(original, PETS, 'available')
  await placeHistory(original, { orders: history, pets: PETS, isKeyed })
  const copy = (name: string): string => {
    const directory = files.folder(name)
    cpSync(original, directory, { recursive: true })
    return directory
  }
  const directories = {
    group: copy('group'),
    single: copy('single'),
    bare: copy('bare'),
    verbs: copy('verbs'),
    statements: copy('statements'),
  }
  await using group = await startStore({ directory: directories.group })
  await using single = await startStore({ directory: directories.single }, { preload: 'one-commit.ts' })
  await using bare = await startBareServer(directories.bare, await headersOfOrder(copy('sample')))
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
    assertAllThere(directories[name], history + contestants[name].answered(), isKeyed)
  }
  await assertSameStatements(databaseFile(directories.verbs), BigInt(PET_ID_FIRST))
  return sectionOf(variant, results)
}

/** Headers that the runtime adds to a response, and headers that differ between orders. */
const OTHER_HEADERS = ['date', 'content-length', 'etag', 'location']

/** Places an order in a store, and returns the response headers that all orders share. */
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

/** Throws unless the store has exactly this number of orders, with all their rows. */
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
    throw new Error(`${answered} orders were placed; ${directory} has ${JSON.stringify(counts)}`)
  }
}

/** Returns the sentences about the orders that the stores have at the start. */
function historyText(history: number): string {
  return history === 0
    ? 'All stores are new. The cost of an order grows with the history, so it rises during the run.'
    : `All stores start with the same ${history.toLocaleString('en')} orders, 250 for each pet.`
}

function sectionOf({ isKeyed, history }: Variant, results: readonly Result[]): Section {
  const [group, single, bare, verbs, statements] = results
  if (!group || !single || !bare || !verbs || !statements) throw new Error('a contestant has no result')
  const key = isKeyed ? 'each with its own Idempotency-Key' : 'no Idempotency-Key'
  const keyText = isKeyed ? 'with' : 'without'
  const about = [
    `\`POST /store/orders\` on SQLite, ${CLIENTS} clients, each order for one unit of a pet chosen at random ` +
      `from ${PETS}, ${key}. ${historyText(history)} Each order is durable before the response is sent: the store ` +
      'sets WAL and synchronous=FULL when it opens the file, and does not start if SQLite refuses. "One commit per ' +
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
    title: `placeOrder in a ${history > 0 ? 'used' : 'new'} store on SQLite, ${keyText} an idempotency key`,
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
