import { expect, test } from 'bun:test'
import { sweep } from '../../src/serving/sweeping.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { codeOf, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const KEY_ROUNDS = times(50, 1000)
const KEYS_PER_ROUND = 10
const TIMEOUT_MS = timeLimitMs(120_000)

/**
 * Sends each key several times at once. Returns a fault for each key that got different responses, and one if the
 * number of effects is wrong.
 */
async function repeatKeys(store: TestStore, round: number): Promise<string[]> {
  const { petId } = await makePet(store.client, { quantity: 1000n })
  const body = `{"petId":${petId},"quantity":1}`
  const keys = Array.from({ length: KEYS_PER_ROUND }, (_, index) => `round-${round}-${index}`)
  const broken: string[] = []
  await Promise.all(
    keys.map(async (key, index) => {
      const repeats = Array.from({ length: 2 + (index % 7) }, async () => {
        const reply = await store.send('POST', '/store/orders', { headers: { 'Idempotency-Key': key }, body })
        return `${reply.status} ${reply.headers.get('location')} ${reply.headers.get('etag')} ${await reply.text()}`
      })
      const replies = new Set(await Promise.all(repeats))
      if (replies.size !== 1) broken.push(`key ${key} got ${replies.size} different responses`)
    }),
  )
  const rows = await store.database(`SELECT id FROM orders WHERE pet_id = ${petId}`)
  if (rows.length !== keys.length) broken.push(`${keys.length} keys had ${rows.length} effects`)
  return broken
}

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('a repeated request gets the same response, byte for byte, marked as a repeat', async () => {
    const { petId } = await makePet(store().client, { quantity: 5n })
    const send = () =>
      store().send('POST', '/store/orders', {
        headers: { 'Idempotency-Key': '"a key"' },
        body: `{"petId":${petId}}`,
      })
    const first = await send()
    const second = await send()
    expect([second.status, await second.text()]).toEqual([201, await first.text()])
    for (const name of ['location', 'etag', 'content-type', 'cache-control']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name))
    }
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    const { data } = await store().client.getInventoryItem({ petId })
    expect(data.reserved).toBe(1n)
  })

  test('a repetition at the same moment has one effect, also if it is refused after it has written', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const { data: category } = await client.createCategory({ body: { name: 'Newts' } })
    for (let round = 0; round < 20; round++) {
      const { petId: many } = await makePet(client, { quantity: 10n })
      const { petId: last } = await makePet(client, { quantity: 1n })
      const pet = { name: `Newt ${round}`, categoryId: category.id, barcode: `round-${round}` }
      const lines = [many, last].map(petId => ({ petId, quantity: 1n, unitPrice: 1000n }))
      const requests: readonly (readonly [path: string, body: object])[] = [
        ['/pets', pet],
        ['/store/sales', { lines }],
      ]
      for (const [path, body] of requests) {
        const headers = { 'Idempotency-Key': `"${path} ${round}"` }
        const sent = {
          headers,
          body: JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
        }
        const replies = await Promise.all(Array.from({ length: 6 }, () => own.send('POST', path, sent)))
        const texts = new Set(await Promise.all(replies.map(reply => reply.text())))
        expect([path, replies.map(({ status }) => status), texts.size]).toEqual([path, Array(6).fill(201), 1])
      }
      const { data: stock } = await client.getInventoryItem({ petId: many })
      expect([round, stock.quantity]).toEqual([round, 9n])
    }
    expect(await violatedInvariants(own)).toEqual([])
  })

  test('an idempotency key with parameters equals the same key without them', async () => {
    const body = '{"name":"With parameters"}'
    const ids = new Set<unknown>()
    for (const key of [
      '"params"',
      '"params";p=1',
      '"params"; a="x;y"; b=?1;c',
      '"params";d=:YQ==:',
      '"params";t=%"caf%c3%a9"',
    ]) {
      const reply = await store().send('POST', '/categories', { body, headers: { 'Idempotency-Key': key } })
      expect([key, reply.status]).toEqual([key, 201])
      ids.add(await reply.text())
    }
    expect(ids.size).toBe(1)
  })

  test('an idempotency key is refused for another request; a quoted and an unquoted key are equal', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 5n })
    await client.placeOrder({ body: { petId } }, { idempotencyKey: 'k-1' })
    const other = client.placeOrder({ body: { petId, quantity: 2n } }, { idempotencyKey: 'k-1' })
    expect(await codeOf(other)).toBe('422 idempotency_key_reused')
    const bare = await store().send('POST', '/store/orders', {
      headers: { 'Idempotency-Key': 'k-1' },
      body: `{"petId":${petId}}`,
    })
    expect(bare.headers.get('idempotent-replayed')).toBe('true')
  })

  test('an idempotency key belongs to one owner and operation, and a refusal is not stored under it', async () => {
    const { client, base } = store()
    const { petId } = await makePet(client, { quantity: 1n })
    const clerk = await store().clientWith('orders:write')
    const idempotencyKey = 'shared'
    await client.placeOrder({ body: { petId } }, { idempotencyKey })
    const refused = () => codeOf(clerk.placeOrder({ body: { petId } }, { idempotencyKey }))
    expect(await refused()).toBe('409 insufficient_stock')
    await client.setInventory({ petId, body: { quantity: 2n } }, { idempotencyKey })
    const placed = await clerk.placeOrder({ body: { petId } }, { idempotencyKey })
    expect(placed.location).toStartWith(`${base}/store/orders/`)
  })

  test('a repeated request gets the response of its own caller, although another one used the same key', async () => {
    const { petId } = await makePet(store().client, { quantity: 9n })
    const clerks = [await store().clientWith('orders:write'), await store().clientWith('orders:write')]
    const place = async (index: number) => {
      const clerk = clerks[index] ?? store().client
      return (await clerk.placeOrder({ body: { petId } }, { idempotencyKey: 'ours' })).data.id
    }
    const first = [await place(0), await place(1)]
    expect(new Set(first).size).toBe(2)
    expect([await place(0), await place(1)]).toEqual(first)
  })

  test('an idempotency key is refused for another query; a backslash may be escaped in its quoted form', async () => {
    const { client, send } = store()
    const { data: webhook } = await client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
    const again = async (since: string, key: string) => {
      const path = `/webhooks/${webhook.id}/redeliver?since=${since}`
      const response = await send('POST', path, { headers: { 'Idempotency-Key': key } })
      return [response.status, response.headers.get('idempotent-replayed')]
    }
    expect(await again('2026-01-01T00:00:00Z', 'till\\1')).toEqual([202, null])
    expect(await again('2026-01-02T00:00:00Z', 'till\\1')).toEqual([422, null])
    expect(await again('2026-01-01T00:00:00Z', '"till\\\\1"')).toEqual([202, 'true'])
  })

  test('a repeated deletion gets the stored response, but 404 without an idempotency key', async () => {
    const { client } = store()
    const { petId } = await makePet(client)
    const first = await client.deletePet({ petId }, { idempotencyKey: 'gone' })
    const second = await client.deletePet({ petId }, { idempotencyKey: 'gone' })
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([
      204,
      204,
      'true',
    ])
    expect(await codeOf(client.deletePet({ petId }))).toBe('404 pet_not_found')
  })

  test('an operation that returns a secret accepts no idempotency key', async () => {
    const { client } = store()
    const body = { name: 'till', scopes: ['orders:read' as const] }
    const options = { idempotencyKey: 'k' }
    const calls = [
      client.createKey({ body }, options),
      client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } }, options),
      client.rotateWebhookSecret({ webhookId: 1n }, options),
    ]
    expect(await Promise.all(calls.map(codeOf))).toEqual(Array(3).fill('400 idempotency_key_refused'))
  })

  test('only a sweep ends an idempotency key, after 24 hours, so a wrong clock repeats no effect', async () => {
    let now = Date.parse('2026-11-21T00:00:00Z')
    const clock = (): number => now
    await using timed = await openTestStore(engine, { clock })
    const { client } = timed
    const { petId } = await makePet(client, { quantity: 9n })
    const place = async () =>
      (await client.placeOrder({ body: { petId } }, { idempotencyKey: 'daily' })).headers.get(
        'idempotent-replayed',
      )
    const quiet = { access: () => {}, info: () => {}, error: () => {} }
    const sweepNow = () => sweep({ engine: timed.engine, clock, log: quiet, eventRetention: 'forever' })
    expect(await place()).toBeNull()
    now += 24 * 3_600_000 - 1
    await sweepNow()
    expect(await place()).toBe('true')
    now += 2
    expect(await place()).toBe('true')
    await sweepNow()
    expect(await place()).toBeNull()
    expect(await place()).toBe('true')
  })

  test('a repeated cancellation of an order gets the stored response, and 404 without an idempotency key', async () => {
    await using store = await openTestStore(engine)
    const { petId } = await makePet(store.client, { quantity: 3n })
    const { data: order } = await store.client.placeOrder({ body: { petId } })
    const cancel = (headers: Record<string, string> = {}) =>
      store.send('DELETE', `/store/orders/${order.id}`, { headers })
    const replies: [number, string | null][] = []
    for (const headers of [{ 'Idempotency-Key': '"once"' }, { 'Idempotency-Key': '"once"' }, {}]) {
      const { status, headers: fields } = await cancel(headers)
      replies.push([status, fields.get('idempotent-replayed')])
    }
    expect(replies).toEqual([
      [204, null],
      [204, 'true'],
      [404, null],
    ])
  })

  test('requests with one key at once get one response, although its effect would refuse the others', async () => {
    const { databaseUrl } = store().place
    await using other = databaseUrl ? await openTestStore(engine, { databaseUrl }) : undefined
    const responsesOf = async (
      method: string,
      path: string,
      key: string,
      body?: string,
    ): Promise<string[]> => {
      const sent = Array.from({ length: 6 }, async (_, index) => {
        const { send } = index % 2 === 1 && other ? other : store()
        const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/json' }
        const response = await send(method, path, { headers, ...(body && { body }) })
        return `${response.status} ${await response.text()}`
      })
      return [...new Set(await Promise.all(sent))]
    }
    for (let round = 0; round < 20; round++) {
      const { petId } = await makePet(store().client, { quantity: 1n })
      const body = `{"petId":${petId},"complete":${round % 2 === 1}}`
      const placed = await responsesOf('POST', '/store/orders', `last-unit-${round}`, body)
      expect(placed).toEqual([expect.stringMatching(/^201 /)])
      const id = /"id":(\d+)/.exec(placed[0] ?? '')?.[1]
      if (round % 2 === 0)
        expect(await responsesOf('DELETE', `/store/orders/${id}`, `cancel-${round}`)).toEqual(['204 '])
    }
  })

  test(
    `each of ${KEY_ROUNDS * KEYS_PER_ROUND} idempotency keys, sent 2 to 8 times at once, has one effect`,
    async () => {
      await using store = await openTestStore(engine)
      for (let round = 0; round < KEY_ROUNDS; round++) expect(await repeatKeys(store, round)).toEqual([])
      expect(await violatedInvariants(store)).toEqual([])
      const keys = KEY_ROUNDS * KEYS_PER_ROUND
      recordSoak({
        guarantee: 4,
        engine,
        summary: `${keys} keys, each 2 to 8 times at once: one effect, identical responses`,
      })
    },
    TIMEOUT_MS,
  )
})
