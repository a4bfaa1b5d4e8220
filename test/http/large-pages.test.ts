import { expect, test } from 'bun:test'
import { importCategories } from '../support/busy-shop.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

/** The clients that read large pages, one after the other. */
const READERS = 4
const PROBES = 60
/** The pause between two probes, so that they are spread over many pages. */
const PAUSE_MS = 5
/** The highest median time of a probe while these clients read, as a multiple of its undisturbed median. */
const FACTOR_MAX = 20
/** A shorter undisturbed time is replaced by this one, because such times depend on the scheduler of the machine. */
const UNDISTURBED_MS_MIN = 1

async function medianMsOfProbes(base: string): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < PROBES; count++) {
    const startedMs = performance.now()
    await (await fetch(`${base}/livez`)).text()
    times.push(performance.now() - startedMs)
    await Bun.sleep(PAUSE_MS)
  }
  return times.toSorted((a, b) => a - b)[PROBES / 2] ?? 0
}

test('clients that read pages of 700 KB do not hold up other requests', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await place.startWith({ ...place.env, PETSTORE_CACHE: 'off' })
  await importCategories(place.client(server), 200, '🐹'.repeat(2000))
  const undisturbedMs = Math.max(await medianMsOfProbes(server.base), UNDISTURBED_MS_MIN)
  let isDone = false
  const sizes = new Set<number>()
  const read = async (): Promise<void> => {
    while (!isDone) {
      const page = await fetch(`${server.base}/categories?limit=100`)
      sizes.add((await page.bytes()).length)
    }
  }
  const readers = Array.from({ length: READERS }, read)
  await until('every client reads', () => sizes.size > 0)
  const disturbedMs = await medianMsOfProbes(server.base)
  isDone = true
  await Promise.all(readers)
  expect(Math.min(...sizes)).toBeGreaterThan(700_000)
  expect(disturbedMs).toBeLessThan(undisturbedMs * FACTOR_MAX)
})
