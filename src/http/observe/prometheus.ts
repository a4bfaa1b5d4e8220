import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { BUCKETS_SECONDS, type CacheCounts, type Counts, type Tally } from './tally.ts'

/** The metrics in the format of Prometheus. */
export interface MetricsText {
  readonly text: string
  readonly contentType: string
}

/** The default metrics that are correct on Bun. The others have a wrong value (0, NaN, gigabytes) or a wrong type. */
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

/** Returns a function that formats the counts of one store, with its own registry. */
export function prometheus({ tallies, attempts, streams, cache }: Counts): () => Promise<MetricsText> {
  const register = new Registry()
  addDefaultMetrics(register)
  requestCounter(register, tallies)
  deprecationCounter(register, tallies)
  register.registerMetric(new DurationHistogram(tallies))
  attemptCounter(register, attempts)
  if (streams) streamGauge(register, streams)
  if (cache) cacheMetrics(register, cache)
  return async () => ({ text: await register.metrics(), contentType: register.contentType })
}

function addDefaultMetrics(register: Registry): void {
  collectDefaultMetrics({ register })
  for (const { name } of register.getMetricsAsArray()) {
    if (!defaultsShown.includes(name)) register.removeSingleMetric(name)
  }
  // The library counts processor time only from now on, but the metric must include all time since the process started.
  const { user, system } = process.cpuUsage()
  addSeconds(register, 'process_cpu_user_seconds_total', user)
  addSeconds(register, 'process_cpu_system_seconds_total', system)
  addSeconds(register, 'process_cpu_seconds_total', user + system)
}

function addSeconds(register: Registry, name: string, microseconds: number): void {
  const metric = register.getSingleMetric(name)
  if (metric instanceof Counter) metric.inc(microseconds / 1_000_000)
}

function attemptCounter(register: Registry, attempts: Counts['attempts']): Counter {
  return new Counter({
    name: 'petstore_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by the state of the delivery afterwards.',
    labelNames: ['state'],
    registers: [register],
    collect() {
      this.reset()
      for (const [state, count] of attempts) this.inc({ state }, count)
    },
  })
}

function streamGauge(register: Registry, count: () => number): Gauge {
  return new Gauge({
    name: 'petstore_event_streams',
    help: 'Open event streams.',
    registers: [register],
    collect() {
      this.set(count())
    },
  })
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
