import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Reader } from '../../src/database/engine.ts'
import { eventTypes } from '../../src/shop/log/event-types.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { useShop } from '../support/busy-shop.ts'
import { eventRows, faultsOf } from '../support/received-events.ts'
import { openReceiver, type Received, type Receiver, reply } from '../support/receiver.ts'
import { sharedStore } from '../support/shop.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import {
  arrivals,
  createWebhook,
  deliveriesOf,
  emitEvents,
  eventIn,
  holdResponses,
  inOrder,
  loggedErrors,
  namesIn,
  noRequest,
  waitForDeliveries,
} from '../support/webhook-receipts.ts'

/** Leases are short, so that the senders check the clock often. */
const delivery = { retryDelaysMs: [30], leaseMs: 150 }

/** Returns the signature that Standard Webhooks specifies, computed with only an HMAC. */
function signatureOf(secret: string, { headers, body }: Received): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString('utf8')}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

const publicTypes: readonly string[] = eventTypes

/**
 * Returns the faults in the events that a receiver got, compared with the events in the store: missed, received twice,
 * altered, or not subscribed to.
 */
async function faultsAt(
  store: TestStore,
  receiver: Receiver,
  since: bigint,
  types?: readonly string[],
): Promise<string[]> {
  const rows = (await eventRows(store)).filter(({ position }) => position !== null && position > since)
  return faultsOf(inOrder(arrivals(receiver)), rows, types)
}

async function headOf(store: TestStore): Promise<bigint> {
  const rows = await store.database(`SELECT position FROM chain_end WHERE name = 'head'`)
  return BigInt(String(rows[0]?.position))
}

onEveryEngine(engine => {
  describe('deliveries', () => {
    const store = sharedStore(engine, { delivery })

    test('a delivery contains the envelope of the feed, byte for byte, signed per Standard Webhooks', async () => {
      await using receiver = await openReceiver()
      const { secret, webhookId } = await createWebhook(store(), receiver)
      await emitEvents(store(), 'Größe 🐟')
      await receiver.waitForRequests(1)
      const [request = noRequest] = receiver.received
      const { headers, body, method, path } = request
      expect([method, path, headers.host]).toEqual(['POST', '/hook', `127.0.0.1:${receiver.port}`])
      expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8')
      const { id, sequence } = eventIn(request)
      expect(headers['webhook-id']).toBe(id)
      new Webhook(secret).verify(body.toString('utf8'), headers)
      expect(headers['webhook-signature']).toBe(signatureOf(secret, request))
      const forged = body.toString('utf8').replace('🐟', '🐠')
      expect(() => new Webhook(secret).verify(forged, headers)).toThrow('No matching signature')
      const page = await store().send('GET', `/events?after=${BigInt(sequence) - 1n}&limit=1`)
      expect(await page.text()).toBe(`[${body.toString('utf8')}]`)
      await store().client.deleteWebhook({ webhookId })
    })

    test('each attempt of a delivery has the same id and body, and a signature over its own time', async () => {
      await using receiver = await openReceiver((_, index) => reply(index < 1 ? 500 : 204))
      const { secret, webhookId } = await createWebhook(store(), receiver)
      await emitEvents(store(), 'Again')
      await receiver.waitForRequests(2)
      const [first = noRequest, second = noRequest] = receiver.received
      expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'] ?? '')
      expect(second.body.equals(first.body)).toBe(true)
      for (const request of [first, second]) {
        expect(request.headers['webhook-signature']).toBe(signatureOf(secret, request))
      }
      await store().client.deleteWebhook({ webhookId })
    })

    test('every event after the creation of a webhook is delivered, and none before it, among 8 writers', async () => {
      await using receiver = await openReceiver()
      let createdMs = Number.POSITIVE_INFINITY
      let isOver = false
      const before: string[] = []
      const after: string[] = []
      const write = async (writer: number): Promise<void> => {
        for (let count = 0; !isOver; count++) {
          const name = `${writer}-${count}`
          const startedMs = performance.now()
          await emitEvents(store(), name)
          if (createdMs === Number.POSITIVE_INFINITY) before.push(name)
          else if (startedMs > createdMs) after.push(name)
        }
      }
      const writing = Array.from({ length: 8 }, (_, writer) => write(writer))
      await until('the writers are busy', () => before.length > 40)
      const sentBefore = new Set(before)
      const { webhookId } = await createWebhook(store(), receiver)
      createdMs = performance.now()
      await until('the writers continue', () => after.length > 40)
      isOver = true
      await Promise.all(writing)
      await until('all events have arrived', () => after.every(name => namesIn(receiver).includes(name)))
      expect(namesIn(receiver).filter(name => sentBefore.has(name))).toEqual([])
      await store().client.deleteWebhook({ webhookId })
    })

    test('a delivery of a test event goes only to the tested webhook, whatever types the webhook has', async () => {
      await using mine = await openReceiver()
      await using theirs = await openReceiver()
      const webhook = await createWebhook(store(), mine, ['petstore.pet.deleted'])
      const other = await createWebhook(store(), theirs)
      const { data } = await store().client.sendTestEvent({ webhookId: webhook.webhookId })
      await mine.waitForRequests(1)
      const [request = noRequest] = mine.received
      expect(eventIn(request)).toMatchObject({
        id: data.eventId,
        type: 'petstore.webhook.test',
        subject: `webhooks/${webhook.webhookId}`,
      })
      await emitEvents(store(), 'Behind it')
      await theirs.waitForRequests(1)
      await waitForDeliveries(store(), webhook, 'delivered')
      expect([namesIn(theirs), mine.received.length]).toEqual([['Behind it'], 1])
      expect(await deliveriesOf(store(), webhook)).toMatchObject([
        { eventId: data.eventId, type: 'petstore.webhook.test', state: 'delivered' },
      ])
      for (const { webhookId } of [webhook, other]) await store().client.deleteWebhook({ webhookId })
    })

    test('an attempt has the address and the secret of its start, however long its event was sought', async () => {
      let meanwhile: (() => Promise<unknown>) | undefined
      await using own = await openTestStore(engine, {
        delivery,
        wrapEngine: wrapped => ({
          ...wrapped,
          readShort: async <Result>(work: (reader: Reader) => Result): Promise<Awaited<Result>> => {
            const result = await wrapped.readShort(work)
            const isReceiver = result instanceof Object && 'previousSecret' in result
            const change = isReceiver ? meanwhile : undefined
            if (change) meanwhile = undefined
            await change?.()
            return result
          },
        }),
      })
      await using former = await openReceiver()
      await using current = await openReceiver()
      const { webhookId } = await createWebhook(own, former)
      const seeking = Promise.withResolvers<string>()
      meanwhile = async () => {
        await own.client.updateWebhook({ webhookId, body: { url: current.base } })
        seeking.resolve((await own.client.rotateWebhookSecret({ webhookId })).data.secret)
      }
      await emitEvents(own, 'Sought')
      await current.waitForRequests(1)
      const [request = noRequest] = current.received
      expect(former.received).toEqual([])
      expect(request.headers['webhook-signature']).toStartWith(signatureOf(await seeking.promise, request))
    })

    test('a delivery has two signatures for 24 hours after a rotation, and then one', async () => {
      let aheadMs = 0
      await using own = await openTestStore(engine, { delivery, clock: () => Date.now() + aheadMs })
      await using receiver = await openReceiver()
      const { secret: first, webhookId } = await createWebhook(own, receiver)
      const { data } = await own.client.rotateWebhookSecret({ webhookId })
      expect(Date.parse(data.previousSecretUntil ?? '') - Date.now()).toBeLessThanOrEqual(DAY_MS)
      await emitEvents(own, 'Both')
      await receiver.waitForRequests(1)
      aheadMs = DAY_MS + 1000
      await emitEvents(own, 'One')
      await receiver.waitForRequests(2)
      const [early = noRequest, late = noRequest] = receiver.received
      const signatures = [data.secret, first].map(secret => signatureOf(secret, early))
      expect(early.headers['webhook-signature']).toBe(signatures.join(' '))
      for (const secret of [data.secret, first])
        new Webhook(secret).verify(early.body.toString(), early.headers)
      expect(late.headers['webhook-signature']).toBe(signatureOf(data.secret, late))
      const secrets: string[] = []
      for (let rotation = 0; rotation < 2; rotation++) {
        secrets.unshift((await own.client.rotateWebhookSecret({ webhookId })).data.secret)
      }
      await emitEvents(own, 'Last two')
      await receiver.waitForRequests(3)
      const [, , third = noRequest] = receiver.received
      expect(third.headers['webhook-signature']).toBe(
        secrets.map(secret => signatureOf(secret, third)).join(' '),
      )
    })
  })

  test('a webhook has four concurrent attempts if there are enough events, and never more', async () => {
    await using store = await openTestStore(engine, { delivery })
    const { responderOf, concurrentMax, release } = holdResponses()
    await using receiver = await openReceiver(responderOf)
    await createWebhook(store, receiver)
    await emitEvents(store, ...Array.from({ length: 12 }, (_, index) => `${index}`))
    await receiver.waitForRequests(4)
    // Other receivers are served meanwhile, which gives a fifth attempt time to arrive.
    await using other = await openReceiver()
    await createWebhook(store, other)
    await emitEvents(store, 'Meanwhile')
    await other.waitForRequests(1)
    expect([receiver.received.length, concurrentMax()]).toEqual([4, 4])
    release()
    await receiver.waitForRequests(13)
    expect(concurrentMax()).toBe(4)
  })

  test('the first attempts of deliveries start in the order of the positions of their events', async () => {
    await using store = await openTestStore(engine, { delivery })
    await using receiver = await openReceiver()
    const webhook = await createWebhook(store, receiver)
    await Promise.all(Array.from({ length: 60 }, (_, index) => emitEvents(store, `${index}`)))
    await waitForDeliveries(store, webhook, 'delivered', 60)
    const rows = await store.database('SELECT position, created_at FROM delivery ORDER BY position')
    const begun = rows.map(({ created_at }) => String(created_at))
    expect(begun).toEqual(begun.toSorted())
  })

  test('each event of 16 writers is delivered once if nothing fails, with and without a filter', async () => {
    await using store = await openTestStore(engine, { delivery })
    const filterTypes = [
      'petstore.order.placed',
      'petstore.category.created',
      'petstore.pet.created',
    ] as const
    await using all = await openReceiver()
    await using filtered = await openReceiver()
    const since = await headOf(store)
    await createWebhook(store, all)
    await createWebhook(store, filtered, [...filterTypes])
    await useShop(store.client, 16, 500, 20261121)
    const rows = (await eventRows(store)).filter(({ position }) => position === null || position > since)
    const due = [publicTypes, filterTypes].map(
      types => rows.filter(({ type }) => types.some(one => one === type)).length,
    )
    const delivered = `SELECT count(*) AS n FROM delivery WHERE state = 'delivered'`
    await until('all events are delivered', async () =>
      (await store.database(delivered)).every(({ n }) => n === BigInt((due[0] ?? 0) + (due[1] ?? 0))),
    )
    expect([await faultsAt(store, all, since), await faultsAt(store, filtered, since, filterTypes)]).toEqual([
      [],
      [],
    ])
    expect(loggedErrors(store)).toEqual([])
  })
})
