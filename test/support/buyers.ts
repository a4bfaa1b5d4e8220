import { SQL } from 'bun'
import type { TestStore } from './store.ts'

const BUYERS = 8

/** Clients that order one pet again and again, each after the response to its previous order. */
interface Buyers {
  /** The locations of the acknowledged orders so far. */
  readonly acknowledged: readonly string[]
  stop(): Promise<void>
}

/** Starts clients that order a pet until `stop` is called. They send no idempotency keys, and continue after a 503. */
export function startBuyers(store: Pick<TestStore, 'send'>, petId: bigint): Buyers {
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

/** Returns the number of acknowledged orders that are not in a database. */
export async function missingOrders(url: string, acknowledged: readonly string[]): Promise<number> {
  await using database = new SQL({ url, bigint: true, max: 1 })
  const rows = await database.unsafe<{ id: bigint }[]>('SELECT id FROM orders')
  const kept = new Set(rows.map(({ id }) => String(id)))
  return acknowledged.filter(location => !kept.has(location.slice(location.lastIndexOf('/') + 1))).length
}
