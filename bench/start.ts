import { CreatedSandbox } from '../src/sandboxes/contract/schema.ts'
import { parseJson } from '../src/values/json.ts'
import { openStreams } from './events.ts'
import { type Load, oneOf, orderRequest, type Range, type Request, sendAll } from './load.ts'
import type { Schedule } from './measure.ts'
import type { Report, Row } from './report.ts'
import { anonymousMib, cpuUs, residentMib } from './server.ts'
import {
  ADMIN_KEY,
  KEYED,
  makeStore,
  openTempDirectory,
  startByDefault,
  startSandboxHost,
  startStore,
} from './store.ts'

const SETTLE_MS = 5000
const PETS = 100_000
const STREAMS = 20
const CONNECTIONS = 64
const REQUESTS = 1_000_000
/** The orders that are placed before the requests, so that they can read orders. */
const ORDERS = 1000
const DEMO_CATEGORIES = 16
/** The minimum quantity that a request sets. All orders together reserve less, so none is refused. */
const QUANTITY_MIN = 900_000
const SANDBOXES = 100
const REQUESTS_PER_SANDBOX = 100

/** Measures how long a start takes, and the memory of a store at rest, after many requests, and of sandboxes. */
export async function benchStart({ rounds }: Schedule): Promise<Report> {
  const rows = [...(await measureStarts(rounds)), ...(await measureLoad()), await measureSandboxes()]
  return { about: about(), rows }
}

async function measureStarts(rounds: number): Promise<Row[]> {
  using files = openTempDirectory()
  const first: number[] = []
  const later: number[] = []
  const rest: number[] = []
  const anonymous: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const place = { directory: files.folder(`store-${round}`) }
    {
      await using store = await startByDefault(place)
      first.push(store.startedMs)
    }
    await using store = await startByDefault(place)
    later.push(store.startedMs)
    await Bun.sleep(SETTLE_MS)
    rest.push(residentMib(store))
    anonymous.push(anonymousMib(store))
    process.stderr.write(`  round ${round}/${rounds}  ${store.startedMs.toFixed(0)} ms\n`)
  }
  return [
    { name: 'first start, with the demo shop', values: first, unit: 'ms' },
    { name: 'start of an existing store', values: later, unit: 'ms', atMost: 300, aim: 100 },
    { name: 'resident memory at rest', values: rest, unit: 'MiB', atMost: 90 },
    { name: 'anonymous memory at rest', values: anonymous, unit: 'MiB', atMost: 32 },
  ]
}

async function measureLoad(): Promise<Row[]> {
  using files = openTempDirectory()
  const place = { directory: files.folder('store') }
  const pets = await makeStore(place, PETS)
  await using server = await startStore(place)
  const load = (requests: readonly Request[]): Load => ({ server, requests, connections: CONNECTIONS })
  await sendAll(load([orderRequest(pets, ADMIN_KEY)]), ORDERS)
  await openStreams(server, STREAMS)
  const beforeUs = cpuUs(server.pid)
  await sendAll(load(mixedRequests(pets)), REQUESTS)
  const cpuPerRequest = (cpuUs(server.pid) - beforeUs) / REQUESTS
  return [
    {
      name: 'resident memory after 1,000,000 requests',
      values: [residentMib(server)],
      unit: 'MiB',
      atMost: 140,
    },
    { name: 'CPU of one of these requests', values: [cpuPerRequest], unit: 'µs' },
  ]
}

/** Measures a host whose sandboxes are all open, and have each responded to reads and writes. */
async function measureSandboxes(): Promise<Row> {
  using files = openTempDirectory()
  await using host = await startSandboxHost(files.folder('sandboxes'))
  const base = `http://127.0.0.1:${host.port}`
  const createSandbox = async (): Promise<void> => {
    const created = await fetch(`${base}/sandboxes`, { method: 'POST' })
    const { id, adminKey } = CreatedSandbox.parse(parseJson(await created.text()))
    const petId = oneOf({ first: 1, count: 20 })
    const getPet: Request = { target: () => `/s/${id}/pets/${petId()}` }
    const getList: Request = { target: () => `/s/${id}/pets?limit=20` }
    const createPet: Request = {
      method: 'POST',
      target: () => `/s/${id}/pets`,
      headers: () => `Authorization: Bearer ${adminKey}\r\n`,
      body: () => '{"name":"Rex","categoryId":1}',
      status: 201,
    }
    const requests = [getPet, getPet, getList, createPet]
    await sendAll({ server: host, requests, connections: 1 }, REQUESTS_PER_SANDBOX)
  }
  for (let count = 0; count < SANDBOXES; count++) await createSandbox()
  await Bun.sleep(SETTLE_MS)
  const name = `resident memory of ${SANDBOXES} sandboxes after ${REQUESTS_PER_SANDBOX} requests each`
  return { name, values: [residentMib(host)], unit: 'MiB', atMost: 115 }
}

/** Returns the requests of a busy shop, which are sent in turn. */
function mixedRequests(pets: Range): Request[] {
  const petId = oneOf(pets)
  const orderId = oneOf({ first: 1, count: ORDERS })
  const headers = () => KEYED
  const getPet: Request = { target: () => `/pets/${petId()}` }
  const placeOrder = orderRequest(pets, ADMIN_KEY)
  const getOrder: Request = { target: () => `/store/orders/${orderId()}`, headers }
  const setInventory: Request = {
    method: 'PUT',
    target: () => `/store/inventory/${petId()}`,
    headers,
    body: () => `{"quantity":${QUANTITY_MIN + below(100_000)}}`,
  }
  const gets = Array.from({ length: 12 }, () => getPet)
  const lists = Array.from({ length: 4 }, () => ({ target: listTarget }))
  return [...gets, ...lists, placeOrder, placeOrder, getOrder, setInventory]
}

/** Returns the target of a list with random filters. */
function listTarget(): string {
  const query = [`limit=${pick([5, 20, 50, 100])}`]
  if (below(2) === 0) query.push(`status=${pick(['available', 'pending', 'sold'])}`)
  if (below(3) === 0) query.push(`categoryId=${1 + below(DEMO_CATEGORIES)}`)
  if (below(4) === 0) query.push('include=stock')
  if (below(4) === 0) query.push(`name=bench%20pet%20${below(PETS)}`)
  else if (below(2) === 0) query.push(`sort=${pick(['id', '-id', 'name', '-name'])}`)
  return `/pets?${query.join('&')}`
}

function below(count: number): number {
  return Math.floor(Math.random() * count)
}

function pick<T>(values: readonly T[]): T | undefined {
  return values[below(values.length)]
}

function about(): string {
  return (
    'The command is that of `npm start`, but without npm, on SQLite with default settings. The time is from ' +
    'the creation of the process to its first response that is not 503; `GET /` is requested every few ' +
    'milliseconds. A first start finds an empty directory, creates the tables and keys, and loads the demo shop. ' +
    'Resident memory is VmRSS, with the pages of files; anonymous memory is RssAnon, without them. At rest: ' +
    `${SETTLE_MS / 1000} s after the second start. After 1,000,000 requests: the demo shop and ` +
    `${PETS.toLocaleString('en')} more pets, ${STREAMS} streams, ${CONNECTIONS} connections, as fast as the store ` +
    'responds. 60% read a random pet, 20% list pets with random ' +
    'filters and limits, 10% place an order, 5% read an order, and 5% set the stock of a pet.'
  )
}
