import { describe, expect, test } from 'bun:test'
import type { Command } from '../../src/shop/registry/commands.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { testedEngines } from '../support/engines.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import {
  arrivals,
  createWebhook,
  deliveriesOf,
  emitEvents,
  loggedErrors,
  namesIn,
  waitForDeliveries,
} from '../support/webhook-receipts.ts'

/** The dispatcher wakes the senders every third of a lease, so with short leases they soon notice a changed clock. */
const delivery = { retryDelaysMs: [30, 30], leaseMs: 150, timeoutMs: 150 }
const LONG_AGO = '2026-01-01T00:00:00Z'

onEveryEngine(engine => {
  describe('deliveries', () => {
    const store = sharedStore(engine, { delivery })

    test('a delivery is pending until an attempt succeeds, and lists each attempt', async () => {
      let aheadMs = 0
      await using store = await openTestStore(engine, {
        delivery: { ...delivery, retryDelaysMs: [DAY_MS, 30], timeoutMs: 5000 },
        // The delivery is pending until the test sets the clock, however slow the machine is.
        clock: () => Date.now() + aheadMs,
      })
      const long = `${'é'.repeat(600)}\0`
      await using receiver = await openReceiver((_, index) => {
        if (index === 0) return reply(500, {}, 'out of paper')
        return index === 1 ? reply(404, {}, long) : reply(202, {}, 'thanks')
      })
      const webhook = await createWebhook(store, receiver)
      const startedMs = Date.now()
      await emitEvents(store, 'Late')
      const [first] = await waitForDeliveries(store, webhook, 'pending')
      const nextAtMs = Date.parse(first?.nextAttemptAt ?? '') - Date.parse(first?.createdAt ?? '')
      expect(nextAtMs).toBeGreaterThanOrEqual(DAY_MS)
      aheadMs = 2 * DAY_MS
      const [delivered] = await waitForDeliveries(store, webhook, 'delivered')
      expect(delivered).toMatchObject({ eventId: receiver.received[0]?.headers['webhook-id'] })
      expect(delivered).not.toHaveProperty('nextAttemptAt')
      expect(delivered?.attempts.map(({ status, reply: text }) => `${status} ${text?.slice(0, 12)}`)).toEqual(
        ['500 out of paper', `404 ${'é'.repeat(12)}`, '202 thanks'],
      )
      // 512 characters of two bytes are the first KiB.
      expect(delivered?.attempts[1]?.reply).toBe('é'.repeat(512))
      const atMs = (delivered?.attempts ?? []).map(attempt => Date.parse(attempt.at))
      expect(atMs.toSorted((a, b) => a - b)).toEqual(atMs)
      expect([(atMs[0] ?? 0) >= startedMs, (atMs[2] ?? 0) <= Date.now() + aheadMs]).toEqual([true, true])
      expect((atMs[1] ?? 0) - (atMs[0] ?? 0)).toBeGreaterThanOrEqual(DAY_MS)
      expect(delivered?.attempts.every(({ durationMs }) => durationMs < 5000n)).toBe(true)
      expect((await store.client.getWebhook(webhook)).data).not.toHaveProperty('failingSince')
    })

    test('a delivery fails after the last attempt; a redelivery starts a new retry cycle', async () => {
      await using receiver = await openReceiver((_, index) => reply(index < 4 ? 500 : 204))
      const webhook = await createWebhook(store(), receiver)
      await emitEvents(store(), 'Never')
      const [failed] = await waitForDeliveries(store(), webhook, 'failed')
      expect([failed?.attempts.length, receiver.received.length]).toEqual([3, 3])
      expect((await store().client.getWebhook(webhook)).data.failingSince).toBe(failed?.createdAt ?? '')
      const deliveryId = failed?.id ?? 0n
      const { data, status } = await store().client.redeliver({ ...webhook, deliveryId })
      expect([status, data.state, data.attempts.length]).toEqual([202, 'pending', 3])
      const [delivered] = await waitForDeliveries(store(), webhook, 'delivered')
      expect(delivered?.attempts.map(attempt => attempt.status)).toEqual([500n, 500n, 500n, 500n, 204n])
      await store().client.redeliver({ ...webhook, deliveryId })
      await receiver.waitForRequests(6)
      expect(new Set(arrivals(receiver).map(({ id }) => id)).size).toBe(1)
      expect((await store().client.getWebhook(webhook)).data).not.toHaveProperty('failingSince')
      await store().client.deleteWebhook(webhook)
    })

    test('one failed delivery can be sent again, or all that were first attempted since an instant', async () => {
      let isFailing = true
      await using receiver = await openReceiver(() => reply(isFailing ? 500 : 204))
      const webhook = await createWebhook(store(), receiver)
      await emitEvents(store(), 'First')
      const [first] = await waitForDeliveries(store(), webhook, 'failed')
      await emitEvents(store(), 'Second', 'Third')
      const [, second] = await waitForDeliveries(store(), webhook, 'failed', 3)
      isFailing = false
      const again = async (since: string): Promise<bigint> =>
        (await store().client.redeliverFailed({ ...webhook, since })).data.count
      const later = new Date(Date.now() + 60_000).toISOString()
      expect(await again(later)).toBe(0n)
      expect(await again(second?.createdAt ?? '')).toBe(2n)
      await waitForDeliveries(store(), webhook, 'delivered', 2)
      expect(await again(first?.createdAt ?? '')).toBe(1n)
      await waitForDeliveries(store(), webhook, 'delivered', 3)
      expect(await again(LONG_AGO)).toBe(0n)
      // The last of the redeliveries was that of the first event.
      expect(String(receiver.received.at(-1)?.body)).toContain('"First"')
      await store().client.deleteWebhook(webhook)
    })

    test('a delivery is not sent again for a disabled webhook, or through another webhook', async () => {
      await using receiver = await openReceiver()
      const { client } = store()
      const webhook = await createWebhook(store(), receiver)
      const other = await createWebhook(store(), receiver, ['petstore.pet.deleted'])
      await emitEvents(store(), 'Once')
      const [delivered] = await waitForDeliveries(store(), webhook, 'delivered')
      const deliveryId = delivered?.id ?? 0n
      expect(await codeOf(client.redeliver({ ...other, deliveryId }))).toBe('404 delivery_not_found')
      expect(await codeOf(client.redeliver({ webhookId: 404404n, deliveryId }))).toBe('404 webhook_not_found')
      await client.updateWebhook({ ...webhook, body: { enabled: false } })
      expect(await codeOf(client.redeliver({ ...webhook, deliveryId }))).toBe('409 webhook_disabled')
      expect(await codeOf(client.redeliverFailed({ ...webhook, since: LONG_AGO }))).toBe(
        '409 webhook_disabled',
      )
      expect(await codeOf(client.sendTestEvent(webhook))).toBe('409 webhook_disabled')
      expect(receiver.received).toHaveLength(1)
      for (const created of [webhook, other]) await client.deleteWebhook(created)
    })
  })

  test('a webhook whose receiver responds with 410 (Gone) is disabled, and one event reports it', async () => {
    await using store = await openTestStore(engine, { delivery })
    await using gone = await openReceiver(() => reply(410))
    await using other = await openReceiver()
    const webhook = await createWebhook(store, gone)
    await createWebhook(store, other, ['petstore.webhook.disabled'])
    await Promise.all(['1', '2', '3', '4'].map(name => emitEvents(store, name)))
    await other.waitForRequests(1)
    const { data } = await store.client.getWebhook(webhook)
    expect(data).toMatchObject({ enabled: false, disabledReason: 'gone' })
    const page = await store.client.listEvents({ after: 0n, type: ['petstore.webhook.disabled'] })
    expect(page.data.items).toHaveLength(1)
    expect(page.data.items[0]).toMatchObject({ subject: `webhooks/${webhook.webhookId}` })
    // The rest of the URL may be a secret, and must not be shown to everybody that reads events.
    expect(page.data.items[0]?.data).toEqual({ ...data, url: gone.base })
    expect(gone.received.length).toBeLessThanOrEqual(4)
    expect((await deliveriesOf(store, webhook)).every(({ state }) => state !== 'pending')).toBe(true)
  })

  test('a 410 of an address that is being replaced disables nothing, and its event goes to the new one', async () => {
    await using store = await openTestStore(engine, { delivery: { ...delivery, timeoutMs: 5000 } })
    const changed = Promise.withResolvers<void>()
    await using former = await openReceiver(() => (socket, request) => {
      changed.promise.then(() => reply(410)(socket, request))
    })
    await using current = await openReceiver()
    const webhook = await createWebhook(store, former)
    await emitEvents(store, 'Moved')
    await former.waitForRequests(1)
    await store.client.updateWebhook({ ...webhook, body: { url: current.base } })
    changed.resolve()
    const startedMs = performance.now()
    await waitForDeliveries(store, webhook, 'delivered')
    // The next look for retries that are due would be after 10 s.
    expect(performance.now() - startedMs).toBeLessThan(8000)
    expect((await store.client.getWebhook(webhook)).data.enabled).toBe(true)
    expect(current.received[0]?.headers['webhook-id']).toBe(former.received[0]?.headers['webhook-id'] ?? '')
  })

  test('a webhook is disabled after failing for five days; enabling it ends the period of failures', async () => {
    let aheadMs = 0
    await using store = await openTestStore(engine, {
      delivery: { ...delivery, retryDelaysMs: [] },
      clock: () => Date.now() + aheadMs,
    })
    let isFailing = true
    await using receiver = await openReceiver(() => reply(isFailing ? 500 : 204))
    const webhook = await createWebhook(store, receiver)
    for (let day = 0; day <= 5; day++) {
      expect((await store.client.getWebhook(webhook)).data.enabled).toBe(true)
      aheadMs = day * DAY_MS + day * 1000
      await emitEvents(store, `Day ${day}`)
      await waitForDeliveries(store, webhook, 'failed', day + 1)
    }
    const { data } = await store.client.getWebhook(webhook)
    expect([data.enabled, data.disabledReason]).toEqual([false, 'failing'])
    await emitEvents(store, 'Meanwhile')
    isFailing = false
    const enabled = await store.client.updateWebhook({ ...webhook, body: { enabled: true } })
    expect(enabled.data).not.toHaveProperty('failingSince')
    await until('the webhook continues', () => namesIn(receiver).includes('Meanwhile'))
  })

  test('the days in which a store was off or sent nothing do not count as failures of a webhook', async () => {
    let aheadMs = 0
    await using store = await openTestStore(engine, {
      delivery: { ...delivery, retryDelaysMs: [] },
      clock: () => Date.now() + aheadMs,
    })
    await using receiver = await openReceiver(() => reply(500))
    const webhook = await createWebhook(store, receiver)
    for (const [count, day] of [0, 6, 12, 100].entries()) {
      aheadMs = day * DAY_MS
      await emitEvents(store, `Day ${day}`)
      await waitForDeliveries(store, webhook, 'failed', count + 1)
    }
    expect((await store.client.getWebhook(webhook)).data.enabled).toBe(true)
  })
})

test('a retry that a wrong clock has put off for a year is made once the clock is right', async () => {
  let aheadMs = 365 * DAY_MS
  await using store = await openTestStore('sqlite', {
    delivery: { ...delivery, retryDelaysMs: [DAY_MS], leaseMs: 150 },
    clock: () => Date.now() + aheadMs,
  })
  await using receiver = await openReceiver((_, index) => reply(index === 0 ? 500 : 204))
  const webhook = await createWebhook(store, receiver)
  await emitEvents(store, 'While the clock was wrong')
  await waitForDeliveries(store, webhook, 'pending')
  aheadMs = 0
  await waitForDeliveries(store, webhook, 'delivered')
})

test.skipIf(!testedEngines.includes('postgres'))(
  'a retry that becomes due while the store cannot write is made as soon as the store can write',
  async () => {
    let refusals = 1
    await using store = await openTestStore('postgres', {
      delivery,
      executeCommand: async (tx, command: Command) => {
        if (command.id === 'recordAttempts' && refusals-- > 0) throw new Error('the disk is full')
        return executeCommand(tx, command)
      },
    })
    await using receiver = await openReceiver((_, index) => reply(index === 0 ? 500 : 204))
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Tried again')
    await waitForDeliveries(store, webhook, 'delivered')
    expect(namesIn(receiver)).toEqual(['Tried again', 'Tried again'])
  },
)

/**
 * Lets a receiver request a pause of 1 second, and emits a second event during the pause. Returns when each of the
 * three requests arrived; undefined if the machine was so slow that the pause ended first.
 */
async function emitDuringPause(store: TestStore): Promise<number[] | undefined> {
  await using receiver = await openReceiver((_, index) =>
    index === 0 ? reply(503, { 'retry-after': '1' }) : reply(204),
  )
  const webhook = await createWebhook(store, receiver)
  await emitEvents(store, 'Asked to wait')
  await until('the first attempt is stored', async () => (await deliveriesOf(store, webhook)).length === 1)
  await emitEvents(store, 'Behind it')
  const isInPause = receiver.received.length === 1
  await receiver.waitForRequests(3)
  await store.client.deleteWebhook(webhook)
  return isInPause ? receiver.received.map(({ arrivedMs }) => arrivedMs) : undefined
}

test('a delivery and the deliveries after it wait as long as Retry-After specifies', async () => {
  await using store = await openTestStore('sqlite', { delivery })
  let arrivedMs: number[] | undefined
  while (!arrivedMs) arrivedMs = await emitDuringPause(store)
  const [first = 0, ...others] = arrivedMs
  expect(others).toHaveLength(2)
  for (const other of others) expect(other - first).toBeGreaterThanOrEqual(990)
})

test('after ten failures in a row, a webhook makes no attempt for 1 second; a success ends the pauses', async () => {
  await using store = await openTestStore('sqlite', { delivery: { ...delivery, retryDelaysMs: [DAY_MS] } })
  await using receiver = await openReceiver((_, index) => reply(index < 10 ? 500 : 204))
  const webhook = await createWebhook(store, receiver)
  for (let count = 1; count <= 10; count++) {
    await emitEvents(store, `${count}`)
    await waitForDeliveries(store, webhook, 'pending', count)
  }
  await emitEvents(store, '11', '12', '13')
  await receiver.waitForRequests(13)
  const arrivalsMs = receiver.received.map(({ arrivedMs }) => arrivedMs)
  expect((arrivalsMs[10] ?? 0) - (arrivalsMs[9] ?? 0)).toBeGreaterThanOrEqual(990)
  expect((arrivalsMs[12] ?? 0) - (arrivalsMs[10] ?? 0)).toBeLessThan(900)
})

test('an error of the store during an attempt does not lose the delivery', async () => {
  let aheadMs = 0
  await using store = await openTestStore('sqlite', {
    delivery: { ...delivery, retryDelaysMs: [DAY_MS] },
    clock: () => Date.now() + aheadMs,
  })
  await using receiver = await openReceiver()
  const webhook = await createWebhook(store, receiver)
  await store.database(`UPDATE webhook SET description = secret, secret = 'not encrypted'`)
  await emitEvents(store, 'Kept')
  const [pending] = await waitForDeliveries(store, webhook, 'pending')
  expect(pending?.attempts[0]?.error).toBe('The store could not make this attempt.')
  expect((await store.client.getWebhook(webhook)).data).not.toHaveProperty('failingSince')
  await store.database('UPDATE webhook SET secret = description, description = NULL')
  aheadMs = 2 * DAY_MS
  await waitForDeliveries(store, webhook, 'delivered')
  expect(namesIn(receiver)).toEqual(['Kept'])
  expect((await store.client.getWebhook(webhook)).data).not.toHaveProperty('failingSince')
  expect(loggedErrors(store).join()).toContain('not an encrypted secret')
})

test('a delivery fails if its next retry is due after the time limit; a redelivery has a new limit', async () => {
  const retryDelaysMs = Array.from({ length: 20 }, () => 200)
  await using store = await openTestStore('sqlite', { delivery: { retryDelaysMs, giveUpAfterMs: 1000 } })
  await using receiver = await openReceiver(() => reply(500))
  const webhook = await createWebhook(store, receiver)
  await emitEvents(store, 'Never')
  const [failed] = await waitForDeliveries(store, webhook, 'failed')
  const attempts = failed?.attempts.length ?? 0
  expect(attempts).toBeGreaterThanOrEqual(2)
  expect(attempts).toBeLessThanOrEqual(6)
  await store.client.redeliver({ ...webhook, deliveryId: failed?.id ?? 0n })
  await until('the redelivery has failed', async () => {
    const [again] = await deliveriesOf(store, webhook)
    return again?.state === 'failed' && again.attempts.length > attempts
  })
  const [again] = await deliveriesOf(store, webhook)
  expect(again?.attempts.length).toBeGreaterThanOrEqual(attempts + 2)
  expect(again?.attempts.length).toBeLessThanOrEqual(attempts + 6)
})
