import { expect, test } from 'bun:test'
import { sweep } from '../../src/serving/sweeping.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { openReceiver, reply, silence } from '../support/receiver.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import {
  arrivals,
  createWebhook,
  deliveriesOf,
  emitEvents,
  holdResponses,
  namesIn,
  waitForDeliveries,
} from '../support/webhook-receipts.ts'

/** Leases are short, so that the senders check the clock often. */
const delivery = { retryDelaysMs: [30], leaseMs: 150 }

onEveryEngine(engine => {
  const store = sharedStore(engine, { delivery })

  test('a changed URL applies from the next attempt', async () => {
    await using before = await openReceiver(() => reply(500))
    await using after = await openReceiver()
    const { webhookId } = await createWebhook(store(), before)
    await emitEvents(store(), 'Moved')
    await before.waitForRequests(1)
    await store().client.updateWebhook({ webhookId, body: { url: `${after.base}/moved?to=here` } })
    // Until the last attempt of the delivery has failed, there is no failed delivery to redeliver.
    await until('the event arrives at the new URL', async () => {
      await store().client.redeliverFailed({ webhookId, since: '2026-01-01T00:00:00Z' })
      return after.received.length > 0
    })
    expect([namesIn(after), after.received[0]?.path]).toEqual([['Moved'], '/moved?to=here'])
    await store().client.deleteWebhook({ webhookId })
  })

  test('changed types apply to every delivery that is not in progress', async () => {
    const { responderOf, release } = holdResponses()
    await using receiver = await openReceiver(responderOf)
    const { webhookId } = await createWebhook(store(), receiver)
    await store().client.updateWebhook({ webhookId, body: { enabled: false } })
    await emitEvents(store(), '1', '2', '3', '4', '5', '6')
    await store().client.updateWebhook({ webhookId, body: { enabled: true } })
    await receiver.waitForRequests(4)
    await store().client.updateWebhook({ webhookId, body: { types: ['petstore.pet.created'] } })
    const { petId } = await makePet(store().client)
    release()
    await receiver.waitForRequests(5)
    await waitForDeliveries(store(), { webhookId, secret: '' }, 'delivered', 5)
    const subjects = arrivals(receiver).map(({ type, subject }) => `${type.split('.').at(-1)} ${subject}`)
    expect(subjects.slice(4)).toEqual([`created pets/${petId}`])
    expect(receiver.received).toHaveLength(5)
    await store().client.deleteWebhook({ webhookId })
  })

  test('a disabled webhook gets no events; after it is enabled, it gets each missed event once', async () => {
    const { responderOf, concurrentMax, release } = holdResponses()
    await using receiver = await openReceiver(responderOf)
    await using other = await openReceiver()
    const webhook = await createWebhook(store(), receiver)
    const observer = await createWebhook(store(), other)
    const { webhookId } = webhook
    await emitEvents(store(), '1', '2')
    await receiver.waitForRequests(2)
    await store().client.updateWebhook({ webhookId, body: { enabled: false } })
    await emitEvents(store(), 'Meanwhile')
    await other.waitForRequests(3)
    await store().client.updateWebhook({ webhookId, body: { enabled: true } })
    await emitEvents(store(), 'Afterwards')
    await other.waitForRequests(4)
    expect(concurrentMax()).toBe(2)
    release()
    await waitForDeliveries(store(), webhook, 'delivered', 4)
    expect(namesIn(receiver)).toEqual(['1', '2', 'Meanwhile', 'Afterwards'])
    for (const { webhookId: id } of [webhook, observer]) await store().client.deleteWebhook({ webhookId: id })
  })

  test('a deleted webhook gets no further attempts, and its deliveries are swept', async () => {
    await using receiver = await openReceiver((_, index) => (index === 0 ? reply(500) : silence))
    const webhook = await createWebhook(store(), receiver)
    await emitEvents(store(), 'Failing')
    await waitForDeliveries(store(), webhook, 'pending')
    await receiver.waitForRequests(2)
    await store().client.deleteWebhook(webhook)
    receiver.cutAll()
    await using other = await openReceiver()
    const observer = await createWebhook(store(), other)
    await emitEvents(store(), 'Afterwards')
    await other.waitForRequests(1)
    expect(receiver.received).toHaveLength(2)
    expect(await codeOf(store().client.listDeliveries(webhook))).toBe('404 webhook_not_found')
    const count = `SELECT count(*) AS n FROM delivery WHERE webhook_id = ${webhook.webhookId}`
    expect(await store().database(count)).toEqual([{ n: 1n }])
    await until('the deliveries are swept, one webhook at a time', async () => {
      await sweep({ ...store(), log: quiet, clock: Date.now, eventRetention: 'forever' })
      return (await store().database(count))[0]?.n === 0n
    })
    await store().client.deleteWebhook(observer)
  })

  test('deliveries and their attempts are kept for 30 days after their outcome is final', async () => {
    let aheadMs = 0
    const clock = (): number => Date.now() + aheadMs
    await using store = await openTestStore(engine, {
      delivery: { ...delivery, retryDelaysMs: [60 * DAY_MS] },
      clock,
    })
    await using receiver = await openReceiver((_, index) => reply(index === 0 ? 500 : 204))
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Pending')
    await waitForDeliveries(store, webhook, 'pending')
    await emitEvents(store, 'Delivered')
    await waitForDeliveries(store, webhook, 'delivered')
    const statesAfterSweep = async (): Promise<string[]> => {
      await sweep({ ...store, log: quiet, clock, eventRetention: 'forever' })
      return (await deliveriesOf(store, webhook)).map(({ state }) => state)
    }
    aheadMs = 30 * DAY_MS - 60_000
    expect(await statesAfterSweep()).toEqual(['pending', 'delivered'])
    aheadMs = 30 * DAY_MS + 60_000
    expect(await statesAfterSweep()).toEqual(['pending'])
    expect(await store.database('SELECT count(*) AS n FROM attempt')).toEqual([{ n: 1n }])
  })
})

const quiet = { access: () => {}, info: () => {}, error: (fields: object) => console.error(fields) }
