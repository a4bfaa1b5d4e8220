import { z } from 'zod'
import { createClient } from '../src/client/client.ts'
import { freePort, programFile, runProgram, type ServerProcess, startServerProcess } from './child.ts'
import { type Figure, figureTable } from './figures.ts'
import { generateOrders } from './generate.ts'
import { residentMib } from './memory.ts'
import { type Contestant, interleave, percentile, type Schedule } from './sample.ts'
import type { Section } from './section.ts'
import {
  ADMIN_KEY,
  makeSqliteStore,
  openTempDirectory,
  PET_ID_FIRST,
  type Place,
  START_ENVIRONMENT,
  startStore,
} from './store.ts'

const CLIENTS = 64
const PETS = 1000
const STREAMS = 10
const STREAMS_FOR_MEMORY = 1000
const ORDERS_PER_SECOND = 50
const ORDERS_MIN = 100
const ARRIVAL_WAIT_MS_MAX = 30_000

const Latencies = z.strictObject({
  stream: z.array(z.number()),
  webhook: z.array(z.number()),
  roundTrip: z.array(z.number()),
})

/** Measures how much events slow down orders, how long an event takes to arrive, and the memory of 1,000 streams. */
export async function benchEvents(schedule: Schedule): Promise<Section[]> {
  const notifying = await benchNotification(schedule)
  const figures = [...(await measureLatency(schedule)), ...(await measureMemory())]
  const about = [
    'The measurement of latency begins when the client has the response to an order, which the store sends after its ' +
      'commit. It ends when the event of the order arrives: at a stream client, and at a webhook receiver. About ' +
      `${ORDERS_PER_SECOND} orders are placed per second on SQLite. Client and receiver are in the process that ` +
      'sends the orders; its round trip to the same server is shown for comparison. Memory is the resident memory of ' +
      `a server after one order, and then with ${numberText(STREAMS_FOR_MEMORY)} streams that have received the ` +
      'events of another order.',
    figureTable(figures),
  ]
  return [{ ...notifying, about: [...notifying.about, ...about] }]
}

async function benchNotification(schedule: Schedule): Promise<Section> {
  using files = openTempDirectory()
  const place = await makeSqliteStore(files.folder('notifying'), PETS, 'available')
  const quietPlace = await makeSqliteStore(files.folder('quiet'), PETS, 'available')
  await using notifying = await startStoreWithPrivateWebhooks(place)
  await using quiet = await startStoreWithPrivateWebhooks(quietPlace)
  await using receiver = await startListening('event-receiver.ts', {})
  for (const path of ['one', 'two']) {
    const client = createClient({ baseUrl: `http://127.0.0.1:${notifying.port}`, key: ADMIN_KEY })
    await client.createWebhook({ body: { url: `http://127.0.0.1:${receiver.port}/${path}` } })
  }
  await using listener = await startListening('event-listener.ts', listenerPlan(notifying, STREAMS))
  let orders = 0
  const contestant = (name: string, { port, pid }: ServerProcess, other: ServerProcess): Contestant => ({
    name,
    run: async seconds => {
      // The store with webhooks is paused because it would send its remaining deliveries while the other store is
      // measured. The other store is paused in its turn too, so that the conditions are the same.
      process.kill(other.pid, 'SIGSTOP')
      try {
        const load = { port, pid, connections: CLIENTS, seconds }
        const sample = await generateOrders(load, { pets: PETS, idempotencyKeyPrefix: null })
        if (pid === notifying.pid) orders += sample.answered
        return sample
      } finally {
        process.kill(other.pid, 'SIGCONT')
      }
    },
  })
  const results = await interleave(
    [
      contestant(`placeOrder, two webhooks and ${STREAMS} streams`, notifying, quiet),
      contestant('placeOrder, no listeners', quiet, notifying),
    ],
    schedule,
  )
  await waitForEvents(listener, 2 * orders)
  const [of, against] = results
  if (!of || !against) throw new Error('a contestant has no result')
  return {
    title: 'The cost of events: placeOrder on SQLite with and without listeners',
    about: [
      `\`POST /store/orders\`, ${CLIENTS} clients, ${PETS} pets at random. One store has ${STREAMS} streams that ` +
        'read all events, and two webhooks for events of all types, whose receiver responds with 204 at once. The ' +
        'receiver and the clients of the streams run in separate processes on the same machine as the load. The ' +
        'other store has no listeners. While one store is measured, the process of the other is paused. Each order ' +
        `has two events. After the run, every stream had received all ${numberText(2 * orders)} events, and the ` +
        `receiver had received ${numberText(await countOf(receiver))} deliveries. The rest would be delivered later.`,
    ],
    results,
    ratios: [
      {
        name: 'with listeners against without',
        of,
        against,
        target: { required: 0.85, aim: 0.95 },
        unit: '%',
      },
    ],
  }
}

async function measureLatency({ rounds, seconds }: Schedule): Promise<Figure[]> {
  using files = openTempDirectory()
  const place = await makeSqliteStore(files.folder('store'), PETS, 'available')
  await using store = await startStoreWithPrivateWebhooks(place)
  const orders = Math.max(ORDERS_MIN, rounds * seconds * ORDERS_PER_SECOND)
  const plan = {
    base: `http://127.0.0.1:${store.port}`,
    adminKey: ADMIN_KEY,
    petId: PET_ID_FIRST,
    orders,
    perSecond: ORDERS_PER_SECOND,
  }
  const timeoutMs = (orders / ORDERS_PER_SECOND) * 3000 + ARRIVAL_WAIT_MS_MAX
  const measured = Latencies.parse(JSON.parse(await runProgram('event-latency.ts', plan, timeoutMs)))
  const { stream, webhook, roundTrip } = measured
  if (stream.length !== orders || webhook.length !== orders) {
    throw new Error(
      `of ${orders} events ${stream.length} arrived on the stream and ${webhook.length} at the webhook`,
    )
  }
  return [
    { name: 'event to a stream client, p50', value: percentile(stream, 0.5), unit: 'ms', required: 5 },
    { name: 'event to a stream client, p99', value: percentile(stream, 0.99), unit: 'ms' },
    {
      name: 'event to a webhook receiver, p50',
      value: percentile(webhook, 0.5),
      unit: 'ms',
      required: 20,
    },
    { name: 'event to a webhook receiver, p99', value: percentile(webhook, 0.99), unit: 'ms' },
    { name: 'round trip (GET /livez), p50', value: percentile(roundTrip, 0.5), unit: 'ms' },
    { name: 'round trip (GET /livez), p99', value: percentile(roundTrip, 0.99), unit: 'ms' },
  ]
}

async function measureMemory(): Promise<Figure[]> {
  using files = openTempDirectory()
  const place = await makeSqliteStore(files.folder('store'), PETS, 'available')
  await using store = await startStore(place)
  const client = createClient({ baseUrl: `http://127.0.0.1:${store.port}`, key: ADMIN_KEY })
  await client.placeOrder({ body: { petId: BigInt(PET_ID_FIRST) } })
  const before = residentMib(store)
  await using listener = await startListening('event-listener.ts', listenerPlan(store, STREAMS_FOR_MEMORY))
  await client.placeOrder({ body: { petId: BigInt(PET_ID_FIRST) } })
  await waitForEvents(listener, 2)
  const after = residentMib(store)
  return [
    { name: 'memory without a stream', value: before, unit: 'MiB' },
    {
      name: `additional memory with ${numberText(STREAMS_FOR_MEMORY)} streams`,
      value: after - before,
      unit: 'MiB',
      required: 32,
    },
  ]
}

/** Starts a store that may send webhooks to this machine. */
async function startStoreWithPrivateWebhooks({ directory }: Place): Promise<ServerProcess> {
  const port = freePort()
  const environment = {
    ...START_ENVIRONMENT,
    PETSTORE_DATA: directory,
    PETSTORE_PORT: String(port),
    PETSTORE_ADMIN_KEY: ADMIN_KEY,
    PETSTORE_RATE_LIMIT: '999999999/86400',
  }
  const command = [programFile('../src/main.ts'), 'serve', '--allow-private-webhooks']
  return startServerProcess(command, environment, port)
}

function listenerPlan({ port }: ServerProcess, streams: number): object {
  return { storePort: port, adminKey: ADMIN_KEY, streams }
}

async function startListening(name: string, plan: object): Promise<ServerProcess> {
  const port = freePort()
  return startServerProcess([programFile(name), JSON.stringify({ port, ...plan })], {}, port)
}

/** Returns the count of a receiver (its requests) or of a listener (the events of the stream that has the fewest). */
async function countOf({ port }: ServerProcess): Promise<number> {
  const body = await (await fetch(`http://127.0.0.1:${port}/`)).json()
  return z.object({ count: z.number() }).parse(body).count
}

/** Resolves once every stream of a listener has this number of events. Throws if they do not arrive in time. */
async function waitForEvents(listener: ServerProcess, events: number): Promise<void> {
  const deadline = performance.now() + ARRIVAL_WAIT_MS_MAX
  for (let count = 0; count < events; ) {
    if (performance.now() > deadline) throw new Error(`a stream had ${count} events of ${events}`)
    await Bun.sleep(100)
    count = await countOf(listener)
  }
}

function numberText(count: number): string {
  return count.toLocaleString('en')
}
