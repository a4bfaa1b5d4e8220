import { z } from 'zod'

// A server that uses only the runtime: `bun bench/bare-server.ts '<JSON>'` responds to every request with one constant
// reply. With `isStatic`, the runtime sends a reply that was created beforehand, and runs no JavaScript.

const Constant = z.strictObject({
  port: z.number(),
  isStatic: z.boolean(),
  status: z.number(),
  body: z.string(),
  headers: z.record(z.string(), z.string()),
})

const { port, isStatic, status, body: text, headers } = Constant.parse(JSON.parse(process.argv[2] ?? ''))
// The headers are created once, because a handler that creates them from a record for each reply is a tenth slower.
const init = { status, headers: new Headers(headers) }
const body = status === 304 ? null : text
Bun.serve({
  hostname: '127.0.0.1',
  port,
  ...(isStatic && { routes: { '/*': new Response(body, init) } }),
  fetch: () => new Response(body, init),
})
