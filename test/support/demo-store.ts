import { loadDemo } from '../../src/cli/serve/demo.ts'
import { openTestStore, type TestStore } from './store.ts'

/** The fixed instant of the clock: that of the examples in the description. */
const EXAMPLES_AT = Date.parse('2026-11-21T09:30:00.120Z')

/** Opens a store with the demo shop. The examples in the description are its requests and responses. */
export async function openDemo(): Promise<TestStore> {
  const clock = (): number => EXAMPLES_AT
  const store = await openTestStore('sqlite', { clock })
  await loadDemo(store.engine, clock)
  return store
}
