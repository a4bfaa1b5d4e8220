import { expect, test } from 'bun:test'
import type { EventType } from '../../src/shop/log/event-types.ts'
import type { ServerProcess } from '../support/process.ts'
import { openReceiver } from '../support/receiver.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { onEveryEngine } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'
import { arrivals, createWebhook, emitEvents } from '../support/webhook-receipts.ts'

const EVENTS = times(20_000, 1_000_000)
const DELIVERED_MIN = times(150, 20_000)
/** The maximum memory that a backlog of any length may add to the process. */
const RSS_GROWTH_MAX_BYTES = 96 * 1024 * 1024
const TIMEOUT_MS = timeLimitMs(120_000)

/** Inserts events of one type after the last event, while no server runs. */
async function insertEvents(place: StoreDirectory, type: EventType, count: number): Promise<void> {
  await place.database(`
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
    INSERT INTO event (id, position, hash, type, subject, subject_version, data, key_id, request_id, at)
    SELECT (SELECT last FROM counter WHERE noun = 'event') + n,
      (SELECT position FROM chain_end WHERE name = 'head') + n,
      'put here', '${type}', 'categories/' || CAST(n AS TEXT), 1, '{"id":1,"name":"Any"}', NULL, 'put here',
      '2026-11-21T09:30:00.000Z' FROM number`)
  await place.database(`UPDATE counter SET last = last + ${count} WHERE noun = 'event'`)
  await place.database(`UPDATE chain_end SET position = position + ${count} WHERE name = 'head'`)
}

/** Returns the resident memory of a server, in bytes. */
async function rssOf({ base }: ServerProcess): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
}

async function numberOf(place: StoreDirectory, query: string): Promise<number> {
  const [row] = await place.database(query)
  return Number(row?.n)
}

/** Returns the positions of deliveries that were first attempted before the delivery at the previous position. */
async function overtaken(place: StoreDirectory): Promise<unknown[]> {
  return place.database(`SELECT later.position FROM delivery later JOIN delivery earlier
    ON earlier.webhook_id = later.webhook_id AND earlier.position = later.position - 1
    WHERE later.created_at < earlier.created_at`)
}

onEveryEngine(engine => {
  test(
    `a backlog of ${EVENTS} events takes little memory, gets deliveries only at first attempts, and is sent in order`,
    async () => {
      await using place = await newStoreDirectory(engine)
      await using receiver = await openReceiver()
      await using rare = await openReceiver()
      const hooks = await (async () => {
        await using server = await place.start()
        const client = place.client(server)
        const webhook = await createWebhook({ client }, receiver)
        const rareWebhook = await createWebhook({ client }, rare, ['petstore.pet.created'])
        await emitEvents({ client }, 'First')
        await receiver.waitForRequests(1)
        for (const { webhookId } of [webhook, rareWebhook]) {
          await client.updateWebhook({ webhookId, body: { enabled: false } })
        }
        await server.kill('SIGTERM')
        return [webhook, rareWebhook]
      })()
      await insertEvents(place, 'petstore.category.updated', EVENTS)
      await using server = await place.start()
      const client = place.client(server)
      const { data: pet } = await client.createPet({ body: { name: 'Rare', categoryId: 1n } })
      const beforeBytes = await rssOf(server)
      for (const { webhookId } of hooks) await client.updateWebhook({ webhookId, body: { enabled: true } })
      let slowestMs = 0
      const ping = async (): Promise<boolean> => {
        const startedMs = performance.now()
        await fetch(`${server.base}/livez`)
        slowestMs = Math.max(slowestMs, performance.now() - startedMs)
        return rare.received.length > 0
      }
      await until('the event of the rare type has arrived', ping, timeLimitMs(120_000))
      await receiver.waitForRequests(DELIVERED_MIN)
      expect(arrivals(rare).map(({ subject }) => subject)).toEqual([`pets/${pet.id}`])
      expect(slowestMs).toBeLessThan(500)
      const growthBytes = (await rssOf(server)) - beforeBytes
      await server.kill('SIGTERM')
      const rows = await numberOf(place, 'SELECT count(*) AS n FROM delivery')
      expect(rows).toBe(receiver.received.length + rare.received.length)
      const positions = arrivals(receiver).map(({ position }) => Number(position))
      const [, first = 0, ...others] = positions.toSorted((a, b) => a - b)
      expect(others).toEqual(others.map((_, index) => first + 1 + index))
      expect(await overtaken(place)).toEqual([])
      expect(growthBytes).toBeLessThan(RSS_GROWTH_MAX_BYTES)
      const mib = Math.round(growthBytes / 1024 / 1024)
      const cost = `${rows} rows, ${mib} MiB more memory, others waited ${Math.round(slowestMs)} ms at most`
      const summary = `a backlog of ${EVENTS} events, ${positions.length} of them sent, in order: ${cost}`
      recordSoak({ guarantee: 16, engine, summary })
    },
    TIMEOUT_MS,
  )
})
