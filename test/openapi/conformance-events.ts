import { WEBHOOKS_MAX } from '../../src/shop/kernel/limits.ts'
import type { OperationId } from '../../src/shop/registry/operations.ts'
import type { TestStore } from '../support/store.ts'
import type { RequestSetup } from './request-setup.ts'

/** A URL at which nothing listens, so that every delivery fails immediately. */
const DEAD_URL = 'http://127.0.0.1:9/events'
const SINCE = 'since=2026-01-01T00%3A00%3A00Z'

/** Creates a webhook, and returns its path. */
async function newWebhookPath({ client }: TestStore, enabled = true): Promise<string> {
  const { data } = await client.createWebhook({
    body: { url: DEAD_URL, types: ['petstore.category.deleted'] },
  })
  if (!enabled) await client.updateWebhook({ webhookId: data.id, body: { enabled } })
  return `/webhooks/${data.id}`
}

/** Sends a test event to a new webhook, and waits for its delivery. Returns the path that redelivers it. */
async function redeliveryPath(store: TestStore, enabled = true): Promise<string> {
  const { client } = store
  const path = await newWebhookPath(store)
  const webhookId = BigInt(path.replace('/webhooks/', ''))
  await client.sendTestEvent({ webhookId })
  for (;;) {
    const [delivery] = (await client.listDeliveries({ webhookId })).data.items
    if (delivery) {
      if (!enabled) await client.updateWebhook({ webhookId, body: { enabled } })
      return `${path}/deliveries/${delivery.id}/redeliver`
    }
    await Bun.sleep(5)
  }
}

/** Moves the retention floor past the first events, as a sweep does. */
async function expireFirstEvents(store: TestStore): Promise<void> {
  await store.database(`UPDATE chain_end SET position = 3 WHERE name = 'floor' RETURNING name`)
}

/** Successful requests for the operations on events and webhooks. */
export const eventSuccesses: Readonly<Partial<Record<OperationId, RequestSetup>>> = {
  createWebhook: () => ({ path: '/webhooks', body: JSON.stringify({ url: DEAD_URL }) }),
  getWebhook: async store => ({ path: await newWebhookPath(store) }),
  updateWebhook: async store => ({ path: await newWebhookPath(store), body: '{"description":"Prints."}' }),
  deleteWebhook: async store => ({ path: await newWebhookPath(store) }),
  rotateWebhookSecret: async store => ({ path: `${await newWebhookPath(store)}/secret` }),
  sendTestEvent: async store => ({ path: `${await newWebhookPath(store)}/test` }),
  listDeliveries: async store => ({
    path: (await redeliveryPath(store)).replace(/\/\d+\/redeliver$/, ''),
  }),
  redeliver: async store => ({ path: await redeliveryPath(store) }),
  redeliverFailed: async store => ({ path: `${await newWebhookPath(store)}/redeliver?${SINCE}` }),
}

/**
 * Valid requests on events and webhooks that are refused because of the state of the store. The last three fill the
 * list of webhooks or move the retention floor, so they come after all others.
 */
export const refusedEventRequests: readonly (readonly [OperationId, RequestSetup])[] = [
  ['sendTestEvent', async store => ({ path: `${await newWebhookPath(store, false)}/test` })],
  ['redeliver', async store => ({ path: await redeliveryPath(store, false) })],
  ['redeliver', async store => ({ path: `${await newWebhookPath(store)}/deliveries/404404/redeliver` })],
  ['redeliverFailed', async store => ({ path: `${await newWebhookPath(store, false)}/redeliver?${SINCE}` })],
  [
    'createWebhook',
    async store => {
      for (let made = 0; made < WEBHOOKS_MAX; made++) await newWebhookPath(store).catch(() => {})
      return { path: '/webhooks', body: JSON.stringify({ url: DEAD_URL }) }
    },
  ],
  [
    'listEvents',
    async store => {
      await expireFirstEvents(store)
      return { path: '/events?after=1' }
    },
  ],
  [
    'streamEvents',
    async store => {
      await expireFirstEvents(store)
      return { path: '/events/stream?after=1' }
    },
  ],
]
