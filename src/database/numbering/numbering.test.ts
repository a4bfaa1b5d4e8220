import { expect, test } from 'bun:test'
import { openFailingConnection } from '../../../test/support/failing-connection.ts'
import { sql } from '../statement.ts'
import { CHAIN_START, nextChainEntry } from './chain.ts'
import { EVENTS_PER_STEP_MAX, numberCopiedEvents, numberEvents } from './numbering.ts'
import { changesText } from './totals.ts'

type Found = Parameters<typeof numberEvents>[1][number]

function event(id: bigint, subject: string, subjectVersion: bigint, totals: string | null = null): Found {
  const rest = { type: 'petstore.pet.updated', data: '{}', keyId: null, requestId: 'test', at: '' }
  return { id, subject, subjectVersion, totals, traceparent: null, ...rest }
}

/** Numbers events that were found in the order of their subjects and versions. Returns their ids in the new order. */
function numberedIds(found: readonly Found[]): bigint[] {
  return numberEvents(CHAIN_START, found).entries.map(({ id }) => id)
}

test('events are numbered in the order of their ids, which is nearly the order of time', () => {
  expect(numberedIds([event(7n, 'pets/1', 1n), event(3n, 'pets/2', 1n), event(5n, 'pets/3', 1n)])).toEqual([
    3n,
    5n,
    7n,
  ])
})

test('the events of one subject are numbered in the order of its versions, whatever their ids are', () => {
  const found = [event(9n, 'pets/1', 1n), event(4n, 'pets/1', 2n), event(6n, 'pets/2', 1n)]
  expect(numberedIds(found)).toEqual([9n, 6n, 4n])
})

test('if more events wait than are numbered at a time, they keep the order of subjects and versions', () => {
  const found = Array.from({ length: EVENTS_PER_STEP_MAX }, (_, index) =>
    event(BigInt(EVENTS_PER_STEP_MAX - index), 'pets/1', BigInt(index + 1)),
  )
  expect(numberedIds(found)).toEqual(found.map(({ id }) => id))
})

test('the entries continue the chain of the head, and the last one is the new head', () => {
  const head = { position: 41n, hash: 'the hash of the head' }
  const [first, second] = [event(1n, 'pets/1', 1n), event(2n, 'pets/1', 2n)]
  const { entries, last } = numberEvents(head, [first, second])
  const expected = nextChainEntry(head, first)
  expect(entries[0]).toEqual({ id: 1n, ...expected })
  expect(last).toEqual(nextChainEntry(expected, second))
  expect(entries[1]).toEqual({ id: 2n, ...last })
})

test('the changes of the totals are summed up over the events, and a sum of zero is not written', () => {
  const found = [
    event(1n, 'pets/1', 1n, changesText({ pets: 1n, orders: 2n })),
    event(2n, 'pets/2', 1n, changesText({ pets: 1n, orders: -2n, reserved: -3n })),
    event(3n, 'pets/3', 1n),
  ]
  const changes = numberEvents(CHAIN_START, found).sums.take()
  expect(changes.map(({ parameters }) => parameters)).toEqual([
    { name: 'pets', change: 2n },
    { name: 'reserved', change: -3n },
  ])
})

test('a copied database whose thousands of events have no position numbers those of a pet by their versions', () => {
  using opened = openFailingConnection()
  const { connection } = opened
  const count = EVENTS_PER_STEP_MAX + 500
  // The later the version, the smaller the id.
  connection.database.run(`
    WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < ${count})
    INSERT INTO event (id, type, subject, subject_version, data, request_id, at)
    SELECT ${count} - n + 1, 'petstore.pet.updated', 'pets/1', n, '{}', 'test', '2026-01-01' FROM one`)
  numberCopiedEvents(connection)
  const unordered = connection.many(
    sql<{ n: bigint }>()(
      'SELECT subject_version AS n FROM event WHERE position IS NULL OR position <> subject_version',
    ),
  )
  expect(unordered).toEqual([])
})
