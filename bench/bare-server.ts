import { z } from 'zod'

// The bare runtime: `bun bench/bare-server.ts '<JSON>'` answers everything with one constant reply.
// As `static` the runtime sends a reply it made beforehand and never enters JavaScript.

const Constant = z.strictObject({
  port: z.number(),
  isStatic: z.boolean(),
  body: z.string(),
  headers: z.record(z.string(), z.string()),
})

const { port, isStatic, body, headers } = Constant.parse(JSON.parse(process.argv[2] ?? ''))
// Fields that are made once: a handler that gives a record of them for each reply is a tenth slower.
const init = { headers: new Headers(headers) }
Bun.serve({
  hostname: '127.0.0.1',
  port,
  ...(isStatic && { routes: { '/*': new Response(body, init) } }),
  fetch: () => new Response(body, init),
})
