import { describe, expect, test } from 'bun:test'
import { type SystemCommandId, systemCommand } from '../../src/shop/registry/commands.ts'
import {
  type AttemptOutcome,
  hasFreeWebhook,
  pendingDeliveries,
  receiverOf,
} from '../../src/shop/webhooks/delivery-state.ts'
import { storedInstant } from '../../src/values/instant.ts'
import { waitForPositions } from '../support/received-events.ts'
import { sharedStore } from '../support/shop.ts'
import { onEveryEngine, type TestStore } from '../support/store.ts'

const START_MS = Date.parse('2026-11-21T09:00:00Z')
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const OWNER = 'another process'
const RECEIVER = 'http://127.0.0.1:9/'

/** Runs a command of the store itself at an instant. */
async function run({ engine }: TestStore, id: SystemCommandId, input: object, nowMs: number): Promise<void> {
  await engine.execute(systemCommand(id, input, storedInstant(nowMs), 'test'))
}

onEveryEngine(engine => {
  describe('leases and outcomes', () => {
    // The dispatcher of this process takes no lease, so the tests can play another process.
    const store = sharedStore(engine, {
      wrapEngine: wrapped => ({
        ...wrapped,
        execute: async command =>
          command.context.requestId === 'dispatcher' ? { count: 0 } : wrapped.execute(command),
      }),
    })

    /** Gives another process the lease of a webhook for five minutes. */
    async function lease(webhookId: bigint): Promise<void> {
      const until = storedInstant(Date.now() + 5 * MINUTE_MS)
      await store().database(
        `UPDATE webhook SET leased_by = '${OWNER}', leased_until = '${until}' WHERE id = ${webhookId}`,
      )
    }

    /** Creates a webhook that another process has leased, and returns its id. */
    async function makeLeased(): Promise<bigint> {
      const { data } = await store().client.createWebhook({ body: { url: RECEIVER } })
      await lease(data.id)
      return data.id
    }

    async function leaseOf(webhookId: bigint) {
      const [row] = await store().database(
        `SELECT leased_by AS owner, leased_until AS until FROM webhook WHERE id = ${webhookId}`,
      )
      return row
    }

    /** Stores outcomes, as the process that has the lease does. */
    async function record(webhookId: bigint, outcomes: readonly AttemptOutcome[]): Promise<void> {
      const progress = { position: 0n, seenCreation: true }
      await run(store(), 'recordAttempts', { webhookId, owner: OWNER, ...progress, outcomes }, START_MS)
    }

    function failure(at: number, changes: Partial<AttemptOutcome> = {}): AttemptOutcome {
      return {
        event: { id: BigInt(at), position: BigInt(at), type: 'petstore.pet.created' },
        cycleAttempts: 1n,
        at: storedInstant(at),
        durationMs: 5n,
        url: RECEIVER,
        status: 500n,
        state: 'failed',
        ...changes,
      }
    }

    test('a process renews a lease before it ends, and takes the leases that have ended or are wrong', async () => {
      const [own, ended, wrong, other] = [
        await makeLeased(),
        await makeLeased(),
        await makeLeased(),
        await makeLeased(),
      ]
      const nowMs = Date.now()
      const setLease = (webhookId: bigint, owner: string, untilMs: number) =>
        store().database(`UPDATE webhook SET leased_by = '${owner}', leased_until = '${storedInstant(untilMs)}'
          WHERE id = ${webhookId}`)
      await setLease(own, 'this', nowMs + MINUTE_MS)
      await setLease(ended, OWNER, nowMs - 1)
      await setLease(wrong, OWNER, nowMs + 24 * HOUR_MS)
      const until = storedInstant(nowMs + 3 * MINUTE_MS)
      await run(store(), 'leaseWebhooks', { owner: 'this', until, freeBefore: storedInstant(nowMs) }, nowMs)
      for (const webhookId of [own, ended, wrong]) {
        expect(await leaseOf(webhookId)).toEqual({ owner: 'this', until })
      }
      expect(await leaseOf(other)).toMatchObject({ owner: OWNER })
    })

    test('a webhook is free when its lease has ended, and its former process cannot send for it', async () => {
      const webhookId = await makeLeased()
      const isFree = (nowMs: number) =>
        store().engine.readShort(reader => hasFreeWebhook(reader, storedInstant(nowMs)))
      expect(await isFree(Date.now())).toBe(false)
      expect(await isFree(Date.now() + 6 * MINUTE_MS)).toBe(true)
      const receiver = (owner: string) =>
        store().engine.readShort(reader => receiverOf(reader, webhookId, owner))
      expect(await receiver(OWNER)).toMatchObject({ url: RECEIVER })
      expect(await receiver('this')).toBeUndefined()
    })

    test('a clock that is set back does not shorten the time for which a receiver has failed', async () => {
      const webhookId = await makeLeased()
      // Three days, a step back by two days, and two more days.
      const hours = [0, 24, 48, 72, 24, 48, 72]
      await record(
        webhookId,
        hours.map((hour, index) => failure(START_MS + hour * HOUR_MS, { event: eventAt(index) })),
      )
      const { data } = await store().client.getWebhook({ webhookId })
      expect([data.enabled, data.disabledReason]).toEqual([false, 'failing'])
    })

    test('a webhook that is enabled again stays enabled after its next failure', async () => {
      const webhookId = await makeLeased()
      const days = [0, 1, 2, 3, 4, 5, 6]
      await record(
        webhookId,
        days.map(day => failure(START_MS + day * 24 * HOUR_MS, { event: eventAt(day) })),
      )
      const read = async () => (await store().client.getWebhook({ webhookId })).data
      // A change of a disabled webhook keeps the reason.
      await store().client.updateWebhook({ webhookId, body: { description: 'Till' } })
      expect(await read()).toMatchObject({ enabled: false, disabledReason: 'failing' })
      await store().client.updateWebhook({ webhookId, body: { enabled: true } })
      expect(await read()).not.toHaveProperty('failingSince')
      await lease(webhookId)
      await record(webhookId, [failure(START_MS + 8 * 24 * HOUR_MS, { event: eventAt(8) })])
      expect(await read()).toMatchObject({ enabled: true, failingSince: '2026-11-29T09:00:00Z' })
    })

    test('attempts that sent nothing are not failures of the receiver', async () => {
      const webhookId = await makeLeased()
      const days = [0, 1, 2, 3, 4, 5, 6, 7]
      await record(
        webhookId,
        days.map(day => {
          const { url, ...unsent } = failure(START_MS + day * 24 * HOUR_MS, { event: eventAt(day) })
          return unsent
        }),
      )
      const { data } = await store().client.getWebhook({ webhookId })
      expect(data.enabled).toBe(true)
      expect(data).not.toHaveProperty('failingSince')
    })

    test('what a former address answers neither disables a webhook nor ends a delivery', async () => {
      const webhookId = await makeLeased()
      const read = async () => (await store().client.getWebhook({ webhookId })).data
      const days = (count: number, changes: Partial<AttemptOutcome> = {}) =>
        Array.from({ length: count }, (_, day) =>
          failure(START_MS + day * 24 * HOUR_MS, { event: eventAt(day), ...changes }),
        )
      await record(webhookId, days(4))
      expect(await read()).toHaveProperty('failingSince')
      await store().client.updateWebhook({ webhookId, body: { url: `${RECEIVER}new` } })
      expect(await read()).not.toHaveProperty('failingSince')
      await record(webhookId, days(8))
      await record(webhookId, [failure(START_MS, { event: eventAt(9), status: 410n, gone: true })])
      expect(await read()).toMatchObject({ enabled: true })
      expect(await read()).not.toHaveProperty('failingSince')
      const deliveries = (await store().client.listDeliveries({ webhookId })).data.items
      const gone = deliveries.find(({ attempts }) => attempts[0]?.status === 410n)
      expect(gone).toMatchObject({ state: 'pending', nextAttemptAt: '2026-11-21T09:00:00Z' })
      // The new address has a retry cycle of its own.
      const pending = await store().engine.readShort(reader => pendingDeliveries(reader, webhookId))
      expect(pending.map(({ cycleAttempts }) => cycleAttempts)).toContain(0n)
    })

    test('a redelivery that is requested during the first attempt of another one is made', async () => {
      const webhookId = await makeLeased()
      await record(webhookId, [failure(START_MS)])
      const [delivery] = (await store().client.listDeliveries({ webhookId })).data.items
      const deliveryId = delivery?.id ?? 0n
      const request = async () => {
        await store().client.redeliver({ webhookId, deliveryId })
        const [row] = await store().engine.readShort(reader => pendingDeliveries(reader, webhookId))
        return row?.nextAt ?? ''
      }
      const first = await request()
      await Bun.sleep(5)
      const second = await request()
      await record(webhookId, [failure(START_MS, { deliveryId, dueAt: first, state: 'delivered' })])
      const state = async () => (await store().client.listDeliveries({ webhookId })).data.items[0]?.state
      expect(await state()).toBe('pending')
      await record(webhookId, [failure(START_MS, { deliveryId, dueAt: second, state: 'delivered' })])
      expect(await state()).toBe('delivered')
    })

    test('a delivery lists its last 20 attempts', async () => {
      const webhookId = await makeLeased()
      const nextAt = storedInstant(Date.now() + HOUR_MS)
      await record(webhookId, [failure(START_MS, { state: 'pending', nextAt })])
      const [first] = (await store().client.listDeliveries({ webhookId })).data.items
      const again = Array.from({ length: 24 }, (_, index) =>
        failure(START_MS + index, {
          deliveryId: first?.id ?? 0n,
          dueAt: nextAt,
          cycleAttempts: BigInt(index + 2),
          status: BigInt(501 + index),
          state: 'pending',
          nextAt,
        }),
      )
      await record(webhookId, again)
      const [delivery] = (await store().client.listDeliveries({ webhookId })).data.items
      expect(delivery?.attempts.map(({ status }) => status)).toEqual(
        again.slice(-20).map(({ status }) => status),
      )
    })

    test('failed deliveries are made due ten thousand at a time, and one event requests their redelivery', async () => {
      const webhookId = await makeLeased()
      const at = storedInstant(START_MS)
      const insert = (count: number) =>
        store().database(`
          INSERT INTO delivery (id, webhook_id, position, event_id, event_type, state, attempts, cycle_attempts,
            next_at, created_at, updated_at)
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
          SELECT 1000000 + n, ${webhookId}, n, n, 'petstore.pet.created', 'failed', 1, 1, NULL, '${at}', '${at}'
          FROM number`)
      await insert(10_000)
      const makeDue = async () =>
        (await store().client.redeliverFailed({ webhookId, since: '2026-11-21T00:00:00Z' })).data
      expect(await makeDue()).toEqual({ count: 10_000n, more: true })
      expect(await makeDue()).toEqual({ count: 0n, more: false })
      await store().database(`UPDATE delivery SET state = 'failed', next_at = NULL WHERE id = 1000001`)
      expect(await makeDue()).toEqual({ count: 1n, more: false })
      await waitForPositions(store())
      const requests = await store().database(
        `SELECT id FROM event WHERE type = 'petstore.webhook.redelivered' AND subject = 'webhooks/${webhookId}'`,
      )
      expect(requests).toHaveLength(2)
    })
  })
})

function eventAt(position: number): AttemptOutcome['event'] {
  return { id: BigInt(position), position: BigInt(position), type: 'petstore.pet.created' }
}
