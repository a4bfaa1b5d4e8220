import { loadDemo } from '../../src/cli/serve/demo.ts'
import { resolveHost } from '../../src/webhooks/address.ts'
import { RequestFailed } from '../../src/webhooks/request.ts'
import { openTestStore, type TestOptions, type TestStore } from './store.ts'

/** The fixed instant of the clock: that of the examples in the description. */
const EXAMPLES_AT = Date.parse('2026-11-21T09:30:00.120Z')

/** The options of a store that resolves host names as a real one does. No event leaves this machine. */
export const realNames: TestOptions = {
  allowPrivateWebhooks: false,
  delivery: {
    resolve: resolveHost,
    send: () => Promise.reject(new RequestFailed('A test sends no event to another machine.')),
  },
}

/** Opens a store with the demo shop. The examples in the description are its requests and responses. */
export async function openDemo(options: TestOptions = {}): Promise<TestStore> {
  const clock = (): number => EXAMPLES_AT
  const store = await openTestStore('sqlite', { clock, ...options })
  await loadDemo(store.engine, clock)
  return store
}
