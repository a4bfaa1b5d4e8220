import { z } from 'zod'

// A server that uses only the runtime: `bun bench/bare-server.ts '<JSON>'` creates one Response per request, from a
// constant body and constant headers.

const Constant = z.strictObject({
  port: z.number(),
  body: z.string(),
  headers: z.record(z.string(), z.string()),
})

const { port, body, headers: fields } = Constant.parse(JSON.parse(process.argv[2] ?? ''))
// The headers are created once, because a handler that creates them from a record for each reply is a tenth slower.
const headers = new Headers(fields)
Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response(body, { headers }) })
