import { expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RecentEvents } from '../../src/api/events/recent-events.ts'
import { CommitSignal } from '../../src/engine/commit-signal.ts'
import { TimeSlices } from '../../src/engine/time-slices.ts'
import { importCategories } from '../support/busy-shop.ts'
import { headOf } from '../support/received-events.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { fillHistory } from './long-history.ts'

const BATCH_BYTES_MAX = 64 * 1024
const EVENTS_PER_READ_MAX = 200

/**
 * Opens a second `RecentEvents` on a store, in addition to the instance of the server. Reads of the second one fail
 * between the calls of `disconnect` and `reconnect`. `watch` replaces the reports of commits.
 */
async function openRecentEvents({ engine, base }: TestStore, watch = engine.watch) {
  const commitSignal = new CommitSignal(watch)
  const faults: unknown[] = []
  let isLost = false
  const recentEvents = new RecentEvents({
    commitSignal,
    slices: new TimeSlices(),
    base,
    readShort: work =>
      isLost ? Promise.reject(new Error('the connection is lost')) : engine.readShort(work),
    onMoved: () => {},
    onRevoked: () => {},
    onFault: fault => faults.push(fault),
  })
  return {
    recentEvents,
    faults,
    ...(await recentEvents.join()),
    disconnect: () => {
      isLost = true
    },
    reconnect: () => {
      isLost = false
    },
    [Symbol.dispose]: () => {
      recentEvents.leave()
      commitSignal.end()
    },
  }
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
