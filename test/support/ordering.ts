import { SQL } from 'bun'
import type { TestStore } from './store.ts'

const BUYERS = 8

/** Orders that are placed all the time. */
interface Ordering {
  /** The locations of the acknowledged orders so far. */
  readonly acknowledged: readonly string[]
  stop(): Promise<void>
}

/** Places orders without idempotency keys from several buyers, until it is stopped. A 503 is tried again. */
export function keepOrdering(store: Pick<TestStore, 'send'>, petId: bigint): Ordering {
  const acknowledged: string[] = []
  let isOver = false
  const buy = async (): Promise<void> => {
    while (!isOver) {
      const { status, headers } = await store.send('POST', '/store/orders', { body: `{"petId":${petId}}` })
      if (status === 201) acknowledged.push(headers.get('location') ?? '')
      else if (status !== 503) throw new Error(`an order got HTTP ${status}`)
    }
  }
  const running = Promise.all(Array.from({ length: BUYERS }, buy))
  return {
    acknowledged,
    stop: async () => {
      isOver = true
      await running
    },
  }
}

/** Returns how many of the acknowledged orders a database does not have. */
export async function missingOrders(url: string, acknowledged: readonly string[]): Promise<number> {
  await using database = new SQL({ url, bigint: true, max: 1 })
  const rows = await database.unsafe<{ id: bigint }[]>('SELECT id FROM orders')
  const kept = new Set(rows.map(({ id }) => String(id)))
  return acknowledged.filter(location => !kept.has(location.slice(location.lastIndexOf('/') + 1))).length
}
