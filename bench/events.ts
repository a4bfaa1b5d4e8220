import { interleave, rateOf, ratios, type Schedule, type Side } from './measure.ts'
import { orderSide } from './orders.ts'
import { figureRows, type Report, type Row } from './report.ts'
import { residentMib, type Server } from './server.ts'
import { clientOf, KEYED, makeStore, openTempDirectory, startStore } from './store.ts'

const PETS = 1000
const STREAMS = 10
const STREAMS_FOR_MEMORY = 1000
const EVENTS_PER_ORDER = 2
/** Every event of a stream has one such line. No other line of a stream starts like this. */
const MARKER = '\ndata: '
const ARRIVAL_MS_MAX = 30_000

/** Measures how much listeners slow down orders, and the memory of 1,000 streams. */
export async function benchEvents(schedule: Schedule): Promise<Report> {
  const rows = [await measureMemory(), ...(await measureListeners(schedule))]
  return { about: about(), rows }
}

async function measureListeners(schedule: Schedule): Promise<Row[]> {
  using files = openTempDirectory()
  const place = { directory: files.folder('listened') }
  const quietPlace = { directory: files.folder('quiet') }
  const pets = await makeStore(place, PETS)
  await makeStore(quietPlace, PETS)
  await using store = await startStore(place, {}, ['--allow-private-webhooks'])
  await using quiet = await startStore(quietPlace, {}, ['--allow-private-webhooks'])
  using receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      await request.bytes()
      return new Response(null, { status: 204 })
    },
  })
  for (const path of ['one', 'two'])
    await clientOf(store).createWebhook({ body: { url: `http://127.0.0.1:${receiver.port}/${path}` } })
  const waitFor = await openStreams(store, STREAMS)
  const listened = orderSide('orders with two webhooks and 10 streams', store, pets)
  const alone = orderSide('orders without listeners', quiet, pets)
  await interleave([pausing(quiet, listened), pausing(store, alone)], schedule)
  await waitFor(EVENTS_PER_ORDER * listened.answered)
  const values = ratios(listened, alone, rateOf)
  const against: Row = { name: 'with listeners against without', values, unit: '%', atLeast: 0.85, aim: 0.95 }
  return [
    ...figureRows(listened.name, listened.samples, true),
    ...figureRows(alone.name, alone.samples),
    against,
  ]
}

/**
 * Returns a side during whose runs another server is paused. A store with webhooks would send its remaining deliveries
 * while the other store is measured. That one is paused in its turn, so that the conditions are the same.
 */
function pausing(other: Server, measured: Side): Side {
  const run: Side['run'] = async seconds => {
    process.kill(other.pid, 'SIGSTOP')
    try {
      return await measured.run(seconds)
    } finally {
      process.kill(other.pid, 'SIGCONT')
    }
  }
  return { ...measured, run }
}

async function measureMemory(): Promise<Row> {
  using files = openTempDirectory()
  const place = { directory: files.folder('store') }
  const { first } = await makeStore(place, PETS)
  await using store = await startStore(place)
  const placeOrder = () => clientOf(store).placeOrder({ body: { petId: BigInt(first) } })
  await placeOrder()
  const before = residentMib(store)
  const waitFor = await openStreams(store, STREAMS_FOR_MEMORY)
  await placeOrder()
  await waitFor(EVENTS_PER_ORDER)
  const values = [residentMib(store) - before]
  return { name: 'additional memory with 1,000 streams', values, unit: 'MiB', atMost: 32 }
}

/**
 * Opens streams from the current position, which read and count events until the server stops. The returned function
 * resolves once every stream has this number of events. It throws if they do not arrive in time.
 */
export async function openStreams(
  { port }: Server,
  count: number,
): Promise<(events: number) => Promise<void>> {
  const streams = await Promise.all(Array.from({ length: count }, () => openStream(port)))
  return async events => {
    const deadline = performance.now() + ARRIVAL_MS_MAX
    for (;;) {
      const least = streams.reduce((fewest, received) => Math.min(fewest, received()), Infinity)
      if (least >= events) return
      if (performance.now() > deadline) throw new Error(`a stream had ${least} events of ${events}`)
      await Bun.sleep(100)
    }
  }
}

/** Opens a stream. Returns a function that returns the number of its events. */
async function openStream(port: number): Promise<() => number> {
  const started = Promise.withResolvers<void>()
  let events = 0
  // The end of the last chunk, because a marker can be split across two chunks.
  let rest = Buffer.alloc(0)
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, chunk) => {
        const bytes = Buffer.concat([rest, chunk])
        for (let at = bytes.indexOf(MARKER); at >= 0; at = bytes.indexOf(MARKER, at + 1)) events++
        rest = bytes.subarray(Math.max(0, bytes.length - MARKER.length + 1))
        started.resolve()
      },
      close: () => started.reject(new Error('a stream was closed')),
    },
  })
  socket.write(`GET /events/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${KEYED}\r\n`)
  await started.promise
  return () => events
}

function about(): string {
  return (
    `Memory is the resident memory of a server after one order, and then with ${STREAMS_FOR_MEMORY} streams that ` +
    'have received the events of another order. Orders have 64 clients and 1,000 pets. One store has streams ' +
    'that read all events, and two webhooks for all events, whose receiver responds with 204 at once; the other ' +
    'store has no listeners. While one store is measured, the process of the other is paused. After the rounds, ' +
    'every stream has received all events; webhooks would be sent later.'
  )
}
