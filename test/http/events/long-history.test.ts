import { expect, test } from 'bun:test'
import { CommitSignal } from '../../../src/database/commit-signal.ts'
import { TimeSlices } from '../../../src/database/time-slices.ts'
import { LongPoll } from '../../../src/http/events/long-poll.ts'
import type { Query } from '../../../src/shop/registry/queries.ts'
import { openStream } from '../../support/open-stream.ts'
import { makePet } from '../../support/shop.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../../support/store.ts'
import { until } from '../../support/until.ts'
import { fillHistory } from './long-history.ts'

/** The number of events in the history: far more than one request reads. */
const EVENTS = 60_000
/** The maximum number of positions that one request reads. */
const POSITIONS_READ_MAX = 20_000n
/** The maximum number of events of one pet that a request scans. */
const PET_EVENTS_READ_MAX = 500

/** Yields the pages of the audit log. */
async function* pagesOf({ client }: TestStore, filters: Parameters<typeof client.listAudit>[0]) {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { data }: Awaited<ReturnType<typeof client.listAudit>> = await client.listAudit({
      ...filters,
      cursor,
    })
    yield data.items
    cursor = data.next
  }
}

/** Returns a feed that reads from the engine of a store, and the number of its queries. */
function openFeed({ engine }: TestStore) {
  const counts = { queries: 0 }
  const feed = new LongPoll({
    commitSignal: new CommitSignal(engine.watch),
    slices: new TimeSlices(),
    runQuery: query => {
      counts.queries++
      return engine.readLong(query)
    },
  })
  return { counts, feed }
}

function feedQuery(after: bigint, type: string): Query {
  return {
    id: 'listEvents',
    input: { after, type: [type] },
    now: '2026-11-21T09:30:00.000Z',
    base: 'http://store',
    keyId: null,
  }
}

onEveryEngine(kind => {
  test('a feed request reads a bounded part of the history, and its next link continues after that part', async () => {
    await using store = await openTestStore(kind)
    const { rareType, rareAt } = await fillHistory(store, EVENTS)
    let after = 0n
    let requests = 0
    for (let found = false; !found; requests++) {
      const reply = await store.send('GET', `/events?type=${rareType}&after=${after}`)
      const items: unknown = await reply.json()
      const next = BigInt(/after=(\d+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1] ?? '0')
      expect(next).toBeGreaterThan(after)
      expect(next - after).toBeLessThanOrEqual(POSITIONS_READ_MAX)
      found = Array.isArray(items) && items.length > 0
      after = next
    }
    expect(after).toBe(rareAt)
    expect(requests).toBeLessThanOrEqual(EVENTS / Number(POSITIONS_READ_MAX) + 1)
  }, 60_000)

  test('the events of a pet are on the first page, however long the history of the store is', async () => {
    await using store = await openTestStore(kind)
    const { petId } = await makePet(store.client, { quantity: 9n, reserved: 2n })
    const { head } = await fillHistory(store, EVENTS)
    const audit = (await store.client.listAudit({ petId })).data
    const feed = (await store.client.listEvents({ petId })).data
    expect(audit.items.map(({ type }) => type).toReversed()).toEqual(feed.items.map(({ type }) => type))
    expect([feed.items.length, audit.next, feed.next]).toEqual([5, undefined, String(head)])
  }, 60_000)

  test('a search through the long history of a pet is split into bounded requests', async () => {
    await using store = await openTestStore(kind)
    const { head } = await fillHistory(store, EVENTS)
    const petId = 7n
    await store.database(`UPDATE event SET pet_id = ${petId} WHERE subject = 'categories/1'`)
    const first = (await store.client.listAudit({ petId, keyId: 404404n })).data
    expect([first.items, typeof first.next]).toEqual([[], 'string'])
    let pages = 0
    for await (const _ of pagesOf(store, { petId, keyId: 404404n })) pages++
    expect(pages).toBeGreaterThan(EVENTS / PET_EVENTS_READ_MAX)
    const feed = await store.send('GET', `/events?petId=${petId}&type=petstore.pet.created`)
    const next = BigInt(/after=(\d+)>; rel="next"/.exec(feed.headers.get('link') ?? '')?.[1] ?? '0')
    expect([next > 0n, next < POSITIONS_READ_MAX, head > POSITIONS_READ_MAX]).toEqual([true, true, true])
  }, 60_000)

  test('the feed stops reading once its client has disconnected', async () => {
    await using store = await openTestStore(kind)
    const { rareType } = await fillHistory(store, EVENTS)
    const { counts, feed } = openFeed(store)
    const reply = await feed.read(feedQuery(0n, rareType), { caller: 'key 1', signal: AbortSignal.abort() })
    expect(counts.queries).toBe(1)
    expect(BigInt(reply.next ?? '0')).toBeLessThan(POSITIONS_READ_MAX)
  }, 60_000)

  test('a stream that searches for a rare event reports its position and does not block the thread', async () => {
    await using store = await openTestStore(kind, { streams: { keepAliveMs: 5 } })
    const { rareType, rareAt } = await fillHistory(store, EVENTS)
    let responses = 0
    let isFound = false
    const probing = (async () => {
      while (!isFound) {
        await (await store.send('GET', '/livez')).text()
        responses++
      }
    })()
    await using stream = await openStream(store.base, `?type=${rareType}&after=0`)
    const passed = new Set<string>()
    for (let block = await stream.next(); block && !('data' in block); block = await stream.next()) {
      if (block.id !== undefined) passed.add(block.id)
    }
    isFound = true
    await probing
    const between = [...passed].map(BigInt).filter(position => position > 0n && position < rareAt)
    expect(between.length).toBeGreaterThan(0)
    await until('other requests got a response meanwhile', () => responses > 0)
  }, 60_000)
})
