import { expect, test } from 'bun:test'
import { z } from 'zod'
import { WEBHOOKS_MAX } from '../../src/shop/kernel/limits.ts'
import { type Resolve, resolveHost, resolveWithin } from '../../src/webhooks/address.ts'
import { everyItem } from '../support/client.ts'
import { openReceiver } from '../support/receiver.ts'
import { sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf, type TestStore } from '../support/store.ts'
import {
  createWebhook,
  deliveriesOf,
  emitEvents,
  waitForAttempts,
  waitForDeliveries,
} from '../support/webhook-receipts.ts'

/** A webhook at a port where nothing listens. No test here causes an event of its types. */
const quiet = { url: 'http://127.0.0.1:9/hook', types: ['petstore.pet.deleted'] } as const
const body = { ...quiet, types: [...quiet.types] }

const Made = z.looseObject({ id: z.number(), secret: z.string() })

/** Returns the rows, responses and log lines that could contain the secret of a webhook, as one text. */
async function everythingOf(store: TestStore, webhookId: bigint): Promise<string> {
  const rows: unknown[] = []
  for (const table of ['webhook', 'event', 'reply', 'metadata', 'delivery', 'attempt']) {
    rows.push(...(await store.database(`SELECT * FROM ${table}`)))
  }
  const webhookPath = `/webhooks/${webhookId}`
  const lists = ['/webhooks', `${webhookPath}/deliveries`, '/audit', '/events'].map(
    path => `${path}?limit=100`,
  )
  const responses = await Promise.all([webhookPath, ...lists].map(path => store.send('GET', path)))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const bodies = await Promise.all(responses.map(response => response.text()))
  const headers = responses.flatMap(response => [...response.headers])
  const texts = [rows, bodies, store.logged, headers].map(content =>
    JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  )
  return texts.join('\n')
}

const unresolved: readonly (readonly [what: string, resolve: Resolve, reason: string])[] = [
  ['that the name server refuses', () => Promise.reject(new Error('EAI_AGAIN')), 'could not be resolved.'],
  ['without an address', async () => [], 'has no address.'],
  [
    'whose lookup takes too long',
    resolveWithin(20, () => new Promise(() => {})),
    'could not be resolved within 20 ms.',
  ],
  // The real resolver: no name server may know a name of .invalid (RFC 6761, section 6.4).
  ['that does not exist', resolveHost, 'could not be resolved.'],
]

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test.each(unresolved)(
    'a webhook at a host %s is saved with a warning, and its deliveries say why they fail',
    async (_, resolve, reason) => {
      await using own = await openTestStore(engine, { allowPrivateWebhooks: false, delivery: { resolve } })
      const warning = `The host till.invalid ${reason} Deliveries to it fail until it can.`
      const created = await own.client.createWebhook({ body: { url: 'https://till.invalid/hook' } })
      expect(created.headers.get('petstore-warning')).toBe(warning)
      const { id: webhookId } = created.data
      const moved = await own.client.updateWebhook({ webhookId, body: { url: 'https://till.invalid/other' } })
      expect([moved.data.url, moved.headers.get('petstore-warning')]).toEqual([
        'https://till.invalid/other',
        warning,
      ])
      const renamed = await own.client.updateWebhook({ webhookId, body: { description: 'The till.' } })
      expect(renamed.headers.get('petstore-warning')).toBeNull()
      const privateUrl = { body: { url: 'https://127.0.0.1/hook' } }
      expect(await codeOf(own.client.createWebhook(privateUrl))).toBe('422 validation_failed')
      await own.client.sendTestEvent({ webhookId })
      await waitForAttempts(own, 1)
      const { data } = await own.client.listDeliveries({ webhookId })
      expect(data.items).toMatchObject([
        { state: 'pending', attempts: [{ error: `The host till.invalid ${reason}` }] },
      ])
    },
  )

  test('the secret of a webhook is returned when it is created or rotated, and appears nowhere else', async () => {
    await using own = await openTestStore(engine)
    await using receiver = await openReceiver()
    const created = await own.send('POST', '/webhooks', { body: JSON.stringify({ url: receiver.base }) })
    expect([created.status, created.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { id, secret } = Made.parse(await created.json())
    expect(created.headers.get('location')).toBe(`${own.base}/webhooks/${id}`)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const webhookId = BigInt(id)
    await own.client.sendTestEvent({ webhookId })
    const { data } = await own.client.rotateWebhookSecret({ webhookId })
    expect(data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(data.secret).not.toBe(secret)
    await own.client.updateWebhook({ webhookId, body: { description: 'Changed.' } })
    await waitForDeliveries(own, { webhookId, secret }, 'delivered')
    const everything = await everythingOf(own, webhookId)
    expect(everything).toContain(receiver.base)
    for (const sentSecret of [secret, data.secret]) {
      const bytes = Buffer.from(sentSecret.replace('whsec_', ''), 'base64')
      for (const form of [sentSecret.slice(6), bytes.toString('hex'), bytes.toString('base64url')]) {
        expect(everything.includes(form)).toBe(false)
      }
    }
    expect(everything).not.toContain('whsec_')
  })

  test('a webhook secret is not stored for replay: its creation and rotation accept no Idempotency-Key', async () => {
    const { data } = await store().client.createWebhook({ body })
    const { id: webhookId } = data
    const options = { idempotencyKey: 'once' }
    const refused = '400 idempotency_key_refused'
    expect(await codeOf(store().client.createWebhook({ body }, options))).toBe(refused)
    expect(await codeOf(store().client.rotateWebhookSecret({ webhookId }, options))).toBe(refused)
    const changed = { webhookId, body: { description: 'Once' } }
    await store().client.updateWebhook(changed, options)
    const again = await store().client.updateWebhook(changed, options)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test('a rotation replaces the secret, and says that the previous secret expires after a day', async () => {
    const now = Date.parse('2026-11-21T09:30:00.120Z')
    await using own = await openTestStore(engine, { clock: () => now })
    const { data } = await own.client.createWebhook({ body })
    const rotated = await own.client.rotateWebhookSecret({ webhookId: data.id })
    expect(rotated.headers.get('cache-control')).toBe('no-store')
    const { secret: _secret, ...shown } = data
    expect(rotated.data).toEqual({
      ...shown,
      secret: rotated.data.secret,
      previousSecretUntil: '2026-11-22T09:30:00.120Z',
    })
  })

  test('a private address is refused when a webhook is created or changed', async () => {
    const addresses: Record<string, readonly string[]> = {
      'till.example': ['93.184.215.14'],
      'inside.example': ['93.184.215.14', '10.0.0.7'],
    }
    const resolve = async (host: string): Promise<readonly string[]> => addresses[host] ?? []
    await using own = await openTestStore(engine, { allowPrivateWebhooks: false, delivery: { resolve } })
    const { data } = await own.client.createWebhook({ body: { ...body, url: 'https://till.example/hook' } })
    for (const host of ['127.0.0.1:8080', '[::1]', 'inside.example', '169.254.169.254']) {
      const url = `http://${host}/`
      for (const call of [
        () => own.client.createWebhook({ body: { url } }),
        () => own.client.updateWebhook({ webhookId: data.id, body: { url } }),
      ]) {
        const { status, errors } = await refusalOf(call())
        expect([host, status, errors[0]?.pointer, errors[0]?.code]).toEqual([
          host,
          422,
          '/url',
          'invalid_format',
        ])
      }
    }
    expect((await own.client.getWebhook({ webhookId: data.id })).data.url).toBe('https://till.example/hook')
  })

  test('every operation on one webhook is refused if the webhook does not exist', async () => {
    const { client } = store()
    const webhookId = 9007199254740993n
    const calls = [
      () => client.getWebhook({ webhookId }),
      () => client.updateWebhook({ webhookId, body: {} }),
      () => client.deleteWebhook({ webhookId }),
      () => client.rotateWebhookSecret({ webhookId }),
      () => client.sendTestEvent({ webhookId }),
      () => client.listDeliveries({ webhookId }),
      () => client.redeliver({ webhookId, deliveryId: 1n }),
      () => client.redeliverFailed({ webhookId, since: '2026-11-21T00:00:00Z' }),
    ]
    for (const call of calls) {
      const { status, code, message } = await refusalOf(call())
      expect([status, code, message]).toEqual([
        404,
        'webhook_not_found',
        `Webhook ${webhookId} does not exist.`,
      ])
    }
  })

  test('the operations on webhooks require webhooks:manage, a scope that does not allow reading events', async () => {
    const manager = await store().clientWith('webhooks:manage')
    const { data } = await manager.createWebhook({ body })
    await manager.sendTestEvent({ webhookId: data.id })
    const others = await store().clientWith('events:read', 'pets:write', 'orders:write', 'keys:manage')
    expect(await codeOf(others.listWebhooks({}))).toBe('403 insufficient_scope')
    expect(await codeOf(others.getWebhook({ webhookId: data.id }))).toBe('403 insufficient_scope')
    expect(await codeOf(store().anonymous.listWebhooks({}))).toBe('401 authentication_required')
    expect(await codeOf(manager.listEvents({}))).toBe('403 insufficient_scope')
    await manager.deleteWebhook({ webhookId: data.id })
  })

  test('webhooks are listed by id; deliveries are listed oldest first, or newest first with sort=-id', async () => {
    await using own = await openTestStore(engine)
    await using receiver = await openReceiver()
    const webhook = await createWebhook(own, receiver)
    for (let count = 0; count < 4; count++) await own.client.createWebhook({ body })
    const ids = (await Array.fromAsync(everyItem(own.client.listWebhooks, { limit: 2 }))).map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => Number(a - b)))
    expect(ids).toHaveLength(5)
    const { data } = await own.client.listWebhooks({ limit: 5 })
    expect([data.items.length, data.next]).toEqual([5, undefined])
    await emitEvents(own, '1', '2', '3', '4', '5')
    await waitForDeliveries(own, webhook, 'delivered', 5)
    const inOrder = (await deliveriesOf(own, webhook)).map(({ id }) => id)
    const list = own.client.listDeliveries
    const pages = async (sort: 'id' | '-id'): Promise<bigint[]> =>
      (await Array.fromAsync(everyItem(list, { ...webhook, limit: 2, sort }))).map(({ id }) => id)
    expect([await pages('id'), await pages('-id')]).toEqual([inOrder, inOrder.toReversed()])
    expect((await list({ ...webhook, state: 'failed' })).data.items).toEqual([])
    const { next = '' } = (await list({ ...webhook, limit: 2 })).data
    expect(await codeOf(list({ ...webhook, state: 'pending', cursor: next }))).toBe('400 invalid_cursor')
  })

  test(`a store has at most ${WEBHOOKS_MAX} webhooks, even if they are created concurrently`, async () => {
    await using own = await openTestStore(engine)
    const making = Array.from({ length: WEBHOOKS_MAX + 20 }, () => own.client.createWebhook({ body }))
    const outcomes = await Promise.allSettled(making)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(WEBHOOKS_MAX)
    expect(await codeOf(own.client.createWebhook({ body }))).toBe('409 webhook_limit_reached')
    const { data } = await own.client.listWebhooks({ limit: 1 })
    await own.client.deleteWebhook({ webhookId: data.items[0]?.id ?? 0n })
    expect((await own.client.createWebhook({ body })).status).toBe(201)
  })
})
