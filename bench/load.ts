import { cpuUs } from './cpu.ts'
import { LoadPlan } from './load-plan.ts'
import { requestWriter } from './load-request.ts'
import { ReplyReader } from './reply-reader.ts'
import type { Sample } from './sample.ts'

// The load generator, a separate process: `bun bench/load.ts '<LoadPlan as JSON>'`. It keeps the given number of
// connections open; each sends its next request once its reply has arrived completely. Prints a Sample as JSON.

const DRAIN_MS = 15_000

const plan = LoadPlan.parse(JSON.parse(process.argv[2] ?? ''))
const nextRequest = requestWriter(plan)
const drained = Promise.withResolvers<void>()
let answered = 0
let inFlight = 0
let stopping = false

/** A wrong measurement is worse than none, so the whole run ends. */
function fail(reason: string): never {
  process.stderr.write(`load: ${reason}\n`)
  process.exit(1)
}

function sendRequest(socket: Bun.Socket<ReplyReader>): void {
  const request = nextRequest()
  inFlight++
  if (socket.write(request) !== request.length) fail('a request did not fit into the socket at once')
}

function onData(socket: Bun.Socket<ReplyReader>, chunk: Buffer): void {
  const reply = socket.data.take(chunk)
  if (!reply) return
  const { status, bodyBytes } = reply
  if (status !== plan.status || (plan.request.kind === 'get' && bodyBytes !== plan.request.bodyBytes)) {
    fail(`expected ${plan.status}, got ${reply.text()}`)
  }
  answered++
  inFlight--
  if (!stopping) sendRequest(socket)
  else if (inFlight === 0) drained.resolve()
}

async function connect(): Promise<Bun.Socket<ReplyReader>> {
  return await Bun.connect<ReplyReader>({
    hostname: '127.0.0.1',
    port: plan.port,
    data: new ReplyReader(),
    socket: {
      data: onData,
      close: () => {
        if (inFlight > 0 || !stopping) fail('the server closed a connection')
      },
      error: (_, error) => fail(`a connection failed: ${error.message}`),
    },
  })
}

async function measure(): Promise<Sample> {
  const sockets = await Promise.all(Array.from({ length: plan.connections }, connect))
  for (const socket of sockets) sendRequest(socket)
  await Bun.sleep(plan.warmSeconds * 1000)
  const before = { answered, cpuUs: cpuUs(plan.pid), ms: performance.now() }
  await Bun.sleep(plan.seconds * 1000)
  const after = { answered, cpuUs: cpuUs(plan.pid), ms: performance.now() }
  stopping = true
  const timer = setTimeout(() => fail(`${inFlight} requests got no response`), DRAIN_MS)
  await drained.promise
  clearTimeout(timer)
  for (const socket of sockets) socket.end()
  return {
    requests: after.answered - before.answered,
    seconds: (after.ms - before.ms) / 1000,
    cpuUs: after.cpuUs - before.cpuUs,
    answered,
  }
}

process.stdout.write(JSON.stringify(await measure()))
