import { expect, test } from 'bun:test'
import { type OutageChange, OutageWatch } from '../../src/database/postgres/outage.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { createWebhook, waitForDeliveries } from '../support/webhook-receipts.ts'

/** How long each measured work takes. A mistake of a unit makes it 0.4 or 400,000. */
const TOOK_MS = 400
/** How much longer it may take on a busy machine. */
const LATE_MS = 5000

/** Asserts that a duration that left the program is in this unit. */
function expectDuration(duration: unknown, unitMs: number): void {
  expect(Number(duration) * unitMs).toBeGreaterThan(TOOK_MS - 20)
  expect(Number(duration) * unitMs).toBeLessThan(TOOK_MS + LATE_MS)
}

test('the log has the duration of a request in milliseconds, and the metrics have it in seconds', async () => {
  await using store = await openTestStore('sqlite', {
    wrapEngine: engine => ({
      ...engine,
      readLong: async query => {
        await Bun.sleep(TOOK_MS)
        return engine.readLong(query)
      },
    }),
  })
  await store.send('GET', '/pets?categoryId=1')
  expectDuration(store.logged.find(({ fields }) => fields.path === '/pets')?.fields.ms, 1)
  const metrics = await (await fetch(`${store.base}/metrics`)).text()
  const metric = (name: string) => metrics.split(`${name} `)[1]?.split('\n')[0]
  const of = '{operation_id="listPets"'
  expectDuration(metric(`petstore_request_duration_seconds_sum${of}}`), 1000)
  expect(metric(`petstore_request_duration_seconds_bucket${of},le="0.25"}`)).toBe('0')
  expect(metric(`petstore_request_duration_seconds_bucket${of},le="+Inf"}`)).toBe('1')
})

test('an attempt to deliver has its duration in milliseconds', async () => {
  await using store = await openTestStore('sqlite')
  await using receiver = await openReceiver(() => (socket, request) => {
    setTimeout(() => reply(204)(socket, request), TOOK_MS)
  })
  const webhook = await createWebhook(store, receiver)
  await store.client.createCategory({ body: { name: 'Dogs' } })
  const [delivery] = await waitForDeliveries(store, webhook, 'delivered')
  expectDuration(delivery?.attempts[0]?.durationMs, 1)
})

test('the end of an outage has its duration in milliseconds', async () => {
  const changes: OutageChange[] = []
  let isDown = true
  const probe = () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve())
  const watch = new OutageWatch(probe, change => changes.push(change))
  const startedMs = performance.now()
  watch.suspect()
  await until('the outage is reported', () => changes.length === 1)
  isDown = false
  await until('its end is reported', () => changes.length === 2)
  const lastedMs = Reflect.get(changes[1] ?? {}, 'lastedMs')
  expect(lastedMs).toBeGreaterThan(900)
  expect(lastedMs).toBeLessThanOrEqual(performance.now() - startedMs + 1)
})
