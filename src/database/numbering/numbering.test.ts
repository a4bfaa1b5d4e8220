import { expect, test } from 'bun:test'
import { openFailingConnection } from '../../../test/support/failing-connection.ts'
import type { EventRecord, NewEvent, TotalChanges } from '../new-event.ts'
import { sql } from '../statement.ts'
import { CHAIN_START, chainEntryAfterGap, nextChainEntry } from './chain.ts'
import { batchOf, insertBatch, numberAllBatches, numberEvents } from './numbering.ts'
import { TotalSums } from './totals.ts'

function event(id: bigint, subject: string, subjectVersion: bigint): NewEvent {
  const rest = { type: 'petstore.pet.updated', data: '{"a":"\\"é"}', keyId: null, requestId: 'test', at: '' }
  return { id, subject, subjectVersion, petId: 2n ** 62n + 1n, traceparent: null, ...rest }
}

function batch(events: readonly NewEvent[], ...totals: TotalChanges[]) {
  const sums = new TotalSums()
  for (const changes of totals) sums.add(changes)
  return { id: 1n, ...batchOf(events, sums) }
}

/** Numbers events of one batch. Returns their ids in the new order. */
function numberedIds(events: readonly NewEvent[]): bigint[] {
  return numberEvents(CHAIN_START, [batch(events)]).events.map(({ id }) => id)
}

test('events are numbered in the order of their batches and of their places in them, whatever their ids are', () => {
  const late = { ...batch([event(1n, 'pets/4', 1n)]), id: 10n }
  const early = {
    ...batch([event(7n, 'pets/1', 1n), event(3n, 'pets/2', 1n), event(5n, 'pets/3', 1n)]),
    id: 9n,
  }
  expect(numberEvents(CHAIN_START, [late, early]).events.map(({ id }) => id)).toEqual([7n, 3n, 5n, 1n])
})

test('the events of one subject are numbered in the order of its versions, whatever their ids are', () => {
  const found = [event(4n, 'pets/1', 2n), event(6n, 'pets/2', 1n), event(9n, 'pets/1', 1n)]
  expect(numberedIds(found)).toEqual([9n, 6n, 4n])
  const later = batch([event(4n, 'pets/1', 10n)])
  const earlier = batch([event(9n, 'pets/1', 9n)])
  expect(numberEvents(CHAIN_START, [later, earlier]).events.map(({ id }) => id)).toEqual([9n, 4n])
  expect(numberedIds([event(8n, 'pets/1', 10n), event(7n, 'pets/1', 10n)])).toEqual([8n, 7n])
})

test('the entries continue the chain of the head, and the last one is the new head', () => {
  const head = { position: 41n, hash: 'the hash of the head' }
  const [first, second] = [event(1n, 'pets/1', 1n), { ...event(2n, 'pets/1', 2n), keyId: 7n, petId: null }]
  const { events, last } = numberEvents(head, [batch([first]), batch([second])])
  const expected = nextChainEntry(head, first)
  expect(events[0]).toEqual({ ...first, ...expected })
  expect(last).toEqual(nextChainEntry(expected, second))
  expect(events[1]).toEqual({ ...second, ...last })
})

test('a change of any stored member of an event, or of a gap, changes its hash', () => {
  const stored: EventRecord = { ...event(1n, 'pets/1', 1n), keyId: 7n, traceparent: '00-a-b-01' }
  const others = {
    ...event(2n, 'pets/2', 2n),
    type: 'x',
    data: '{}',
    requestId: 'y',
    at: 'z',
    keyId: 8n,
    traceparent: 't',
  }
  const { hash } = nextChainEntry(CHAIN_START, stored)
  const members = Object.keys(stored).filter(name => name !== 'petId')
  expect(members.toSorted()).toEqual([
    'at',
    'data',
    'id',
    'keyId',
    'requestId',
    'subject',
    'subjectVersion',
    'traceparent',
    'type',
  ])
  for (const name of members) {
    const changed = { ...stored, [name]: Reflect.get(others, name) }
    expect([name, nextChainEntry(CHAIN_START, changed).hash === hash]).toEqual([name, false])
  }
  const gap = { after: 1n, to: 5n, at: '2026' }
  const entries = [gap, { ...gap, after: 2n }, { ...gap, to: 6n }, { ...gap, at: '2027' }]
  expect(new Set(entries.map(one => chainEntryAfterGap(CHAIN_START, one).hash)).size).toBe(4)
  expect(
    chainEntryAfterGap({ position: 0n, hash: 'x' }, gap).hash === chainEntryAfterGap(CHAIN_START, gap).hash,
  ).toBe(false)
})

test('the changes of the totals are summed up over the events, and a sum of zero is not written', () => {
  const found = [
    batch([event(1n, 'pets/1', 1n)], { pets: 1n, orders: 2n }),
    batch([event(2n, 'pets/2', 1n)], { pets: 1n }, { orders: -2n, reserved: -3n }),
    batch([event(3n, 'pets/3', 1n)]),
  ]
  expect(numberEvents(CHAIN_START, found).sums.takeChanges()).toEqual([
    ['pets', 2n],
    ['reserved', -3n],
  ])
})

test('a copied database with hundreds of batches numbers all of them, each event after earlier versions', async () => {
  using opened = openFailingConnection()
  const { connection } = opened
  for (let version = 1n; version <= 250n; version++) {
    // The later the version, the smaller the id.
    const { events, totals } = batch([event(1000n - version, 'pets/1', version)], { pets: 1n })
    connection.run(insertBatch, { events, totals })
  }
  const head = await numberAllBatches(connection)
  const [counts] = connection.many(
    sql<{ events: bigint; ordered: bigint; waiting: bigint; pets: bigint }>()(`
      SELECT (SELECT count(*) FROM event) AS events,
        (SELECT count(*) FROM event WHERE position > 100 OR position = subject_version) AS ordered,
        (SELECT count(*) FROM event_batch) AS waiting, (SELECT value FROM total WHERE name = 'pets') AS pets`),
  )
  expect([counts, head.position]).toEqual([{ events: 250n, ordered: 250n, waiting: 0n, pets: 250n }, 250n])
})
