import { cpuUs } from './cpu.ts'
import { LoadPlan } from './load-plan.ts'
import { requestWriter } from './load-request.ts'
import { ReplyReader } from './reply-reader.ts'
import { percentile, type Sample } from './sample.ts'

// The load generator, a separate process: `bun bench/load.ts '<LoadPlan as JSON>'`. It keeps the given number of
// connections open. Each connection sends its next request once the previous reply has arrived completely. The
// generator prints a Sample as JSON.

const DRAIN_MS = 15_000

const plan = LoadPlan.parse(JSON.parse(process.argv[2] ?? ''))
const expectedBodyBytes = plan.request.kind === 'get' ? plan.request.bodyBytes : null
const nextRequest = requestWriter(plan)
const drained = Promise.withResolvers<void>()
/** The latency of each request since the warm-up. */
let latenciesMs: number[] = []
let answered = 0
let inFlight = 0
let isStopping = false

interface Connection {
  readonly reader: ReplyReader
  sentMs: number
}

/** A wrong measurement is worse than none, so the whole run ends. */
function fail(reason: string): never {
  process.stderr.write(`load: ${reason}\n`)
  process.exit(1)
}

function sendRequest(socket: Bun.Socket<Connection>): void {
  const request = nextRequest()
  inFlight++
  socket.data.sentMs = performance.now()
  if (socket.write(request) !== request.length) fail('a request did not fit into the socket at once')
}

function onData(socket: Bun.Socket<Connection>, chunk: Buffer): void {
  const { reader, sentMs } = socket.data
  const reply = reader.take(chunk)
  if (!reply) return
  const { status, bodyBytes } = reply
  if (status !== plan.status || (expectedBodyBytes !== null && bodyBytes !== expectedBodyBytes)) {
    fail(`expected ${plan.status}, got ${reply.text()}`)
  }
  latenciesMs.push(performance.now() - sentMs)
  answered++
  inFlight--
  if (!isStopping) sendRequest(socket)
  else if (inFlight === 0) drained.resolve()
}

async function connect(): Promise<Bun.Socket<Connection>> {
  return await Bun.connect<Connection>({
    hostname: '127.0.0.1',
    port: plan.port,
    data: { reader: new ReplyReader(), sentMs: 0 },
    socket: {
      data: onData,
      close: () => {
        if (inFlight > 0 || !isStopping) fail('the server closed a connection')
      },
      error: (_, error) => fail(`a connection failed: ${error.message}`),
    },
  })
}

async function measure(): Promise<Sample> {
  const sockets = await Promise.all(Array.from({ length: plan.connections }, connect))
  for (const socket of sockets) sendRequest(socket)
  await Bun.sleep(plan.warmSeconds * 1000)
  latenciesMs = []
  const before = { answered, cpuUs: cpuUs(plan.pid), ms: performance.now() }
  await Bun.sleep(plan.seconds * 1000)
  const after = { answered, cpuUs: cpuUs(plan.pid), ms: performance.now() }
  const p99Ms = percentile(latenciesMs, 0.99)
  isStopping = true
  const timer = setTimeout(() => fail(`${inFlight} requests got no response`), DRAIN_MS)
  await drained.promise
  clearTimeout(timer)
  for (const socket of sockets) socket.end()
  return {
    requests: after.answered - before.answered,
    seconds: (after.ms - before.ms) / 1000,
    cpuUs: after.cpuUs - before.cpuUs,
    answered,
    p99Ms,
  }
}

process.stdout.write(JSON.stringify(await measure()))
