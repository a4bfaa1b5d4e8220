import type { DeliveryState } from '../../shop/webhooks/delivery-schema.ts'
import type { Route } from '../request-context.ts'
import type { MetricsText } from './prometheus.ts'
import { BUCKETS_SECONDS, type CacheCounts, type Counts, type Tally, tallyOf } from './tally.ts'

export interface Metrics {
  countResponse(route: Route | undefined, status: number, tookMs: number): void
  /** Counts a delivery attempt by the state of the delivery afterwards. */
  countAttempt(state: DeliveryState): void
  /** Sets the function that counts the open streams when the metrics are read. */
  watchStreams(count: () => number): void
  /** Sets the cache whose counts are read with the metrics. */
  watchCache(cache: CacheCounts): void
  /** Returns the metrics in the format of Prometheus. */
  read(): Promise<MetricsText>
}

/** Creates the metrics of one store. A request only increments plain numbers. */
export function makeMetrics(): Metrics {
  const tallies = new Map<string, Tally>()
  const attempts = new Map<DeliveryState, number>()
  let streams: Counts['streams']
  let cache: Counts['cache']
  let reader: Promise<() => Promise<MetricsText>> | undefined
  return {
    countResponse: (route, status, tookMs) => {
      const tally = tallyOf(tallies, route?.id ?? 'none')
      const seconds = tookMs / 1000
      let place = 0
      while (seconds > (BUCKETS_SECONDS[place] ?? Infinity)) place++
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1)
      tally.buckets[place] = (tally.buckets[place] ?? 0) + 1
      tally.seconds += seconds
      if (route?.operation.deprecation) tally.deprecated++
    },
    countAttempt: state => attempts.set(state, (attempts.get(state) ?? 0) + 1),
    watchStreams: count => {
      streams = count
    },
    watchCache: watched => {
      cache = watched
    },
    read: async () => {
      // Loading the library would take a tenth of the startup time, and most stores are never asked for their metrics.
      reader ??= import('./prometheus.ts').then(({ prometheus }) =>
        prometheus({ tallies, attempts, streams, cache }),
      )
      return (await reader)()
    },
  }
}
