import { z } from 'zod'
import type { Event } from '../../src/shop/events/schema.ts'
import { eventTypes } from '../../src/shop/log/event-types.ts'
import type { TestStore } from './store.ts'
import { until } from './until.ts'

/** An event as one event consumer received it. */
export interface ReceivedEvent {
  readonly id: bigint
  readonly position: bigint
  readonly subject: string
  readonly type: string
}

export function receivedEvent({ id, sequence, subject, type }: Event): ReceivedEvent {
  return { id: BigInt(id), position: BigInt(sequence), subject, type }
}

const Row = z.object({
  id: z.bigint(),
  position: z.bigint().nullable(),
  type: z.string(),
  subject: z.string(),
  subject_version: z.bigint(),
})
export type EventRow = z.output<typeof Row>

/** Returns every event of a store, in the order of positions, once every committed event has a position. */
export async function eventRows({ database }: Pick<TestStore, 'database'>): Promise<EventRow[]> {
  await waitForPositions({ database })
  const rows = await database(
    'SELECT id, position, type, subject, subject_version FROM event ORDER BY position, id',
  )
  return Row.array().parse(rows)
}

const Head = z.tuple([z.object({ position: z.bigint() })])

/** Waits until every committed event has its position. On PostgreSQL, an event gets it after its commit. */
export async function waitForPositions(
  { database }: Pick<TestStore, 'database'>,
  limitMs?: number,
): Promise<void> {
  const waiting = async () => (await database('SELECT id FROM event_batch LIMIT 1')).length
  await until('every event has its position', async () => (await waiting()) === 0, limitMs)
}

/** Returns the position of the last event, once every committed event has a position. */
export async function headOf({ database }: Pick<TestStore, 'database'>): Promise<bigint> {
  await waitForPositions({ database })
  const [{ position }] = Head.parse(await database(`SELECT position FROM chain_end WHERE name = 'head'`))
  return position
}

/** Returns the faults in the positions of stored events and the versions of their subjects; [] if there are none. */
export function faultsInPositions(rows: readonly EventRow[]): string[] {
  const versions = new Map<string, bigint>()
  const publicTypes: readonly string[] = eventTypes
  return rows.flatMap(({ position, type, subject, subject_version }, index) => {
    const faults: string[] = []
    if (position !== BigInt(index + 1)) faults.push(`event number ${index + 1} has position ${position}`)
    if (!publicTypes.includes(type)) return faults
    const before = versions.get(subject) ?? 0n
    versions.set(subject, subject_version)
    return subject_version > before
      ? faults
      : [...faults, `${subject} has version ${subject_version} after ${before}`]
  })
}

/**
 * Compares received events with the rows of the store. Returns the number of events that were missed, duplicated, out
 * of order, not requested or altered, such as `2 missed`; [] if there are none.
 */
export function faultsOf(
  received: readonly ReceivedEvent[],
  rows: readonly EventRow[],
  types: readonly string[] = eventTypes,
): string[] {
  const expected = rows.filter(({ type }) => types.includes(type))
  const times = new Map<bigint, number>()
  for (const { id } of received) times.set(id, (times.get(id) ?? 0) + 1)
  const ids = new Set(expected.map(({ id }) => id))
  const places = new Map(expected.map(({ id }, index) => [id, index]))
  const missed = expected.filter(({ id }) => !times.has(id)).length
  const duplicated = [...times.values()].filter(count => count > 1).length
  const foreign = received.filter(({ id }) => !ids.has(id)).length
  const outOfOrder = received.filter(
    ({ id }, index) =>
      index > 0 && (places.get(id) ?? -1) <= (places.get(received[index - 1]?.id ?? -1n) ?? -1),
  ).length
  const altered = received.filter(({ id, position, subject, type }) => {
    const row = expected[places.get(id) ?? -1]
    return row && (row.position !== position || row.subject !== subject || row.type !== type)
  }).length
  const counts = { missed, duplicated, 'out of order': outOfOrder, 'not requested': foreign, altered }
  return Object.entries(counts).flatMap(([fault, count]) => (count > 0 ? [`${count} ${fault}`] : []))
}

/**
 * Returns the inversions of chains, each of which has the subjects of changes in the order in which one client made
 * them, each after the response to the one before. The first event of a subject is that of its creation.
 */
export function inversionsOf(chains: readonly (readonly string[])[], rows: readonly EventRow[]): string[] {
  const positions = new Map<string, bigint>()
  for (const { subject, position } of rows)
    if (position !== null && !positions.has(subject)) positions.set(subject, position)
  return chains.flatMap(chain =>
    chain.flatMap((subject, index) => {
      const before = chain[index - 1]
      const [earlier = 0n, later = -1n] = [positions.get(before ?? ''), positions.get(subject)]
      return earlier < later ? [] : [`${subject} at ${later} comes before ${before} at ${earlier}`]
    }),
  )
}
