import { z } from 'zod'

// A receiver of webhooks: `bun bench/event-receiver.ts '<JSON>'` answers every POST 204 at once, and a GET with how
// many came.

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
