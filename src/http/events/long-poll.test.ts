import { expect, test } from 'bun:test'
import { CommitSignal } from '../../database/commit-signal.ts'
import { TimeSlices } from '../../database/time-slices.ts'
import type { Reply } from '../../shop/kernel/idempotency.ts'
import { LongPoll } from './long-poll.ts'

const found: Reply = { status: 200, body: '[{}]', isAtHead: true, next: '9' }
/** The end of the feed, where the client waits. */
const atHead: Reply = { status: 200, body: '[]', isAtHead: true, next: '8' }
/** A window of positions without a matching event, and with more events after it. */
const behind: Reply = { status: 200, body: '[]', isAtHead: false, next: '5' }

/** Reads the feed of a store that gives these replies, one to each query. `onQuery` is called during each query. */
function read(replies: readonly Reply[], wait: number, onQuery: (count: number, commit: () => void) => void) {
  const listeners = new Set<(commands: number) => void>()
  const commitSignal = new CommitSignal(listener => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  })
  const commit = (): void => {
    for (const listener of listeners) listener(1)
  }
  const aborted = new AbortController()
  let queries = 0
  const feed = new LongPoll({
    commitSignal,
    slices: new TimeSlices(),
    runQuery: async () => {
      onQuery(++queries, commit)
      return replies[queries - 1] ?? atHead
    },
  })
  const query = { id: 'listEvents', input: { wait }, now: '', base: '', keyId: null } as const
  const reply = feed.read(query, { caller: 'key 1', signal: aborted.signal })
  return { reply, queries: () => queries, abort: () => aborted.abort() }
}

test('an event that is committed during the query of a long poll ends its wait', async () => {
  const startedMs = performance.now()
  const { reply } = read([atHead, found], 5, (count, commit) => count === 1 && commit())
  expect(await reply).toEqual(found)
  expect(performance.now() - startedMs).toBeLessThan(4000)
})

test('a long poll that was woken many times still reads ten windows without an event', async () => {
  const replies = [...Array.from({ length: 12 }, () => atHead), behind, behind, found]
  const { reply, queries } = read(replies, 3, (_, commit) => commit())
  expect(await reply).toEqual(found)
  expect(queries()).toBe(15)
})

test('a long poll ends with the connection of its client', async () => {
  const startedMs = performance.now()
  const { reply, queries, abort } = read([], 3, () => {})
  await Bun.sleep(0)
  abort()
  expect(await reply).toEqual(atHead)
  expect(queries()).toBe(2)
  expect(performance.now() - startedMs).toBeLessThan(2500)
})
