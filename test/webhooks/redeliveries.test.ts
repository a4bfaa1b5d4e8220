import { expect, test } from 'bun:test'
import { heldReply, openReceiver, reply } from '../support/receiver.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import {
  createWebhook,
  deliveriesOf,
  emitEvents,
  namesIn,
  waitForDeliveries,
} from '../support/webhook-receipts.ts'

/** Far less than the interval at which a sender polls for due deliveries. */
const SOON_MS = 5000

onEveryEngine(engine => {
  test('a redelivery that is requested during the last attempt starts a new retry cycle', async () => {
    const held = heldReply()
    await using store = await openTestStore(engine, { delivery: { retryDelaysMs: [20] } })
    await using receiver = await openReceiver((request, index) => {
      if (String(request.body).includes('"Other"')) return reply(204)
      return index === 1 ? held.respond : reply(500)
    })
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Again')
    await until('the retry has arrived', () => receiver.received.length === 2, SOON_MS)
    const [pending] = await deliveriesOf(store, webhook)
    await store.client.redeliver({ ...webhook, deliveryId: pending?.id ?? 0n })
    // Once a later event has arrived, the sender has read the request for the redelivery.
    await emitEvents(store, 'Other')
    await receiver.waitForRequests(3)
    held.release(500)
    await until('the redelivery has started', () => receiver.received.length >= 4, SOON_MS)
    const ended = async () => (await deliveriesOf(store, webhook)).find(({ id }) => id === pending?.id)
    await until('the new cycle has ended', async () => (await ended())?.state === 'failed', SOON_MS)
    expect((await ended())?.attempts).toHaveLength(4)
    expect(namesIn(receiver)).toEqual(['Again', 'Again', 'Again', 'Again', 'Other'])
  })

  test('a webhook that was disabled during an attempt keeps its reason, whatever the receiver responds', async () => {
    const held = heldReply()
    await using store = await openTestStore(engine)
    await using receiver = await openReceiver(() => held.respond)
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Last')
    await receiver.waitForRequests(1)
    await store.client.updateWebhook({ ...webhook, body: { enabled: false } })
    held.release(410)
    await waitForDeliveries(store, webhook, 'failed')
    expect((await store.client.getWebhook(webhook)).data.disabledReason).toBe('asked')
    const { data } = await store.client.listEvents({ type: ['petstore.webhook.disabled'] })
    expect(data.items).toEqual([])
  })
})
