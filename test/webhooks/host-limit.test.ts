import { expect, test } from 'bun:test'
import type { DeliveryOptions } from '../../src/serving/service.ts'
import { HostLimit } from '../../src/webhooks/host-limit.ts'
import { post } from '../../src/webhooks/request.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { openTestStore } from '../support/store.ts'
import { createWebhook, emitEvents, namesIn, waitForDeliveries } from '../support/webhook-receipts.ts'

const PERIOD_MS = 1500
/** The test and the limit read the clock one after the other. This is the maximum difference of their readings. */
const TOLERANCE_MS = 50

test('the limit of a host applies to all stores that share it; the deliveries wait and are not lost', async () => {
  const sentMs: number[] = []
  const delivery: DeliveryOptions = {
    hostLimit: new HostLimit({ attemptsMax: 3, periodMs: PERIOD_MS }),
    send: outgoing => {
      sentMs.push(performance.now())
      return post(outgoing)
    },
    // No retries are allowed, so a delivery would fail if its wait counted as an attempt.
    retryDelaysMs: [],
  }
  await using first = await openTestStore('sqlite', { delivery })
  await using second = await openTestStore('sqlite', { delivery })
  await using receiver = await openReceiver()
  const webhooks = [await createWebhook(first, receiver), await createWebhook(second, receiver)] as const
  await Promise.all([emitEvents(first, 'a1', 'a2', 'a3', 'a4'), emitEvents(second, 'b1', 'b2', 'b3', 'b4')])
  const delivered = [
    ...(await waitForDeliveries(first, webhooks[0], 'delivered', 4)),
    ...(await waitForDeliveries(second, webhooks[1], 'delivered', 4)),
  ]
  expect(namesIn(receiver).toSorted()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4'])
  const gapsMs = sentMs.slice(3).map((ms, index) => ms - (sentMs[index] ?? 0))
  expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(PERIOD_MS - TOLERANCE_MS)
  const waited = delivered.filter(({ attempts }) => attempts.length > 1)
  expect(waited.length).toBeGreaterThan(0)
  for (const { attempts } of waited) {
    expect(attempts.map(({ status, error }) => error ?? status)).toEqual([
      'The limit of 3 attempts a minute to this host is reached; the delivery waits.',
      204n,
    ])
  }
  expect((await first.client.getWebhook(webhooks[0])).data).not.toHaveProperty('failingSince')
})

test('the limit of a host does not delay the deliveries to another host', async () => {
  const hostLimit = new HostLimit({ attemptsMax: 2 })
  await using store = await openTestStore('sqlite', { delivery: { hostLimit } })
  await using limited = await openReceiver()
  await using other = await openReceiver(() => reply(204), { host: '::1' })
  const webhook = await createWebhook(store, limited)
  await emitEvents(store, 'First', 'Second', 'Third')
  await waitForDeliveries(store, webhook, 'pending')
  await createWebhook(store, other)
  await emitEvents(store, 'Fourth')
  await other.waitForRequests(1)
  expect(namesIn(other)).toEqual(['Fourth'])
  expect(limited.received).toHaveLength(2)
  const [waiting] = await waitForDeliveries(store, webhook, 'pending')
  const dueMs = Date.parse(waiting?.nextAttemptAt ?? '') - Date.parse(waiting?.createdAt ?? '')
  expect(dueMs).toBeGreaterThan(30_000)
  expect(dueMs).toBeLessThanOrEqual(61_000)
  expect((await store.client.getWebhook(webhook)).data).not.toHaveProperty('failingSince')
})

test('a host whose limit is reached is not asked for again in each millisecond', async () => {
  const askedMs: number[] = []
  const hostLimit = new HostLimit({
    attemptsMax: 1,
    periodMs: 1,
    // The clock stands still, so that the limit is reached for ever, and its end is always a millisecond away.
    monotonicClock: () => {
      askedMs.push(performance.now())
      return 0
    },
  })
  await using store = await openTestStore('sqlite', { delivery: { hostLimit } })
  await using receiver = await openReceiver()
  const webhook = await createWebhook(store, receiver)
  await emitEvents(store, 'First')
  await waitForDeliveries(store, webhook, 'delivered')
  await emitEvents(store, 'Second')
  await waitForDeliveries(store, webhook, 'pending')
  // Each event wakes the sender.
  await emitEvents(store, 'Third', 'Fourth', 'Fifth', 'Sixth')
  const [, secondMs = 0] = askedMs
  expect(askedMs.filter(ms => ms > secondMs && ms < secondMs + 900)).toEqual([])
})
