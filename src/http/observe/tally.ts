import type { DeliveryState } from '../../shop/webhooks/delivery-schema.ts'

/** The counts of the cache of representations. */
export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  readonly size: { readonly entries: number; readonly chars: number }
}

/** The upper bound of each bucket of the durations of requests, as in a histogram of Prometheus. */
export const BUCKETS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** The responses of one operation, counted in plain numbers and formatted when the metrics are read. */
export interface Tally {
  readonly byStatus: Map<number, number>
  /** One count for each bound, and one for longer requests. */
  readonly buckets: number[]
  seconds: number
  deprecated: number
}

/** What one store has counted. */
export interface Counts {
  /** By operation id; under `none` for requests that reach no operation. */
  readonly tallies: ReadonlyMap<string, Tally>
  /** Attempts to deliver an event to a webhook, by the state of the delivery afterwards. */
  readonly attempts: ReadonlyMap<DeliveryState, number>
  readonly streams: (() => number) | undefined
  readonly cache: CacheCounts | undefined
}

/** Returns the tally of an operation. Creates it at the first request. */
export function tallyOf(tallies: Map<string, Tally>, operation: string): Tally {
  const known = tallies.get(operation)
  if (known) return known
  const buckets = Array.from({ length: BUCKETS_SECONDS.length + 1 }, () => 0)
  const tally: Tally = { byStatus: new Map(), buckets, seconds: 0, deprecated: 0 }
  tallies.set(operation, tally)
  return tally
}
