import { expect, test } from 'bun:test'
import { SharedTurns } from './shared-turns.ts'

/** Runs turns with these numbers of reads. Returns how many reads of each turn wait for its end. */
async function waitingReads(readsPerTurn: readonly number[]): Promise<number[]> {
  let turn = Promise.withResolvers<void>()
  const turns = new SharedTurns(() => turn.promise)
  const counts: number[] = []
  for (const reads of readsPerTurn) {
    const waits = Array.from({ length: reads }, () => turns.wait())
    counts.push(waits.filter(wait => wait !== undefined).length)
    turn.resolve()
    await turn.promise
    turn = Promise.withResolvers<void>()
  }
  return counts
}

test('all reads of busy turns wait for the end of their turn', async () => {
  expect(await waitingReads([8, 30, 8, 64])).toEqual([8, 30, 8, 64])
})

test('after a turn with fewer than 8 reads, 500 reads do not wait', async () => {
  expect(await waitingReads([7, 100, 400, 20, 3, 500, 8])).toEqual([7, 0, 0, 20, 3, 0, 8])
})
