import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { onEveryEngine } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { createWebhook, eventIn } from '../support/webhook-receipts.ts'

const BAD_RECEIVERS = fileURLToPath(new URL('./bad-receivers.ts', import.meta.url))
const CONTROL = fileURLToPath(new URL('../controls/one-attempt-at-a-time-server.ts', import.meta.url))
const IS_PROOF = times(0, 1) > 0
const GOOD_RECEIVERS = IS_PROOF ? 35 : 5
/** The number of bad receivers of each kind: dead, dripping, endless. */
const BAD_PER_KIND = IS_PROOF ? 5 : 1
const EVENTS = IS_PROOF ? 40 : 20
const ROUNDS = IS_PROOF ? 3 : 1
/** The time between two events: a rate that two cores can sustain, so that the times measure waiting, not load. */
const EVENT_INTERVAL_MS = IS_PROOF ? 400 : 10
/** The limit of the p99 of the latency: far above the time of a delivery, below one attempt at a bad receiver. */
const LATENCY_MAX_MS = 5000

/** Starts the bad receivers of all kinds in a separate process. Disposing them ends the process. */
async function openBadReceivers(): Promise<AsyncDisposable & { readonly bases: readonly string[] }> {
  const child = Bun.spawn([process.execPath, BAD_RECEIVERS, `${BAD_PER_KIND}`], {
    stdin: 'ignore',
    stdout: 'pipe',
  })
  const { value } = await child.stdout.getReader().read()
  return {
    bases: z.array(z.string()).parse(JSON.parse(new TextDecoder().decode(value))),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Causes events at a steady rate. Returns the time from each event to its arrival at each good receiver, sorted. */
async function latenciesMs(client: Client, good: readonly Receiver[]): Promise<number[]> {
  const before = good.map(({ received }) => received.length)
  for (let event = 0; event < EVENTS; event++) {
    const startedMs = performance.now()
    await client.createCategory({ body: { name: `${event}` } })
    await Bun.sleep(Math.max(0, EVENT_INTERVAL_MS - (performance.now() - startedMs)))
  }
  await Promise.all(good.map((receiver, index) => receiver.waitForRequests((before[index] ?? 0) + EVENTS)))
  const latencies = good.flatMap(({ received }, index) =>
    received.slice(before[index]).map(request => {
      return performance.timeOrigin + request.arrivedMs - Date.parse(eventIn(request).time)
    }),
  )
  return latencies.sort((a, b) => a - b)
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

onEveryEngine(engine => {
  test(
    `${GOOD_RECEIVERS} receivers get everything in time next to ${BAD_PER_KIND * 3} dead, dripping or endless ones`,
    async () => {
      await using place = await newStoreDirectory(engine)
      await using server = await place.start()
      const client = place.client(server)
      const good = await Promise.all(Array.from({ length: GOOD_RECEIVERS }, () => openReceiver()))
      await using bad = await openBadReceivers()
      try {
        for (const receiver of good) await createWebhook({ client }, receiver)
        const hooks = await Promise.all(bad.bases.map(base => createWebhook({ client }, { base })))
        const enable = async (enabled: boolean): Promise<void> => {
          for (const { webhookId } of hooks) await client.updateWebhook({ webhookId, body: { enabled } })
        }
        const alone: number[] = []
        const among: number[] = []
        for (let round = 0; round < ROUNDS; round++) {
          await enable(false)
          alone.push(p99(await latenciesMs(client, good)))
          await enable(true)
          among.push(p99(await latenciesMs(client, good)))
        }
        const [dead, , unending] = hooks
        for (const webhook of [dead, unending]) {
          const { data } = await client.listDeliveries({ webhookId: webhook?.webhookId ?? 0n })
          expect(data.items.length).toBeGreaterThan(0)
        }
        expect(Math.max(...among)).toBeLessThan(LATENCY_MAX_MS)
        if (IS_PROOF) expect(median(among)).toBeLessThanOrEqual(2 * median(alone))
        const [aloneMs, amongMs] = [median(alone), median(among)].map(ms => ms.toFixed(1))
        const setup = `${GOOD_RECEIVERS} good receivers and ${BAD_PER_KIND * 3} bad ones, ${EVENTS * ROUNDS} events`
        const summary = `${setup}: p99 ${amongMs} ms, undisturbed ${aloneMs} ms`
        recordSoak({ guarantee: 16, engine, summary })
      } finally {
        for (const receiver of good) await receiver[Symbol.asyncDispose]()
      }
    },
    timeLimitMs(120_000),
  )

  test(
    'control: if all webhook senders share one permit, a good receiver waits longer than the limit for the bad ones',
    async () => {
      await using place = await newStoreDirectory(engine)
      await using server = await place.start(CONTROL)
      const client = place.client(server)
      await using good = await openReceiver()
      await using bad = await openBadReceivers()
      // The control takes its permit when a name is resolved.
      const named = (base: string): { base: string } => ({ base: base.replace('127.0.0.1', 'localhost') })
      const cause = async (): Promise<void> => {
        for (let event = 0; event < EVENTS; event++) await client.createCategory({ body: { name: 'Any' } })
      }
      await createWebhook({ client }, named(good.base))
      await cause()
      await good.waitForRequests(EVENTS)
      for (const base of bad.bases) await createWebhook({ client }, named(base))
      await cause()
      await Bun.sleep(LATENCY_MAX_MS)
      expect(good.received.length).toBeLessThan(2 * EVENTS)
    },
    timeLimitMs(120_000),
  )
})
