import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Exchange } from './exchange.ts'

export interface Metrics {
  readonly contentType: string
  count(exchange: Exchange, status: number, tookMs: number): void
  /** The text that Prometheus reads. */
  text(): Promise<string>
}

const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The counters of one store: its registry is its own. */
export function makeMetrics(): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const requests = new Counter({
    name: 'petstore_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation_id', 'status'],
    registers: [register],
  })
  const seconds = new Histogram({
    name: 'petstore_request_duration_seconds',
    help: 'Time from the request to its answer, by operation.',
    labelNames: ['operation_id'],
    buckets: BUCKETS_SECONDS,
    registers: [register],
  })
  const deprecated = new Counter({
    name: 'petstore_deprecated_requests_total',
    help: 'Requests to deprecated operations: who still calls.',
    labelNames: ['operation_id'],
    registers: [register],
  })
  return {
    contentType: register.contentType,
    count: ({ route }, status, tookMs) => {
      const operation = route?.id ?? 'none'
      requests.inc({ operation_id: operation, status: String(status) })
      seconds.observe({ operation_id: operation }, tookMs / 1000)
      if (route?.operation.deprecation) deprecated.inc({ operation_id: operation })
    },
    text: () => register.metrics(),
  }
}
