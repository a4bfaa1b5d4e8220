import type { DeliveryState } from '../../shop/webhooks/delivery-schema.ts'
import type { Route } from '../request/request-context.ts'
import { processMetrics } from './process-metrics.ts'
import { family, type Sample } from './prometheus.ts'

/** The upper bound of each bucket of the durations of requests. */
const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The counts of the cache of representations. */
interface CacheCounts {
  readonly hits: number
  readonly misses: number
  readonly size: { readonly entries: number; readonly chars: number }
}

interface Responses {
  readonly byStatus: Map<number, number>
  /** One count for each bound, and one for longer requests. */
  readonly buckets: number[]
  seconds: number
  deprecated: number
}

/** The metrics of one store. A request only increments plain numbers. */
export class Metrics {
  /** By operation id; under `none` for requests that reach no operation. */
  readonly #responses = new Map<string, Responses>()
  readonly #attempts = new Map<DeliveryState, number>()

  countResponse(route: Route | undefined, status: number, tookMs: number): void {
    const responses = this.#responsesOf(route?.id ?? 'none')
    const seconds = tookMs / 1000
    let place = 0
    while (seconds > (BUCKETS_SECONDS[place] ?? Infinity)) place++
    responses.byStatus.set(status, (responses.byStatus.get(status) ?? 0) + 1)
    responses.buckets[place] = (responses.buckets[place] ?? 0) + 1
    responses.seconds += seconds
    if (route?.operation.deprecation) responses.deprecated++
  }

  /** Counts a delivery attempt by the state of the delivery afterwards. */
  countAttempt(state: DeliveryState): void {
    this.#attempts.set(state, (this.#attempts.get(state) ?? 0) + 1)
  }

  async text(openStreams: number, cache: CacheCounts | undefined): Promise<string> {
    const counted = [...this.#ofRequests(), ...this.#ofEvents(openStreams), ...(cache ? ofCache(cache) : [])]
    return [...(await processMetrics()), ...counted].join('\n')
  }

  #responsesOf(operation: string): Responses {
    const known = this.#responses.get(operation)
    if (known) return known
    const buckets = Array.from({ length: BUCKETS_SECONDS.length + 1 }, () => 0)
    const responses: Responses = { byStatus: new Map(), buckets, seconds: 0, deprecated: 0 }
    this.#responses.set(operation, responses)
    return responses
  }

  #ofRequests(): string[] {
    const all = [...this.#responses]
    const requests = all.flatMap(([id, { byStatus }]) =>
      Array.from(byStatus, ([status, count]): Sample => [`{operation_id="${id}",status="${status}"}`, count]),
    )
    const deprecated = all.flatMap(([id, { deprecated }]): Sample[] =>
      deprecated > 0 ? [[`{operation_id="${id}"}`, deprecated]] : [],
    )
    const durations = all.flatMap(([id, responses]) => durationsOf(id, responses))
    const deprecatedHelp = 'Requests to deprecated operations, by operation.'
    const durationHelp = 'Time from request to response, by operation.'
    return [
      family('counter', 'petstore_requests_total', 'Requests, by operation and status.', requests),
      family('counter', 'petstore_deprecated_requests_total', deprecatedHelp, deprecated),
      family('histogram', 'petstore_request_duration_seconds', durationHelp, durations),
    ]
  }

  #ofEvents(openStreams: number): string[] {
    const attempts = Array.from(this.#attempts, ([state, count]): Sample => [`{state="${state}"}`, count])
    const help = 'Attempts to deliver an event to a webhook, by the state of the delivery afterwards.'
    return [
      family('counter', 'petstore_webhook_attempts_total', help, attempts),
      family('gauge', 'petstore_event_streams', 'Open event streams.', [['', openStreams]]),
    ]
  }
}

function ofCache({ hits, misses, size }: CacheCounts): string[] {
  const reads: Sample[] = [
    ['{result="hit"}', hits],
    ['{result="miss"}', misses],
  ]
  const charsHelp =
    'Characters in the cache of representations: one byte each in Latin text, two in other text.'
  return [
    family(
      'counter',
      'petstore_cache_reads_total',
      'Reads that the cache may answer, by whether it did.',
      reads,
    ),
    family('gauge', 'petstore_cache_entries', 'Representations in the cache.', [['', size.entries]]),
    family('gauge', 'petstore_cache_chars', charsHelp, [['', size.chars]]),
  ]
}

/** Returns the samples of a histogram, whose buckets each include the shorter durations. */
function durationsOf(operation: string, { buckets, seconds }: Responses): Sample[] {
  const label = `operation_id="${operation}"`
  let count = 0
  const bounds = buckets.map((inBucket, place): Sample => {
    count += inBucket
    return [`_bucket{${label},le="${BUCKETS_SECONDS[place] ?? '+Inf'}"}`, count]
  })
  return [...bounds, [`_sum{${label}}`, seconds], [`_count{${label}}`, count]]
}
