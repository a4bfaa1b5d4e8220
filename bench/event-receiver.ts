import { z } from 'zod'

// A receiver of webhooks: `bun bench/event-receiver.ts '<JSON>'` responds to every POST with 204 immediately, and to a
// GET with the number of POSTs.

const { port } = z.strictObject({ port: z.number() }).parse(JSON.parse(process.argv[2] ?? ''))
let received = 0

Bun.serve({
  hostname: '127.0.0.1',
  port,
  fetch: async request => {
    if (request.method === 'GET') return Response.json({ count: received })
    await request.bytes()
    received++
    return new Response(null, { status: 204 })
  },
})
