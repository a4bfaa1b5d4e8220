import { expect, test } from 'bun:test'
import { createClient } from '../../../src/client/client.ts'
import { importCategories } from '../../support/busy-shop.ts'
import { everyItem } from '../../support/client.ts'
import { runAt } from '../../support/command-line.ts'
import { openStream } from '../../support/open-stream.ts'
import { headOf } from '../../support/received-events.ts'
import { ADMIN_KEY, codeOf, openTestStore, refusalOf, type TestStore } from '../../support/store.ts'

/** The largest tag. */
const TAG = 9_000_000n
/** The position 0 of the store with this tag, as its clients see it. */
const TAGGED_ZERO = TAG * 1_000_000_000_000n
const CATEGORIES = 25

/** Opens a store whose categories are `Many 1`, `Many 2` and so on. */
async function openTagged(contentTag: bigint | undefined): Promise<TestStore> {
  const store = await openTestStore('sqlite', { contentTag })
  await importCategories(store.client, CATEGORIES)
  await headOf(store)
  return store
}

/** Returns the status, the code and the message with which a stream request is refused. */
async function streamRefusal(
  store: TestStore,
  query: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const reply = await store.send('GET', `/events/stream${query}`, { headers })
  const { code, message } = JSON.parse(await reply.text())
  return `${reply.status} ${code}: ${message}`
}

const REFUSED =
  '410 event_history_expired: The position belongs to an earlier state of this store, before it was reset, or to ' +
  'another store. Read the current state, and continue without a position.'

test('the lists of a store with a content tag have tagged cursors that lead through all pages', async () => {
  await using store = await openTagged(TAG)
  for (const limit of [2, 21]) {
    const names = await Array.fromAsync(everyItem(store.client.listCategories, { limit }), ({ name }) => name)
    expect(names).toEqual(Array.from({ length: CATEGORIES }, (_, index) => `Many ${index + 1}`))
  }
  const entries = await Array.fromAsync(everyItem(store.client.listAudit, { limit: 10 }))
  expect(entries.length).toBeGreaterThan(CATEGORIES)
  const { data, headers } = await store.client.listCategories({ limit: 2 })
  expect(data.next).toMatch(/^[A-Za-z0-9_-]+-9000000$/)
  expect(headers.get('link')).toContain(`cursor=${data.next}>; rel="next"`)
  const empty = await store.client.listCategories({ limit: 2, cursor: '' })
  expect(empty.data).toEqual(data)
})

test('a cursor without the content tag, or with another one, is refused', async () => {
  await using store = await openTagged(TAG)
  await using reset = await openTagged(TAG - 1n)
  await using shop = await openTagged(undefined)
  for (const other of [reset, shop]) {
    const categories = await other.client.listCategories({ limit: 2 })
    const entries = await other.client.listAudit({ limit: 2 })
    for (const to of [store, shop].filter(one => one !== other)) {
      const cursor = categories.data.next ?? ''
      expect(await codeOf(to.client.listCategories({ limit: 2, cursor }))).toBe('400 invalid_cursor')
      expect(await codeOf(to.client.listCategories({ limit: 21, cursor }))).toBe('400 invalid_cursor')
      const audit = to.client.listAudit({ limit: 2, cursor: entries.data.next ?? '' })
      expect(await codeOf(audit)).toBe('400 invalid_cursor')
    }
  }
  for (const cursor of [`-${TAG}`, `x-${TAG}`, `${TAG}`]) {
    expect(await codeOf(store.client.listCategories({ cursor }))).toBe('400 invalid_cursor')
  }
})

test('the feed of a store with a content tag has tagged positions that lead through all pages', async () => {
  await using store = await openTagged(TAG)
  const head = await headOf(store)
  const sequences: bigint[] = []
  let after: bigint | undefined
  for (let hasMore = true; hasMore; ) {
    const page = { limit: 10, ...(after !== undefined && { after }) }
    const { data, headers } = await store.client.listEvents(page)
    sequences.push(...data.items.map(({ sequence }) => BigInt(sequence)))
    expect(headers.get('link')).toContain(`after=${data.next}>; rel="next"`)
    after = BigInt(data.next ?? '')
    hasMore = data.items.length > 0
  }
  expect(sequences.slice(-CATEGORIES)).toEqual(
    Array.from({ length: CATEGORIES }, (_, index) => head - BigInt(CATEGORIES - 1 - index)),
  )
  expect(after).toBe(TAGGED_ZERO + head)
  const { data: tagged } = await store.client.listEvents({ after: TAGGED_ZERO + head - 2n })
  const { data: plain } = await store.client.listEvents({ after: head - 2n })
  expect(tagged.items).toHaveLength(2)
  expect(tagged).toEqual(plain)
  expect(await codeOf(store.client.listEvents({ after: TAGGED_ZERO + head + 1n }))).toBe(
    '400 invalid_parameter',
  )
})

test('a long poll of a store with a content tag waits, and skips thousands of events of other types', async () => {
  await using store = await openTagged(TAG)
  await importCategories(store.client, 2500, '', 'More')
  const head = await headOf(store)
  const rare = { type: ['petstore.category.deleted'], wait: 30 } as const
  const waiting = store.client.listEvents({ ...rare, after: TAGGED_ZERO + head - 2400n })
  await store.client.deleteCategory({ categoryId: 1n })
  const { data } = await waiting
  expect(data.items.map(({ subject }) => subject)).toEqual(['categories/1'])
  expect(BigInt(data.next ?? '')).toBe(TAGGED_ZERO + head + 1n)
  const next = store.client.listEvents({ ...rare, after: BigInt(data.next ?? '') })
  await store.client.deleteCategory({ categoryId: 2n })
  expect((await next).data.items.map(({ subject }) => subject)).toEqual(['categories/2'])
}, 60_000)

test('a stream of a store with a content tag sends tagged ids, and resumes after them', async () => {
  await using store = await openTagged(TAG)
  const head = await headOf(store)
  const before = TAGGED_ZERO + head - 2n
  const places: [string, Record<string, string>][] = [
    [`?after=${before}`, {}],
    [`?after=${head - 2n}`, {}],
    ['', { 'Last-Event-ID': String(before) }],
    ['', { 'Last-Event-ID': String(head - 2n) }],
  ]
  for (const [query, headers] of places) {
    await using stream = await openStream(store.base, query, headers)
    expect(stream.first.id).toBe(String(before))
    const event = await stream.event()
    expect(event?.id).toBe(String(before + 1n))
    expect(BigInt(JSON.parse(event?.data ?? '').sequence)).toBe(head - 1n)
  }
  await using stream = await openStream(store.base)
  expect(stream.first.id).toBe(String(TAGGED_ZERO + head))
  await store.client.createCategory({ body: { name: 'Live' } })
  expect((await stream.event())?.id).toBe(String(TAGGED_ZERO + head + 1n))
})

test('the keep-alives of a stream have tagged ids', async () => {
  await using store = await openTestStore('sqlite', { contentTag: TAG, streams: { keepAliveMs: 20 } })
  const head = await headOf(store)
  await using stream = await openStream(store.base)
  expect(await stream.next()).toEqual({ comment: 'alive', id: String(TAGGED_ZERO + head) })
})

test('a position with another content tag is refused by the feed, by a long poll and by a stream', async () => {
  await using store = await openTagged(TAG)
  await using reset = await openTagged(TAG - 1n)
  const { data } = await reset.client.listEvents({ limit: 2 })
  const after = BigInt(data.next ?? '')
  const refusal = await refusalOf(store.client.listEvents({ after }))
  expect(`${refusal.status} ${refusal.code}: ${refusal.message}`).toBe(REFUSED)
  expect(await codeOf(store.client.listEvents({ after, wait: 30 }))).toBe('410 event_history_expired')
  expect(await streamRefusal(store, `?after=${after}`)).toBe(REFUSED)
  expect(await streamRefusal(store, '', { 'Last-Event-ID': `${after}` })).toBe(REFUSED)
  await using same = await openStream(reset.base, `?after=${after}`)
  expect(same.first.id).toBe(String(after))
})

test('the positions and cursors of a store without a content tag are plain', async () => {
  await using shop = await openTagged(undefined)
  const head = await headOf(shop)
  const { data } = await shop.client.listEvents({ after: head - 1n })
  expect(data.next).toBe(String(head))
  expect(await codeOf(shop.client.listEvents({ after: TAGGED_ZERO + 1n }))).toBe('400 invalid_parameter')
  expect(await streamRefusal(shop, `?after=${TAGGED_ZERO + 1n}`)).toStartWith(
    '400 invalid_parameter: after is',
  )
  await using stream = await openStream(shop.base)
  expect(stream.first.id).toBe(String(head))
  const cursor = (await shop.client.listCategories({ limit: 2 })).data.next ?? ''
  expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())).toHaveLength(3)
  expect((await shop.client.listCategories({ limit: 2, cursor })).data.items).toHaveLength(2)
})

test('the client and the commands follow a store with a content tag', async () => {
  await using store = await openTagged(TAG)
  const head = await headOf(store)
  const resumedAt: (string | null)[] = []
  const client = createClient({
    baseUrl: store.base,
    key: ADMIN_KEY,
    // Each connection ends after its first event, so the client resumes after every event.
    fetch: async (url, init) => {
      resumedAt.push(new Headers(init?.headers).get('last-event-id'))
      const aborted = new AbortController()
      const reply = await fetch(url, { ...init, signal: aborted.signal })
      return new Response(reply.body?.pipeThrough(firstEvent(aborted)), reply)
    },
  })
  const followed: bigint[] = []
  for await (const { sequence } of client.followEvents({ after: head - 3n })) {
    if (followed.push(BigInt(sequence)) === 3) break
  }
  expect(followed).toEqual([head - 2n, head - 1n, head])
  expect(resumedAt).toEqual([head - 3n, TAGGED_ZERO + head - 2n, TAGGED_ZERO + head - 1n].map(String))
  const events = await runAt(store.base, ['list-events', '--all', '--limit', '10', '--output', 'ndjson'])
  expect([events.exitCode, events.output.trim().split('\n').length]).toEqual([0, CATEGORIES])
  const categories = await runAt(store.base, [
    'list-categories',
    '--all',
    '--limit',
    '10',
    '--output',
    'ndjson',
  ])
  expect([categories.exitCode, categories.output.trim().split('\n').length]).toEqual([0, CATEGORIES])
  for (let count = 0; count < 110; count++) {
    await store.client.updateCategory({ categoryId: 1n, body: { name: `Name ${count}` } })
  }
  await headOf(store)
  const history = await runAt(store.base, [
    'history',
    'category',
    '1',
    '--limit',
    '500',
    '--output',
    'ndjson',
  ])
  expect([history.exitCode, history.output.trim().split('\n').length]).toEqual([0, 111])
}, 60_000)

/** Passes on a stream up to the end of its first event, and then ends it. */
function firstEvent(aborted: AbortController): TransformStream<Uint8Array, Uint8Array> {
  let text = ''
  return new TransformStream({
    transform: (chunk, controller) => {
      text += new TextDecoder().decode(chunk)
      const end = text.indexOf('\n\n', text.indexOf('data: '))
      if (!text.includes('data: ') || end < 0) return
      controller.enqueue(new TextEncoder().encode(text.slice(0, end + 2)))
      controller.terminate()
      aborted.abort()
    },
  })
}
