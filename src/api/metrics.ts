import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { DeliveryState } from '../model/delivery.ts'
import type { Route } from './request-context.ts'

export interface Metrics {
  readonly contentType: string
  count(route: Route | undefined, status: number, tookMs: number): void
  /** Counts a delivery attempt by the state of the delivery afterwards. */
  attempted(state: DeliveryState): void
  /** Sets the function that counts the open streams when the metrics are read. */
  watchStreams(count: () => number): void
  /** Sets the cache whose counts are read with the metrics. */
  watchCache(cache: CacheCounts): void
  /** Returns the metrics in the format of Prometheus. */
  text(): Promise<string>
}

/** The counts of the cache of representations. */
export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  readonly size: { readonly entries: number; readonly chars: number }
}

const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The default metrics that are correct on Bun. The others are 0, NaN or gigabytes, or have a wrong type. */
const defaultsShown: readonly string[] = [
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_virtual_memory_bytes',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
]

/** The responses of one operation, counted in plain numbers and formatted when the metrics are read. */
interface Tally {
  readonly byStatus: Map<number, number>
  /** One count for each bound, and one for longer requests. */
  readonly buckets: number[]
  seconds: number
  deprecated: number
}

/** Returns the metrics of one store, with their own registry. A request only increments plain numbers. */
export function makeMetrics(): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  for (const { name } of register.getMetricsAsArray()) {
    if (!defaultsShown.includes(name)) register.removeSingleMetric(name)
  }
  const tallies = new Map<string, Tally>()
  requestCounter(register, tallies)
  deprecationCounter(register, tallies)
  register.registerMetric(new DurationHistogram(tallies))
  const attempts = new Counter({
    name: 'petstore_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by the state of the delivery afterwards.',
    labelNames: ['state'],
    registers: [register],
  })
  return {
    contentType: register.contentType,
    count: (route, status, tookMs) => {
      const tally = tallyOf(tallies, route?.id ?? 'none')
      const seconds = tookMs / 1000
      const bucket = BUCKETS_SECONDS.findIndex(bound => seconds <= bound)
      const place = bucket < 0 ? BUCKETS_SECONDS.length : bucket
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1)
      tally.buckets[place] = (tally.buckets[place] ?? 0) + 1
      tally.seconds += seconds
      if (route?.operation.deprecation) tally.deprecated++
    },
    attempted: state => attempts.inc({ state }),
    watchStreams: count => {
      new Gauge({
        name: 'petstore_event_streams',
        help: 'Open event streams.',
        registers: [register],
        collect() {
          this.set(count())
        },
      })
    },
    watchCache: cache => cacheMetrics(register, cache),
    text: () => register.metrics(),
  }
}

function tallyOf(tallies: Map<string, Tally>, operation: string): Tally {
  const known = tallies.get(operation)
  if (known) return known
  const buckets = Array.from({ length: BUCKETS_SECONDS.length + 1 }, () => 0)
  const tally: Tally = { byStatus: new Map(), buckets, seconds: 0, deprecated: 0 }
  tallies.set(operation, tally)
  return tally
}

function cacheMetrics(register: Registry, cache: CacheCounts): void {
  new Counter({
    name: 'petstore_cache_reads_total',
    help: 'Reads of the cache of representations, by result.',
    labelNames: ['result'],
    registers: [register],
    collect() {
      this.reset()
      this.inc({ result: 'hit' }, cache.hits)
      this.inc({ result: 'miss' }, cache.misses)
    },
  })
  new Gauge({
    name: 'petstore_cache_entries',
    help: 'Representations in the cache.',
    registers: [register],
    collect() {
      this.set(cache.size.entries)
    },
  })
  new Gauge({
    name: 'petstore_cache_chars',
    help: 'Characters in the cache of representations, about one byte each.',
    registers: [register],
    collect() {
      this.set(cache.size.chars)
    },
  })
}

function requestCounter(register: Registry, tallies: ReadonlyMap<string, Tally>): Counter {
  return new Counter({
    name: 'petstore_requests_total',
    help: 'Requests, by operation and status.',
    labelNames: ['operation_id', 'status'],
    registers: [register],
    collect() {
      this.reset()
      for (const [operation, { byStatus }] of tallies) {
        for (const [status, count] of byStatus)
          this.inc({ operation_id: operation, status: String(status) }, count)
      }
    },
  })
}

function deprecationCounter(register: Registry, tallies: ReadonlyMap<string, Tally>): Counter {
  return new Counter({
    name: 'petstore_deprecated_requests_total',
    help: 'Requests to deprecated operations, by operation.',
    labelNames: ['operation_id'],
    registers: [register],
    collect() {
      this.reset()
      for (const [operation, { deprecated }] of tallies) {
        if (deprecated > 0) this.inc({ operation_id: operation }, deprecated)
      }
    },
  })
}

const DURATION = {
  name: 'petstore_request_duration_seconds',
  help: 'Time from request to response, by operation.',
}

/** A histogram whose values come from the tallies. */
class DurationHistogram extends Histogram<'operation_id'> {
  readonly #tallies: ReadonlyMap<string, Tally>

  constructor(tallies: ReadonlyMap<string, Tally>) {
    super({ ...DURATION, labelNames: ['operation_id'], buckets: BUCKETS_SECONDS, registers: [] })
    this.#tallies = tallies
  }

  /** Called by the registry to print the metric, but missing from the types of the library. */
  async getForPromString() {
    const values = [...this.#tallies].flatMap(([operation, tally]) => durationValues(operation, tally))
    return { ...DURATION, type: 'histogram', values }
  }
}

function durationValues(operation: string, { buckets, seconds }: Tally) {
  const labels = { operation_id: operation }
  let count = 0
  const bounds = buckets.map((inBucket, index) => {
    count += inBucket
    const le = BUCKETS_SECONDS[index] ?? '+Inf'
    return { labels: { ...labels, le }, value: count, metricName: `${DURATION.name}_bucket` }
  })
  return [
    ...bounds,
    { labels, value: seconds, metricName: `${DURATION.name}_sum` },
    { labels, value: count, metricName: `${DURATION.name}_count` },
  ]
}
