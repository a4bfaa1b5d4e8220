import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { type OutageChange, OutageWatch } from './outage.ts'

/** Returns a watch of a database whose next probes have these results, and the changes that it reported. */
function watchOf(results: ('works' | 'fails')[]): { watch: OutageWatch; changes: OutageChange[] } {
  const changes: OutageChange[] = []
  const probe = async (): Promise<void> => {
    if (results.shift() === 'fails') throw new Error('no response')
  }
  return { watch: new OutageWatch(probe, change => changes.push(change)), changes }
}

test('an outage is reported once when it begins and once when it ends, however many requests fail', async () => {
  const { watch, changes } = watchOf(['fails', 'fails', 'works'])
  for (let request = 0; request < 100; request++) watch.suspect()
  await until('the outage has ended', () => changes.length === 2)
  expect(changes).toEqual([{ reason: new Error('no response') }, { lastedMs: expect.any(Number) }])
  watch.suspect()
  await Bun.sleep(50)
  expect(changes).toHaveLength(2)
})

test('a failed request is not reported as an outage if the database responds to the probe', async () => {
  const { watch, changes } = watchOf(['works'])
  watch.suspect()
  await Bun.sleep(50)
  expect(changes).toEqual([])
})

test('a closed outage watch reports nothing', async () => {
  const { watch, changes } = watchOf(['fails'])
  watch.suspect()
  watch.close()
  watch.suspect()
  await Bun.sleep(50)
  expect(changes).toEqual([])
})
