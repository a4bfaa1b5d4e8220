import { z } from 'zod'
import { type MixedKind, MixedRequests } from './mixed-request.ts'
import { ReplyReader } from './reply-reader.ts'

// A load of mixed requests: `bun bench/mixed-load.ts '<JSON>'` sends a number of them as fast as the store responds,
// and prints the seconds that they took.

const Plan = z.strictObject({
  port: z.number(),
  adminKey: z.string(),
  petIdFirst: z.number(),
  pets: z.number(),
  connections: z.number(),
  requests: z.number(),
})

interface Connection {
  readonly reader: ReplyReader
  kind: MixedKind
}

const { port, connections, requests, ...shop } = Plan.parse(JSON.parse(process.argv[2] ?? ''))
const mixed = new MixedRequests({ host: `127.0.0.1:${port}`, ...shop })
const finished = Promise.withResolvers<void>()
let sent = 0
let answered = 0

/** A wrong measurement is worse than none, so the whole run ends. */
function fail(reason: string): never {
  process.stderr.write(`mixed load: ${reason}\n`)
  process.exit(1)
}

function sendRequest(socket: Bun.Socket<Connection>): void {
  if (sent === requests) return
  sent++
  const { kind, text } = mixed.next()
  socket.data.kind = kind
  if (socket.write(text) !== text.length) fail('a request did not fit into the socket at once')
}

function onData(socket: Bun.Socket<Connection>, chunk: Buffer): void {
  const { reader, kind } = socket.data
  const reply = reader.take(chunk)
  if (!reply) return
  if (reply.status !== (kind === 'placeOrder' ? 201 : 200)) fail(`${kind} got ${reply.text()}`)
  mixed.learn(kind, reply)
  if (++answered === requests) finished.resolve()
  else sendRequest(socket)
}

const startedMs = performance.now()
const sockets = await Promise.all(
  Array.from({ length: connections }, () =>
    Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port,
      data: { reader: new ReplyReader(), kind: 'getPet' },
      socket: {
        data: onData,
        close: () => {
          if (answered < requests) fail('the server closed a connection')
        },
        error: (_, error) => fail(`a connection failed: ${error.message}`),
      },
    }),
  ),
)
for (const socket of sockets) sendRequest(socket)
await finished.promise
process.stdout.write(JSON.stringify({ seconds: (performance.now() - startedMs) / 1000 }))
for (const socket of sockets) socket.end()
