import { loadDemo } from '../../src/cli/demo.ts'
import { openTestStore, type TestStore } from './store.ts'

/** The fixed instant of the clock, so that the examples are the same in every run. */
const EXAMPLES_AT = Date.parse('2026-11-21T09:30:00.120Z')

/** Opens a store with the demo shop, from which the examples come. */
export async function openDemo(): Promise<TestStore> {
  const clock = (): number => EXAMPLES_AT
  const resolve = async (): Promise<string[]> => ['127.0.0.1']
  const store = await openTestStore('sqlite', { clock, delivery: { resolve } })
  await loadDemo(store.engine, clock)
  return store
}
