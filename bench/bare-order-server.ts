import { z } from 'zod'
import type { Engine } from '../src/database/engine.ts'
import { openSqlite } from '../src/database/sqlite/engine.ts'
import type { Reply } from '../src/shop/kernel/idempotency.ts'
import { type Command, type CommandResult, replyOf } from '../src/shop/registry/commands.ts'
import type { Query } from '../src/shop/registry/queries.ts'
import { storedInstant } from '../src/values/instant.ts'
import { orderCommand } from './order-command.ts'

// A server that uses only the runtime and the writer of the program: `bun bench/bare-order-server.ts '<JSON>'` passes
// each order to the writer, and sends its reply with constant headers. It checks nothing and logs nothing, so it shows
// the cost of an order without the pipeline.

const Plan = z.strictObject({
  port: z.number(),
  directory: z.string(),
  /** The headers that all responses share, by name. ETag, Location and the headers of the runtime are added to them. */
  headers: z.record(z.string(), z.string()),
})

const { port, directory, headers } = Plan.parse(JSON.parse(process.argv[2] ?? ''))
const engine: Engine<Query, Command, Reply, CommandResult> = await openSqlite({
  directory,
  writer: new URL('../src/serving/sqlite-writer.ts', import.meta.url),
  reader: new URL('../src/serving/sqlite-reader.ts', import.meta.url),
  onFatal: reason => {
    process.stderr.write(`${reason}\n`)
    process.exit(1)
  },
})

async function placeOrder(request: Request): Promise<Response> {
  // Safe: only the load generator of this benchmark sends requests.
  const { petId } = (await request.json()) as { petId: number }
  const key = request.headers.get('idempotency-key')
  const command = orderCommand(BigInt(petId), storedInstant(Date.now()), key)
  const { status, body, etag, location } = replyOf(await engine.execute(command))
  const ofReply = { ...(etag && { ETag: etag }), ...(location && { Location: location }) }
  return new Response(body, { status, headers: { ...headers, ...ofReply } })
}

Bun.serve({
  hostname: '127.0.0.1',
  port,
  routes: { '/store/orders': { POST: placeOrder } },
  fetch: () => new Response(null, { status: 404 }),
})
process.on('SIGTERM', async () => {
  await engine.close()
  process.exit(0)
})
