import { expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CommitSignal } from '../../../src/database/commit-signal.ts'
import type { Reader } from '../../../src/database/engine.ts'
import { TimeSlices } from '../../../src/database/time-slices.ts'
import { RecentEvents } from '../../../src/http/events/recent-events.ts'
import { SseHub } from '../../../src/http/events/stream-hub.ts'
import type { RequestContext } from '../../../src/http/request/request-context.ts'
import { importCategories } from '../../support/busy-shop.ts'
import { headOf } from '../../support/received-events.ts'
import { contextOf } from '../../support/request-context.ts'
import { makePet } from '../../support/shop.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../../support/store.ts'
import { until } from '../../support/until.ts'
import { fillHistory } from './long-history.ts'

const BATCH_BYTES_MAX = 64 * 1024
const EVENTS_PER_READ_MAX = 200
const SOON_MS = 5000

/**
 * Opens a second `RecentEvents` on a store, in addition to the instance of the server. Reads of the second one fail
 * between the calls of `disconnect` and `reconnect`. `watch` replaces the reports of commits.
 */
async function openRecentEvents({ engine, base }: TestStore, watch = engine.watch) {
  const commitSignal = new CommitSignal(watch)
  const faults: unknown[] = []
  let isLost = false
  let afterRead = async (): Promise<void> => {}
  const recentEvents = new RecentEvents({
    commitSignal,
    slices: new TimeSlices(),
    base,
    readShort: async <Result>(work: (reader: Reader) => Result): Promise<Awaited<Result>> => {
      if (isLost) throw new Error('the connection is lost')
      const result = await engine.readShort(work)
      await afterRead()
      return result
    },
    onMoved: () => {},
    onRevoked: () => {},
    onError: fault => faults.push(fault),
  })
  return {
    recentEvents,
    commitSignal,
    faults,
    ...(await recentEvents.join()),
    disconnect: () => {
      isLost = true
    },
    reconnect: () => {
      isLost = false
    },
    /** Calls a function once, after a read and before its result is used. */
    afterNextRead: (then: () => Promise<void>) => {
      afterRead = () => {
        afterRead = async () => {}
        return then()
      }
    },
    [Symbol.dispose]: () => {
      recentEvents.leave()
      commitSignal.end()
    },
  }
}

/** Opens a second hub on a store. `reads` has an item for each read, and `commit` reports a commit. */
function openHub({ engine, base }: TestStore) {
  const listeners = new Set<(commands: number) => void>()
  const reads: unknown[] = []
  let afterRead = async (): Promise<void> => {}
  const commitSignal = new CommitSignal(listener => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  })
  const hub = new SseHub({
    commitSignal,
    readShort: async <Result>(work: (reader: Reader) => Result): Promise<Awaited<Result>> => {
      reads.push(work)
      const result = await engine.readShort(work)
      await afterRead()
      return result
    },
    slices: new TimeSlices(),
    base,
    streamsMax: 10,
    streamsPerCallerMax: 10,
    clock: Date.now,
    onError: () => {},
  })
  return {
    hub,
    commitSignal,
    reads,
    commit: () => {
      for (const listener of listeners) listener(1)
    },
    afterNextRead: (then: () => Promise<void>) => {
      afterRead = then
    },
  }
}

function streamContext(): RequestContext {
  return contextOf(new Request('http://store/events/stream'))
}

onEveryEngine(engine => {
  test('an event that could not be read at first is published soon, although no other event follows', async () => {
    await using store = await openTestStore(engine)
    await headOf(store)
    using opened = await openRecentEvents(store)
    opened.disconnect()
    await store.client.createCategory({ body: { name: 'The only one' } })
    await until('the read has failed', () => opened.faults.length > 0)
    opened.reconnect()
    const head = await headOf(store)
    await until('all events have been read', () => opened.recentEvents.head === head)
    expect(opened.recentEvents.batchAfter(opened.head)?.frames.map(({ position }) => position)).toEqual([
      head,
    ])
  })

  test('an event that occurs during a read is published, although no other event follows', async () => {
    await using store = await openTestStore(engine)
    await headOf(store)
    const commits = new Set<(commands: number) => void>()
    const watch = (listener: (commands: number) => void) => {
      commits.add(listener)
      return () => commits.delete(listener)
    }
    using opened = await openRecentEvents(store, watch)
    const commit = (): void => {
      for (const listener of commits) listener(1)
    }
    await store.client.createCategory({ body: { name: 'First' } })
    const head = (await headOf(store)) + 1n
    const isRead = Promise.withResolvers<void>()
    opened.afterNextRead(async () => {
      await store.client.createCategory({ body: { name: 'Second' } })
      await headOf(store)
      const signalled = opened.commitSignal.next()
      commit()
      await signalled
      isRead.resolve()
    })
    commit()
    await isRead.promise
    await until('both events are published', () => opened.recentEvents.head === head, SOON_MS)
  })

  test('streams that are behind share a read only with the same types, and only if it succeeds', async () => {
    await using store = await openTestStore(engine)
    await makePet(store.client)
    const head = await headOf(store)
    using opened = await openRecentEvents(store)
    const read = async (type: string) => {
      const { frames } = await opened.recentEvents.readBehind(0n, [type], 10)
      return frames.map(frame => frame.type)
    }
    opened.disconnect()
    await expect(read('petstore.pet.created')).rejects.toThrow('the connection is lost')
    opened.reconnect()
    expect(await read('petstore.pet.created')).toEqual(['petstore.pet.created'])
    expect(await read('petstore.category.created')).toEqual(['petstore.category.created'])
    expect(opened.recentEvents.head).toBe(head)
  })

  test('a stream that is opened after a time without streams gets no events of before that time', async () => {
    await using store = await openTestStore(engine)
    await headOf(store)
    using opened = await openRecentEvents(store)
    const { recentEvents } = opened
    await store.client.createCategory({ body: { name: 'Before' } })
    const before = await headOf(store)
    await until('the event has been read', () => recentEvents.head === before)
    recentEvents.leave()
    await store.client.createCategory({ body: { name: 'Meanwhile' } })
    const meanwhile = await headOf(store)
    await store.client.createCategory({ body: { name: 'After' } })
    await headOf(store)
    const { head } = await recentEvents.join()
    await until('the last event is known', () => recentEvents.head >= meanwhile)
    expect(head).toBeGreaterThan(meanwhile)
    expect(recentEvents.batchAfter(before)?.to ?? head).toBeGreaterThan(before)
  })

  test('a stream that is opened while the streams end, ends too', async () => {
    await using store = await openTestStore(engine)
    const { hub, afterNextRead } = openHub(store)
    const reading = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    afterNextRead(async () => {
      reading.resolve()
      await ended.promise
    })
    const responding = hub.respond(streamContext(), {})
    await reading.promise
    await hub.end()
    ended.resolve()
    let hasEnded = false
    ;(await responding).text().then(() => {
      hasEnded = true
    })
    await until('the stream has ended', () => hasEnded, SOON_MS)
  })

  test('after a refused stream, a store without streams reads no events', async () => {
    await using store = await openTestStore(engine)
    const { hub, commit, commitSignal, reads } = openHub(store)
    await expect(hub.respond(streamContext(), { after: 99_999n })).rejects.toThrow('the last event has')
    const passCommit = async (): Promise<number> => {
      const signalled = commitSignal.next()
      commit()
      await signalled
      await nextTurn()
      return reads.length
    }
    // The reading that began for the stream notices at the first commit that there is none.
    const before = await passCommit()
    expect(await passCommit()).toBe(before)
    await hub.end()
  })

  test('after a large commit, the events are read in pages, and other work runs between two of them', async () => {
    await using store = await openTestStore(engine)
    await headOf(store)
    const commits = new Set<(commands: number) => void>()
    const watch = (listener: (commands: number) => void) => {
      commits.add(listener)
      return () => commits.delete(listener)
    }
    using opened = await openRecentEvents(store, watch)
    const { head } = await fillHistory(store, 10_000)
    for (const onCommit of commits) onCommit(1)
    const heads = new Set<bigint>()
    while (opened.recentEvents.head < head) {
      heads.add(opened.recentEvents.head)
      await nextTurn()
    }
    expect(heads.size).toBeGreaterThanOrEqual(10_000 / EVENTS_PER_READ_MAX)
  })

  test('a batch of events has a bounded size, and the batches follow each other without gaps', async () => {
    await using store = await openTestStore(engine)
    const begin = await headOf(store)
    using opened = await openRecentEvents(store)
    await importCategories(store.client, 300, '🐹'.repeat(2000))
    const head = await headOf(store)
    await until('all events have been read', () => opened.recentEvents.head === head)
    for (const read of [
      (position: bigint) => opened.recentEvents.batchAfter(position),
      (position: bigint) => opened.recentEvents.readBehind(position, ['petstore.category.created'], 200),
    ]) {
      const positions: bigint[] = []
      for (let position = begin; position < head; ) {
        const batch = await read(position)
        if (!batch || batch.to <= position) throw new Error(`there is no event after position ${position}`)
        expect(batch.bytes.length).toBeLessThanOrEqual(BATCH_BYTES_MAX)
        expect(
          Buffer.concat(batch.frames.map(({ from, to }) => batch.bytes.subarray(from, to))).equals(
            batch.bytes,
          ),
        ).toBe(true)
        positions.push(...batch.frames.map(frame => frame.position))
        position = batch.to
      }
      expect(positions).toEqual(Array.from({ length: 300 }, (_, index) => begin + 1n + BigInt(index)))
    }
  })
})
