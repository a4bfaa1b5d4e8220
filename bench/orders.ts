import { Database } from 'bun:sqlite'
import { cpSync } from 'node:fs'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import { orderRequest, type Range, runLoad, sendAll } from './load.ts'
import { interleave, rateOf, ratios, type Schedule, type Side, side } from './measure.ts'
import { figureRows, type Report, type Row } from './report.ts'
import { pathOf, type Server } from './server.ts'
import { ADMIN_KEY, makeStore, openTempDirectory, startStore } from './store.ts'

const CLIENTS = 64
/** The number of pets that are ordered at random, one unit at a time. */
const PETS = 1000
/** The number of orders that a used store has at the start. */
const HISTORY = 250_000
/** Makes the writer of the program run one command per transaction. */
const ONE_COMMIT = { BUN_OPTIONS: `--preload=${pathOf('one-commit.ts')}` }

/** Measures durable orders on SQLite, beside the same program with one commit per request. */
export async function benchOrders(schedule: Schedule): Promise<Report> {
  const rows: Row[] = []
  for (const history of [0, HISTORY])
    for (const isKeyed of [false, true]) rows.push(...(await measureOrders(schedule, history, isKeyed)))
  return { about: about(), rows }
}

async function measureOrders(schedule: Schedule, history: number, isKeyed: boolean): Promise<Row[]> {
  using files = openTempDirectory()
  const directory = files.folder('group')
  const pets = await makeStore({ directory }, PETS)
  if (history > 0) {
    await using store = await startStore({ directory })
    await sendAll(ordersOf(store, pets, isKeyed), history)
  }
  const singleDirectory = files.folder('single')
  cpSync(directory, singleDirectory, { recursive: true })
  await using store = await startStore({ directory })
  await using single = await startStore({ directory: singleDirectory }, ONE_COMMIT)
  const group = orderSide('petstore', store, pets, isKeyed)
  const one = orderSide('one commit per request', single, pets, isKeyed)
  await interleave([group, one], schedule)
  assertOrders(directory, history + group.answered, isKeyed)
  assertOrders(singleDirectory, history + one.answered, isKeyed)
  const name = `${history > 0 ? 'used' : 'new'} store, ${isKeyed ? 'with' : 'without'} a key`
  const against = { values: ratios(group, one, rateOf), unit: 'x', atLeast: 2.5, aim: 4 } as const
  return [
    ...figureRows(`${name}: petstore`, group.samples, true),
    ...figureRows(`${name}: one commit per request`, one.samples),
    { name: `${name}: petstore against one commit per request`, ...against },
  ]
}

function ordersOf(server: Server, pets: Range, isKeyed: boolean) {
  return { server, connections: CLIENTS, requests: [orderRequest(pets, ADMIN_KEY, isKeyed)] }
}

export function orderSide(name: string, server: Server, pets: Range, isKeyed = false): Side {
  const load = ordersOf(server, pets, isKeyed)
  return side(name, seconds => runLoad(load, seconds))
}

/** The number of rows of each kind that a store must have for each order, on both engines. */
export const ORDER_COUNTS = `
  SELECT (SELECT count(*) FROM orders) AS orders, (SELECT sum(reserved) FROM pet) AS reserved,
    (SELECT count(*) FROM movement WHERE reason = 'order') AS movements,
    (SELECT count(*) FROM event WHERE type = 'petstore.order.placed') AS placed,
    (SELECT count(*) FROM event WHERE type = 'petstore.inventory.changed' AND subject_version > 1) AS changes`

/** Throws unless a store on SQLite has exactly this number of orders, with all their rows. */
function assertOrders(directory: string, answered: number, isKeyed = false): void {
  using database = new Database(databaseFile(directory), { readonly: true })
  const counts = database.query<Record<string, number>, []>(ORDER_COUNTS).get() ?? {}
  const replies = database
    .query<{ n: number }, []>('SELECT count(*) AS n FROM reply WHERE status = 201')
    .get()
  assertCounts({ ...counts, ...(isKeyed && { replies: replies?.n ?? 0 }) }, answered)
}

export function assertCounts(counts: Readonly<Record<string, unknown>>, answered: number): void {
  if (Object.values(counts).some(count => Number(count) !== answered))
    throw new Error(`${answered} orders were placed; the store has ${JSON.stringify(counts)}`)
}

function about(): string {
  return (
    `${CLIENTS} clients, each order for one unit of a pet chosen at random from ${PETS}. A used store starts ` +
    `with ${HISTORY.toLocaleString('en')} orders. A key is an Idempotency-Key; each order has its own. Each ` +
    'order is durable before the response is sent: the store sets WAL and synchronous=FULL. "One commit per ' +
    'request" is the same program with one number changed: its writer runs one command per transaction instead ' +
    'of up to 128. After the rounds, each database must have exactly the orders that got a 201 response, each ' +
    'with one movement and two events.'
  )
}
