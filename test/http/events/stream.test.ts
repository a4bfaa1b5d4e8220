import { expect, test } from 'bun:test'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ApiError } from '../../../src/client/errors.ts'
import { bindPort } from '../../../src/serving/server.ts'
import type { Event } from '../../../src/shop/events/schema.ts'
import { importCategories } from '../../support/busy-shop.ts'
import { followEvents } from '../../support/client.ts'
import { openStream } from '../../support/open-stream.ts'
import { headOf } from '../../support/received-events.ts'
import { makePet, sharedStore } from '../../support/shop.ts'
import { ADMIN_KEY, codeOf, onEveryEngine, openTestStore, type TestStore } from '../../support/store.ts'
import { until } from '../../support/until.ts'

/** Far below the 15 seconds between two checks of the keys of all streams. */
const AT_ONCE_MS = 5000

/** Creates categories with these names, one after the other. */
async function createCategories({ client }: TestStore, ...names: string[]): Promise<void> {
  for (const name of names) await client.createCategory({ body: { name } })
}

function nameIn(block: { readonly data?: string } | undefined): unknown {
  return JSON.parse(block?.data ?? '{}').data?.name
}

/** Returns the response to a stream request with these headers: `200`, or the status and code of the refusal. */
async function responseTo(store: TestStore, query: string, headers: Record<string, string>): Promise<string> {
  const stopped = new AbortController()
  const reply = await fetch(`${store.base}/events/stream${query}`, {
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, ...headers },
    signal: stopped.signal,
  })
  const answer = reply.ok ? '200' : `${reply.status} ${JSON.parse(await reply.text()).code}`
  stopped.abort()
  return answer
}

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('a stream without a position starts at the end, and sends its position and the retry time', async () => {
    const head = await headOf(store())
    await using stream = await openStream(store().base)
    expect(stream.first).toEqual({ retry: '1000', id: String(head) })
    expect(stream.reply.headers.get('content-type')).toBe('text/event-stream')
    await createCategories(store(), 'After it began')
    expect(nameIn(await stream.event())).toBe('After it began')
  })

  test('a proxy may neither hold back nor compress a stream or a long poll', async () => {
    await using stream = await openStream(store().base)
    const head = await store().send('HEAD', '/events/stream')
    const feed = await store().send('GET', '/events?limit=1')
    const unchanged = await store().send('GET', '/events?limit=1', {
      headers: { 'If-None-Match': feed.headers.get('etag') ?? '' },
    })
    expect(
      [stream.reply, head, feed, unchanged].map(({ status, headers }) => [
        ...[status, headers.get('cache-control'), headers.get('x-accel-buffering')],
      ]),
    ).toEqual([
      [200, 'no-store, no-transform', 'no'],
      [200, 'no-store, no-transform', 'no'],
      [200, 'private, no-cache, no-transform', 'no'],
      [304, 'private, no-cache, no-transform', 'no'],
    ])
  })

  test('an event of a stream has its position, its type and the same text as in the feed', async () => {
    const after = await headOf(store())
    await using stream = await openStream(store().base)
    await makePet(store().client)
    const feed = await (await store().send('GET', `/events?after=${after}&wait=5`)).text()
    const [feedEvent] = JSON.parse(feed)
    const block = await stream.event()
    expect(block).toEqual({
      id: String(after + 1n),
      event: 'petstore.category.created',
      data: JSON.stringify(feedEvent),
    })
  })

  test('a stream with `seconds` ends by itself then, and sends what happened before', async () => {
    const after = await headOf(store())
    await makePet(store().client)
    const startedMs = performance.now()
    const text = await (await store().send('GET', `/events/stream?seconds=1&after=${after}`)).text()
    expect(performance.now() - startedMs).toBeGreaterThan(900)
    expect(text).toContain('event: petstore.pet.created')
    const refused = await store().send('GET', '/events/stream?seconds=0')
    expect(refused.status).toBe(400)
  })

  test('a stream resumes after a position: Last-Event-ID, or the parameter if the header is absent', async () => {
    const before = await headOf(store())
    await createCategories(store(), 'One', 'Two', 'Three')
    await headOf(store())
    const firstOf = async (query: string, headers: Record<string, string> = {}): Promise<unknown> => {
      await using stream = await openStream(store().base, query, headers)
      return nameIn(await stream.event())
    }
    expect(await firstOf(`?after=${before}`)).toBe('One')
    expect(await firstOf('', { 'Last-Event-ID': String(before + 1n) })).toBe('Two')
    expect(await firstOf(`?after=${before}`, { 'Last-Event-ID': String(before + 2n) })).toBe('Three')
    expect(await firstOf(`?after=${before + 1n}`, { 'Last-Event-ID': '' })).toBe('Two')
    expect(await firstOf('', { 'Last-Event-ID': String(before).padStart(19, '0') })).toBe('One')
  })

  test('a stream that resumes between two events of one commit gets only the second event', async () => {
    await using own = await openTestStore(engine)
    await using follower = await openStream(own.base)
    await importCategories(own.client, 2)
    const first = await follower.event()
    // Both events of the commit are now in memory, as one batch.
    const second = await follower.event()
    for (const filter of ['', '&type=petstore.category.created']) {
      await using resumed = await openStream(own.base, `?after=${first?.id}${filter}`)
      expect((await resumed.event())?.id).toBe(second?.id)
    }
  })

  test('an invalid position, or one beyond the last event, is refused', async () => {
    const head = await headOf(store())
    for (const id of ['x', '-1', '1.5', '12345678901234567890', String(head + 1n), '9999999999999999999']) {
      const outcome = `${id} ${await responseTo(store(), '', { 'Last-Event-ID': id })}`
      expect(outcome).toBe(`${id} 400 invalid_parameter`)
      expect(await responseTo(store(), `?after=${id}`, {})).toBe('400 invalid_parameter')
    }
    expect(await responseTo(store(), '?type=petstore.key.created', {})).toBe('400 invalid_parameter')
  })

  test('a client that accepts event streams gets a stream; a client that accepts only JSON is refused', async () => {
    expect(await responseTo(store(), '', { Accept: 'text/event-stream' })).toBe('200')
    expect(await responseTo(store(), '', { Accept: 'text/*' })).toBe('200')
    expect(await responseTo(store(), '', { Accept: 'application/json' })).toBe('406 not_acceptable')
  })

  test('a stream that is filtered by type omits events of other types', async () => {
    const after = await headOf(store())
    const types = 'type=petstore.pet.created&type=petstore.order.placed'
    await using old = await openStream(store().base, `?after=${after}&${types}`)
    const { petId, orderId } = await makePet(store().client, { quantity: 3n, reserved: 1n })
    await headOf(store())
    await using late = await openStream(store().base, `?after=${after}&${types}`)
    for (const stream of [old, late]) {
      const subjects = [await stream.event(), await stream.event()].map(
        one => JSON.parse(one?.data ?? '{}').subject,
      )
      expect(subjects).toEqual([`pets/${petId}`, `orders/${orderId}`])
    }
  })

  test('a stream that is far behind sends everything in order, then continues with new events', async () => {
    const after = await headOf(store())
    await importCategories(store().client, 450)
    await using stream = await openStream(store().base, `?after=${after}`)
    await createCategories(store(), 'The newest')
    const ids: string[] = []
    for (let block = await stream.event(); block; block = await stream.event()) {
      ids.push(block.id ?? '')
      if (nameIn(block) === 'The newest') break
    }
    expect(ids).toEqual(Array.from({ length: 451 }, (_, index) => String(after + 1n + BigInt(index))))
  })

  test('an independent parser of event streams reads every event unchanged', async () => {
    const after = await headOf(store())
    await createCategories(store(), 'Zeile\n\nzwei: ümläut 🐹\r\nid: 7', 'Last of them')
    const messages: EventSourceMessage[] = []
    const retries: number[] = []
    const parser = createParser({
      onEvent: message => messages.push(message),
      onRetry: ms => retries.push(ms),
      onError: error => {
        throw error
      },
    })
    const stopped = new AbortController()
    const reply = await store().send('GET', `/events/stream?after=${after}`)
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }))
      if (messages.length === 2) break
    }
    stopped.abort()
    expect(retries).toEqual([1000])
    expect(messages.map(({ id }) => id)).toEqual([String(after + 1n), String(after + 2n)])
    expect(messages.map(nameIn)).toEqual(['Zeile\n\nzwei: ümläut 🐹\r\nid: 7', 'Last of them'])
  })

  test('an idle stream sends comments that carry its position', async () => {
    await using own = await openTestStore(engine, { streams: { keepAliveMs: 30 } })
    await using stream = await openStream(own.base, '?type=petstore.pet.deleted')
    await createCategories(own, 'Not asked for')
    const head = await headOf(own)
    await until('the stream has reached the end', async () => {
      const block = await stream.next()
      expect(block).toEqual({ comment: 'alive', id: expect.any(String) })
      return block?.id === String(head)
    })
  })

  test('above the limit, a stream is refused until another stream ends', async () => {
    await using own = await openTestStore(engine, { streams: { streamsMax: 2 } })
    // A refused stream does not count towards the limit.
    for (let times = 0; times < 3; times++) {
      expect(await responseTo(own, '?after=99999', {})).toBe('400 invalid_parameter')
    }
    await using _first = await openStream(own.base)
    {
      await using _second = await openStream(own.base)
      const refused = await own.send('GET', '/events/stream')
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('10')
      expect(JSON.parse(await refused.text()).code).toBe('overloaded')
    }
    await until('a slot is free again', async () => (await responseTo(own, '', {})) === '200')
  })

  test('one caller cannot use all streams', async () => {
    await using own = await openTestStore(engine, { streams: { streamsMax: 3, streamsPerCallerMax: 1 } })
    const { data } = await own.client.createKey({ body: { name: 'Till', scopes: ['events:read'] } })
    const till = { Authorization: `Bearer ${data.key}` }
    await using _theirs = await openStream(own.base, '', till)
    expect(await responseTo(own, '', till)).toBe('503 overloaded')
    await using other = await openStream(own.base)
    expect(other.reply.status).toBe(200)
  })

  test('HEAD on the stream gets the same status and headers as GET, but opens no stream', async () => {
    await using own = await openTestStore(engine, { streams: { streamsMax: 1 } })
    for (let times = 0; times < 3; times++) {
      const reply = await own.send('HEAD', '/events/stream')
      expect(`${reply.status} ${reply.headers.get('content-type')}`).toBe('200 text/event-stream')
      expect(await reply.text()).toBe('')
    }
    expect((await own.send('HEAD', '/events/stream?after=99999')).status).toBe(400)
    await using stream = await openStream(own.base)
    expect(stream.reply.status).toBe(200)
  })

  test('the stream of a revoked key ends at once, and other streams continue', async () => {
    const { data } = await store().client.createKey({ body: { name: 'Till', scopes: ['events:read'] } })
    await using theirs = await openStream(store().base, '', { Authorization: `Bearer ${data.key}` })
    await using other = await openStream(store().base)
    const startedMs = performance.now()
    await store().client.revokeKey({ keyId: data.id })
    expect(await theirs.event()).toBeUndefined()
    expect(performance.now() - startedMs).toBeLessThan(AT_ONCE_MS)
    await createCategories(store(), 'Afterwards')
    expect(nameIn(await other.event())).toBe('Afterwards')
  })

  test('the stream of an expired key ends soon after the expiry', async () => {
    await using own = await openTestStore(engine, { streams: { keepAliveMs: 30 } })
    const expiresAt = new Date(Date.now() + 1500).toISOString()
    const { data } = await own.client.createKey({ body: { name: 'T', scopes: ['events:read'], expiresAt } })
    await using stream = await openStream(own.base, '', { Authorization: `Bearer ${data.key}` })
    expect(await stream.event()).toBeUndefined()
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt))
  })

  test('streams end gracefully when the store stops, and do not delay the stop', async () => {
    const own = await openTestStore(engine)
    const opened = Array.from({ length: 6 }, (_, index) => openStream(own.base, index % 2 ? '?after=0' : ''))
    const streams = await Promise.all(opened)
    const startedMs = performance.now()
    await own[Symbol.asyncDispose]()
    // A broken connection would throw.
    for (const stream of streams) while (await stream.event()) {}
    expect(performance.now() - startedMs).toBeLessThan(AT_ONCE_MS)
  })

  test('a client that follows the stream starts at the end, and ends at once when it is aborted', async () => {
    const options = { base: store().base, key: ADMIN_KEY }
    const stopped = new AbortController()
    const names: unknown[] = []
    const reconnections: unknown[] = []
    await createCategories(store(), 'Before')
    await headOf(store())
    const following = (async () => {
      const onReconnect = (error: Error): number => reconnections.push(error)
      for await (const { data } of followEvents(options, { signal: stopped.signal, onReconnect })) {
        names.push('name' in data && data.name)
        stopped.abort()
      }
    })()
    await until('the client has received an event', async () => {
      if (names.length === 0) await createCategories(store(), 'Now')
      return names.length > 0
    })
    await following
    // A client that did not notice the abort would lose its connection, and wait before it reconnects.
    expect(reconnections).toEqual([])
    expect(new Set(names)).toEqual(new Set(['Now']))
  })

  test('a client that follows the stream gets the refusal as an error', async () => {
    const first = async (key: string, after?: bigint): Promise<Event | undefined> => {
      for await (const event of followEvents({ base: store().base, key }, { after })) return event
      return undefined
    }
    expect(await codeOf(first('nonsense'))).toBe('401 invalid_token')
    expect(await codeOf(first(ADMIN_KEY, 99_999_999n))).toBe('400 invalid_parameter')
    await expect(first('nonsense')).rejects.toBeInstanceOf(ApiError)
  })
})

test('a long poll and a stream may be silent for longer than the idle limit of a connection', async () => {
  const listener = bindPort({ host: '127.0.0.1', port: 0 })
  const unlimited: string[] = []
  listener.timeout = (request, seconds) => {
    if (seconds === 0) unlimited.push(new URL(request.url).pathname)
  }
  await using store = await openTestStore('sqlite', { listener })
  for (const path of ['/pets', '/events', '/audit']) expect((await store.send('GET', path)).status).toBe(200)
  expect((await store.send('HEAD', '/events/stream')).status).toBe(200)
  expect(unlimited).toEqual(['/events', '/events/stream'])
})
