import { z } from 'zod'
import { createClient } from '../src/client/client.ts'

// Measures the latency of events: `bun bench/event-latency.ts '<JSON>'` places orders one by one. It prints three lists
// of times in milliseconds: the latencies on the stream, the latencies at a webhook, and the round trips to the same
// server. A latency begins at the response to an order, and ends when its event arrives.

const Plan = z.strictObject({
  base: z.string(),
  adminKey: z.string(),
  petId: z.number(),
  orders: z.number(),
  perSecond: z.number(),
})

const { base, adminKey, petId, orders, perSecond } = Plan.parse(JSON.parse(process.argv[2] ?? ''))
const client = createClient({ baseUrl: base, key: adminKey })
const answeredMs = new Map<string, number>()
const streamedMs = new Map<string, number>()
const deliveredMs = new Map<string, number>()
const roundTrips: number[] = []

const Delivered = z.object({ subject: z.string() })
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async request => {
    const arrivedMs = performance.now()
    deliveredMs.set(Delivered.parse(await request.json()).subject, arrivedMs)
    return new Response(null, { status: 204 })
  },
})
const eventType = 'petstore.order.placed'
await client.createWebhook({ body: { url: `http://127.0.0.1:${receiver.port}/hook`, types: [eventType] } })

const stopped = new AbortController()
async function listen(): Promise<void> {
  for await (const { subject } of client.followEvents({ types: [eventType], signal: stopped.signal })) {
    streamedMs.set(subject, performance.now())
  }
}
const listening = listen()

async function roundTrip(): Promise<void> {
  const startedMs = performance.now()
  await (await fetch(`${base}/livez`)).text()
  roundTrips.push(performance.now() - startedMs)
}

for (let count = 0; count < orders; count++) {
  const { data } = await client.placeOrder({ body: { petId: BigInt(petId) } })
  answeredMs.set(`orders/${data.id}`, performance.now())
  await Bun.sleep(500 / perSecond)
  await roundTrip()
  await Bun.sleep(500 / perSecond)
}
const deadline = performance.now() + 10_000
while (deliveredMs.size < orders && performance.now() < deadline) await Bun.sleep(50)
stopped.abort()
await listening
await receiver.stop(true)

const latencies = (arrived: ReadonlyMap<string, number>): number[] =>
  [...answeredMs].flatMap(([subject, sinceMs]) => {
    const arrivedMs = arrived.get(subject)
    // An event may arrive before the response to its order.
    return arrivedMs === undefined ? [] : [Math.max(0, arrivedMs - sinceMs)]
  })
const measured = { stream: latencies(streamedMs), webhook: latencies(deliveredMs), roundTrip: roundTrips }
process.stdout.write(JSON.stringify(measured))
