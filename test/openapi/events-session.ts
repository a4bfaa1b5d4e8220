import { expect } from 'bun:test'
import { z } from 'zod'
import { eventExamples, streamExample } from '../../src/shop/events/examples.ts'
import { TEST_TYPE } from '../../src/shop/log/event-types.ts'
import { waitForPositions } from '../support/received-events.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { ADMIN_KEY, type TestStore } from '../support/store.ts'
import { waitForAttempts } from '../support/webhook-receipts.ts'
import { type ExampleResponse, operationOf, sendExamples } from './description-session.ts'
import type { Described } from './document.ts'

/** The responses of operations on events, webhooks and sales, each with its operationId, in the order of requests. */
export type OperationResponses = readonly (readonly [string, ExampleResponse])[]

/**
 * Continues after the session of the shop. Reads the events, uses a webhook in every way, and causes the other types of
 * events, so that at least one event of every type exists.
 */
export async function useWebhooks(store: TestStore, described: Described): Promise<OperationResponses> {
  const webhookResponses: [string, ExampleResponse][] = []
  const request = async (id: string): Promise<void> => {
    webhookResponses.push([id, await sendExamples(store, operationOf(described, id))])
  }
  await using receiver = await openReceiver((_, index) =>
    index < 2 ? reply(500, {}, 'out of paper') : reply(410, {}, 'moved away'),
  )
  for (const id of ['listEvents', 'listAudit', 'createWebhook', 'listWebhooks', 'getWebhook'])
    await request(id)
  // Nothing listens at the address of the examples, so deliveries are sent to the receiver of this test.
  await store.database(`UPDATE webhook SET url = '${receiver.base}/petstore-events' RETURNING id`)
  await request('sendTestEvent')
  await waitForAttempts(store, 1)
  await request('listDeliveries')
  await request('redeliver')
  await waitForAttempts(store, 2)
  await store.database(`UPDATE delivery SET state = 'failed', next_at = NULL RETURNING id`)
  await request('redeliverFailed')
  await waitForAttempts(store, 3)
  await store.database(
    `UPDATE webhook SET url = 'https://till.example/petstore-events', failing_since = NULL, failures = 0 RETURNING id`,
  )
  await request('rotateWebhookSecret')
  await request('updateWebhook')
  for (const id of ['recordSale', 'listSales', 'listSalesTotals', 'returnOrder', 'returnSale'])
    await request(id)
  await emitRemainingEvents(store)
  return webhookResponses
}

async function emitRemainingEvents({ client }: TestStore): Promise<void> {
  const { data } = await client.placeOrder({ body: { petId: 350n } })
  const orderId = data.id ?? 0n
  await client.updateOrder({ orderId, body: { shipDate: '2026-12-01T09:30:00Z' } })
  await client.cancelOrder({ orderId })
  await client.deletePet({ petId: 350n })
  await client.deleteCategory({ categoryId: 17n })
  await client.updateOrder({ orderId: 1n, body: { complete: true } })
  await client.returnOrder({ orderId: 1n, body: {} })
}

/**
 * Throws unless, after the session, the feed has the example of every type of event, but that of earlier versions. The
 * test event is not in the feed, so it is compared with the database. The example of the stream must contain the
 * example of a placed order.
 */
export async function expectEvents(store: TestStore): Promise<void> {
  await waitForPositions(store)
  const tests = await store.database(`SELECT data FROM event WHERE type = 'petstore.webhook.test'`)
  const feed = await fetch(`${store.base}/events?after=716&limit=100`, {
    headers: { Authorization: `Bearer ${ADMIN_KEY}` },
  })
  const feedEvents = z
    .array(z.looseObject({ type: z.string() }))
    .parse(withPlaceholders(await feed.json(), store.base))
  const { [TEST_TYPE]: testEvent, ...examples } = eventExamples
  expect(feedEvents).toEqual(expect.arrayContaining(Object.values(examples)))
  expect(tests.map(({ data }) => withPlaceholders(JSON.parse(String(data))))).toEqual([testEvent.data])
  expect(streamExample).toContain(JSON.stringify(examples['petstore.order.placed']))
}

/**
 * Returns a body with placeholders for everything that differs in each run: secrets and values derived from them, other
 * random values, durations and addresses. The schemas check the form of these values.
 */
export function withPlaceholders(body: unknown, base = 'http://127.0.0.1:8080'): unknown {
  const text = (JSON.stringify(body) ?? 'null')
    .replaceAll(base, 'http://127.0.0.1:8080')
    .replaceAll(/http:..127\.0\.0\.1:(?!8080)\d+/g, 'https://till.example')
  return JSON.parse(
    text
      .replaceAll(/"(hint|key|secret|hash|requestId)":"[^"]+"/g, '"$1":"..."')
      .replaceAll(/"durationMs":\d+/g, '"durationMs":14')
      .replaceAll(
        /"nextAttemptAt":"2026-11-21T09:30:05\.\d+Z"/g,
        '"nextAttemptAt":"2026-11-21T09:30:05.120Z"',
      ),
  )
}
