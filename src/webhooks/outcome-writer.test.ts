import { expect, test } from 'bun:test'
import type { AttemptOutcome, Attempts } from '../shop/webhooks/delivery-state.ts'
import { OutcomeWriter } from './outcome-writer.ts'
import { completedPosition, initialPositions, withPage, withSaved } from './pending-positions.ts'

function outcome(position: bigint, deliveryId?: bigint): AttemptOutcome {
  return {
    event: { id: position, position, type: 'petstore.pet.created' },
    ...(deliveryId !== undefined && { deliveryId }),
    cycleAttempts: 1n,
    at: '2026-11-21T09:30:00.000Z',
    durationMs: 1n,
    state: 'delivered',
  }
}

/** Returns the positions of the outcomes that a write stores, and the progress: `2,3 up to 3`. */
function written({ outcomes, position }: Attempts): string {
  return `${outcomes.map(({ event }) => event.position)} up to ${position}`
}

/**
 * Returns a writer for a webhook with the open positions 1 to 4, and the errors that the writer reports. Each write
 * calls `record`, and fails if `record` rejects.
 */
function makeWriter(record: (attempts: Attempts) => Promise<void>): {
  writer: OutcomeWriter
  faults: unknown[]
} {
  let positions = withPage(initialPositions(0n), 4n, [1n, 2n, 3n, 4n])
  const faults: unknown[] = []
  const writer = new OutcomeWriter({
    webhookId: 1n,
    owner: 'a process',
    pending: {
      progressAfter: done => ({ position: completedPosition(positions, done), seenCreation: true }),
      complete: (done, { position }) => {
        positions = withSaved(positions, done, position)
      },
    },
    record,
    onError: error => faults.push(error),
  })
  return { writer, faults }
}

test('outcomes that arrive during a write are stored together by the next one', async () => {
  const writes: string[] = []
  const first = Promise.withResolvers<void>()
  const { writer } = makeWriter(async attempts => {
    writes.push(written(attempts))
    if (writes.length === 1) await first.promise
  })
  const adding = [1n, 3n, 2n].map(position => writer.add(outcome(position)))
  writer.flush()
  expect(writes).toEqual(['1 up to 1'])
  first.resolve()
  await Promise.all(adding)
  expect(writes).toEqual(['1 up to 1', '3,2 up to 3'])
})

test('a retry does not complete a position', async () => {
  const writes: string[] = []
  const { writer } = makeWriter(async attempts => void writes.push(written(attempts)))
  await writer.add(outcome(2n))
  await writer.add(outcome(1n, 7n))
  expect(writes).toEqual(['2 up to 0', '1 up to 0'])
})

test('a failed write is repeated, together with the outcomes that arrived after it', async () => {
  const writes: string[] = []
  const { writer, faults } = makeWriter(async attempts => {
    writes.push(written(attempts))
    if (writes.length === 1) throw new Error('the disk is full')
  })
  await Promise.all([writer.add(outcome(1n)), writer.add(outcome(2n))])
  expect(writes).toEqual(['1 up to 1', '1,2 up to 2'])
  expect(faults).toHaveLength(1)
})

test('a failed write is not repeated if it stores only progress, or if the sender has stopped', async () => {
  let writes = 0
  const { writer, faults } = makeWriter(async () => {
    writes++
    throw new Error('the disk is full')
  })
  // A write is repeated after a second, so it would end after this timer.
  const isWithoutDelay = (writing: Promise<void>): Promise<boolean> =>
    Promise.race([writing.then(() => true), Bun.sleep(0).then(() => false)])
  expect([await isWithoutDelay(writer.flush()), writes]).toEqual([true, 1])
  writer.stop()
  expect([await isWithoutDelay(writer.add(outcome(1n))), writes]).toEqual([true, 2])
  expect(faults).toHaveLength(2)
})
