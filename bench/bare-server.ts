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
const constant = new Response(body, { headers })
Bun.serve({
  hostname: '127.0.0.1',
  port,
  ...(isStatic && { routes: { '/*': constant } }),
  // A clone is the cheapest answer that a handler can give: cheaper than a Response made from a record of fields.
  fetch: () => constant.clone(),
})
