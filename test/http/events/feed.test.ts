import { expect, test } from 'bun:test'
import { eventTypes } from '../../../src/shop/log/event-types.ts'
import { importCategories } from '../../support/busy-shop.ts'
import { headOf } from '../../support/received-events.ts'
import { makePet, sharedStore } from '../../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf, type TestStore } from '../../support/store.ts'
import { until } from '../../support/until.ts'

/** A time that is far below WAIT_MAX_SECONDS, and far above the response time of a busy machine. */
const AT_ONCE_MS = 8000
/** The longest `wait` that a request of the feed may have. */
const WAIT_MAX_SECONDS = 30

/** Reads the feed, and returns the page and the time that the request took. */
async function readFeed(store: TestStore, input: Parameters<TestStore['client']['listEvents']>[0]) {
  const startedMs = performance.now()
  const { data } = await store.client.listEvents(input)
  return { ...data, durationMs: performance.now() - startedMs }
}

/** Sends a few requests one after the other, so that the store has received every request that was sent before them. */
async function untilReceived({ base }: TestStore): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await (await fetch(`${base}/livez`)).text()
}

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('without a position the feed starts with the oldest event', async () => {
    await using fresh = await openTestStore(engine)
    const empty = await fresh.client.listEvents({})
    expect(empty.data.items).toEqual([])
    const { petId } = await makePet(fresh.client)
    const { data } = await fresh.client.listEvents({ after: 0n, wait: WAIT_MAX_SECONDS, limit: 3 })
    let events = data.items
    // On PostgreSQL, events get their positions after the commit.
    await until('both events have a position', async () => {
      events = (await fresh.client.listEvents({})).data.items
      return events.length >= 2
    })
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual([
      'petstore.category.created',
      'petstore.pet.created',
    ])
    expect(events[1]?.subject).toBe(`pets/${petId}`)
    expect(data.items[0]).toEqual(events[0] ?? expect.unreachable())
  })

  test('a position beyond the last event is refused, and so is an invalid position', async () => {
    const head = await headOf(store())
    expect((await store().client.listEvents({ after: head })).status).toBe(200)
    const refusal = await refusalOf(store().client.listEvents({ after: head + 1n }))
    expect(refusal.status).toBe(400)
    expect(refusal.errors).toMatchObject([{ in: 'query', name: 'after', code: 'out_of_range' }])
    for (const after of ['-1', '1.5', 'x', '', '12345678901234567890', '0x1', '%201']) {
      const reply = await store().send('GET', `/events?after=${after}`)
      expect(`${after} ${reply.status}`).toBe(`${after} 400`)
    }
    expect((await store().send('GET', '/events?after=9999999999999999999')).status).toBe(400)
  })

  test('a sequence is a valid position with and without its leading zeros', async () => {
    const before = await headOf(store())
    await store().client.createCategory({ body: { name: 'One more' } })
    await headOf(store())
    const [short, long] = await Promise.all(
      [String(before), String(before).padStart(19, '0')].map(async after =>
        (await store().send('GET', `/events?after=${after}`)).text(),
      ),
    )
    expect(long).toBe(short ?? 'nothing')
    expect(JSON.parse(short ?? '[]')).toHaveLength(1)
  })

  test('the filter by pet follows one pet: page by page, with types, and with long polling', async () => {
    const after = await headOf(store())
    const { client } = store()
    const [followed, other] = [
      await makePet(client, { quantity: 9n }),
      await makePet(client, { quantity: 9n }),
    ]
    for (const pet of [followed, other, followed, other])
      await client.placeOrder({ body: { petId: pet.petId } })
    const { petId } = followed
    await headOf(store())
    const all = (await client.listEvents({ after, petId, limit: 100 })).data
    const ordered = ['petstore.inventory.changed', 'petstore.order.placed']
    const stocked = ['petstore.inventory.changed', 'petstore.inventory.changed']
    const types = ['petstore.pet.created', ...stocked, ...ordered, ...ordered]
    expect(all.items.map(({ type }) => type as string)).toEqual(types)
    const paged: unknown[] = []
    for (let next = after; ; ) {
      const { data } = await client.listEvents({ after: next, petId, limit: 2 })
      if (data.items.length === 0) break
      paged.push(...data.items)
      next = BigInt(data.next ?? '')
    }
    expect(paged).toEqual([...all.items])
    const type = ['petstore.order.placed'] as const
    expect((await client.listEvents({ after, petId, type })).data.items).toHaveLength(2)
    const waiting = readFeed(store(), { after: BigInt(all.next ?? ''), petId, wait: WAIT_MAX_SECONDS })
    await client.placeOrder({ body: { petId: other.petId } })
    await client.updatePet({ petId, body: { name: 'Other' } })
    const { items, durationMs } = await waiting
    expect([items.map(({ subject }) => subject), durationMs < AT_ONCE_MS]).toEqual([[`pets/${petId}`], true])
  })

  test('a filter returns only events of the given types, in the same order', async () => {
    const after = await headOf(store())
    await makePet(store().client, { quantity: 3n, reserved: 1n })
    await headOf(store())
    const all = (await store().client.listEvents({ after, limit: 100 })).data.items
    for (const type of [
      ['petstore.pet.created'],
      ['petstore.order.placed', 'petstore.category.created'],
    ] as const) {
      const chosen: readonly string[] = type
      const { data } = await store().client.listEvents({ after, type })
      expect(data.items).toEqual(all.filter(event => chosen.includes(event.type)))
      expect(data.items.length).toBeGreaterThan(0)
    }
    const { data } = await store().client.listEvents({ after, type: eventTypes, limit: 100 })
    expect(data.items).toEqual(all)
  })

  test('a type that is not in the feed is refused', async () => {
    for (const type of ['petstore.key.created', 'petstore.webhook.test', 'pet.created', '']) {
      expect((await store().send('GET', `/events?type=${type}`)).status).toBe(400)
    }
  })

  test('a page has at most the requested number of events, and its next link continues after them', async () => {
    const after = await headOf(store())
    await importCategories(store().client, 7)
    await store().client.createCategory({ body: { name: 'Many 8' } })
    await headOf(store())
    const names: string[] = []
    let path = `/events?after=${after}&type=petstore.category.created&limit=3`
    for (const count of [3, 3, 2, 0, 0]) {
      const reply = await store().send('GET', path)
      const events: { data: { name: string } }[] = JSON.parse(await reply.text())
      expect(events).toHaveLength(count)
      names.push(...events.map(({ data }) => data.name))
      path = nextPath(store(), reply)
      expect(path).toContain('type=petstore.category.created&limit=3')
    }
    expect(names).toEqual(Array.from({ length: 8 }, (_, index) => `Many ${index + 1}`))
    await store().client.createCategory({ body: { name: 'Later' } })
    const later = await store().send('GET', `${path}&wait=${WAIT_MAX_SECONDS}`)
    expect(JSON.parse(await later.text())).toMatchObject([{ data: { name: 'Later' } }])
    for (const limit of [0, 101])
      expect((await store().send('GET', `/events?limit=${limit}`)).status).toBe(400)
  })

  test('a rare type is found after thousands of other events, in one response', async () => {
    const after = await headOf(store())
    await importCategories(store().client, 2500)
    await makePet(store().client)
    await headOf(store())
    const { data } = await store().client.listEvents({ after, type: ['petstore.pet.created'], limit: 1 })
    expect(data.items).toHaveLength(1)
  })

  test('a waiting client gets its response as soon as an event occurs', async () => {
    const after = await headOf(store())
    const waiting = readFeed(store(), { after, wait: WAIT_MAX_SECONDS })
    await untilReceived(store())
    const { data: category } = await store().client.createCategory({ body: { name: 'News' } })
    const { items, durationMs, next } = await waiting
    expect(items).toMatchObject([{ subject: `categories/${category.id}` }])
    expect(next).toBe(String(after + 1n))
    expect(durationMs).toBeLessThan(AT_ONCE_MS)
  })

  test('a waiting client gets an empty response when its time is over', async () => {
    const after = await headOf(store())
    const { items, durationMs, next } = await readFeed(store(), { after, wait: 1 })
    expect(items).toEqual([])
    expect(next).toBe(String(after))
    expect(durationMs).toBeGreaterThan(990)
    // A busy machine may delay one response, but hardly each of three.
    const durations: number[] = []
    for (let read = 0; read < 3; read++) durations.push((await readFeed(store(), { after })).durationMs)
    expect(Math.min(...durations)).toBeLessThan(990)
  })

  test('a client that waits for one type gets no response when an event of another type occurs', async () => {
    const after = await headOf(store())
    const waiting = readFeed(store(), { after, type: ['petstore.pet.deleted'], wait: 1 })
    await untilReceived(store())
    await store().client.createCategory({ body: { name: 'Another matter' } })
    const head = await headOf(store())
    expect(head).toBe(after + 1n)
    const { items, durationMs, next } = await waiting
    expect(items).toEqual([])
    expect(durationMs).toBeGreaterThan(990)
    expect(next).toBe(String(head))
  })

  test('a waiting client gets its response when the store stops', async () => {
    const own = await openTestStore(engine)
    const after = await headOf(own)
    const waiting = readFeed(own, { after, wait: WAIT_MAX_SECONDS })
    await untilReceived(own)
    await own[Symbol.asyncDispose]()
    const { items, next, durationMs } = await waiting
    expect({ items, next }).toEqual({ items: [], next: String(after) })
    expect(durationMs).toBeLessThan(AT_ONCE_MS)
  })

  test('a client can wait for at most 30 seconds, and a negative wait is refused', async () => {
    for (const wait of ['31', '-1', '1.5', 'x']) {
      expect((await store().send('GET', `/events?wait=${wait}`)).status).toBe(400)
    }
  })

  test('changes of keys and webhooks are not in the feed', async () => {
    const after = await headOf(store())
    const { client } = store()
    const { data: key } = await client.createKey({ body: { name: 'Till', scopes: ['events:read'] } })
    const { data: hook } = await client.createWebhook({ body: { url: 'http://127.0.0.1:9/x' } })
    const webhookId = hook.id
    await client.updateWebhook({ webhookId, body: { description: 'Another' } })
    await client.rotateWebhookSecret({ webhookId })
    await client.sendTestEvent({ webhookId })
    await client.deleteWebhook({ webhookId })
    await client.revokeKey({ keyId: key.id })
    const { data } = await client.createCategory({ body: { name: 'In the feed' } })
    const events = await client.listEvents({ after, wait: WAIT_MAX_SECONDS })
    expect(events.data.items.map(({ subject }) => subject)).toEqual([`categories/${data.id}`])
    expect(BigInt(events.data.items[0]?.sequence ?? 0)).toBeGreaterThanOrEqual(after + 8n)
  })

  test('an event is a CloudEvent without further members, and its data is the resource', async () => {
    const after = await headOf(store())
    const { client, base } = store()
    const { data: category } = await client.createCategory({ body: { name: 'Geckos' } })
    const { data: pet } = await client.createPet({ body: { name: 'Anna', categoryId: category.id } })
    await client.deletePet({ petId: pet.id })
    const reply = await store().send('GET', `/events?after=${after}&type=petstore.pet.created&wait=5`)
    const [created]: Record<string, unknown>[] = JSON.parse(await reply.text())
    expect(created).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9]+$/),
      source: base,
      type: 'petstore.pet.created',
      subject: `pets/${pet.id}`,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
      datacontenttype: 'application/json',
      sequence: expect.stringMatching(/^[0-9]{19}$/),
      data: { id: Number(pet.id), name: 'Anna', categoryId: Number(category.id), status: 'available' },
    })
    const deleted = await client.listEvents({ after, type: ['petstore.pet.deleted'], wait: 5 })
    expect(deleted.data.items).toMatchObject([{ subject: `pets/${pet.id}`, data: pet }])
  })

  test('the feed requires events:read, and HEAD returns the same Link header as GET', async () => {
    const permitted = await store().clientWith('events:read')
    const forbidden = await store().clientWith('orders:write')
    expect((await permitted.listEvents({ limit: 1 })).status).toBe(200)
    expect(await codeOf(forbidden.listEvents({}))).toBe('403 insufficient_scope')
    expect(await codeOf(store().anonymous.listEvents({}))).toBe('401 authentication_required')
    const [head, get] = [
      await store().send('HEAD', '/events?limit=1'),
      await store().send('GET', '/events?limit=1'),
    ]
    expect(await head.text()).toBe('')
    expect(head.headers.get('link')).toBe(get.headers.get('link'))
  })
})

function nextPath({ base }: TestStore, reply: Response): string {
  const url = /<([^>]*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
  if (url === undefined) throw new Error('the response has no next link')
  return url.replace(base, '')
}
