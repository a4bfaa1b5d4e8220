import manifest from '../../../package.json' with { type: 'json' }
import { errorTable } from '../../contract/error.ts'
import type { Operation } from '../../contract/operation.ts'
import type { PoolState } from '../../database/engine.ts'
import { contract } from '../../shop/registry/operations.ts'
import { DeliveryState } from '../../shop/webhooks/delivery-schema.ts'
import type { Responded } from '../request/request-context.ts'
import { processMetrics } from './process-metrics.ts'
import { byLabel, families, type MetricValues, type Sample, type Samples } from './prometheus.ts'
import { notReadyReasons, type StoreState } from './store-state.ts'

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
  readonly #errors = new Map(Object.keys(errorTable).map(code => [code, 0]))
  readonly #attempts = new Map<DeliveryState, number>(DeliveryState.options.map(state => [state, 0]))

  constructor() {
    for (const [id, { success }] of Object.entries(contract)) {
      this.#responsesOf(id).byStatus.set(success.status, 0)
    }
  }

  countResponse(
    { route, errorCode }: Pick<Responded, 'route' | 'errorCode'>,
    status: number,
    tookMs: number,
  ): void {
    const responses = this.#responsesOf(route?.id ?? 'none')
    const seconds = tookMs / 1000
    let place = 0
    while (seconds > (BUCKETS_SECONDS[place] ?? Infinity)) place++
    responses.byStatus.set(status, (responses.byStatus.get(status) ?? 0) + 1)
    responses.buckets[place] = (responses.buckets[place] ?? 0) + 1
    responses.seconds += seconds
    if (route?.operation.deprecation) responses.deprecated++
    if (errorCode !== undefined) this.#errors.set(errorCode, (this.#errors.get(errorCode) ?? 0) + 1)
  }

  /** Counts a delivery attempt by the state of the delivery afterwards. */
  countAttempt(state: DeliveryState): void {
    this.#attempts.set(state, (this.#attempts.get(state) ?? 0) + 1)
  }

  async text(state: StoreState, openStreams: number, cache: CacheCounts | undefined): Promise<string> {
    return families({
      ...buildInfo(state.engine),
      ...ofState(state),
      ...this.#ofRequests(),
      petstore_webhook_attempts_total: byLabel('state', this.#attempts),
      petstore_event_streams: openStreams,
      ...(cache && ofCache(cache)),
      ...processMetrics(),
    })
  }

  #responsesOf(operation: string): Responses {
    const known = this.#responses.get(operation)
    if (known) return known
    const buckets = Array.from({ length: BUCKETS_SECONDS.length + 1 }, () => 0)
    const responses: Responses = { byStatus: new Map(), buckets, seconds: 0, deprecated: 0 }
    this.#responses.set(operation, responses)
    return responses
  }

  #ofRequests(): MetricValues {
    const all = [...this.#responses]
    const isDeprecated = (id: string): boolean => deprecatedIds.has(id)
    return {
      petstore_requests_total: all.flatMap(([id, { byStatus }]) =>
        Array.from(
          byStatus,
          ([status, count]): Sample => [`{operation_id="${id}",status="${status}"}`, count],
        ),
      ),
      petstore_errors_total: byLabel('code', this.#errors),
      petstore_deprecated_requests_total: byLabel(
        'operation_id',
        all.flatMap(([id, { deprecated }]) => (isDeprecated(id) ? [[id, deprecated] as const] : [])),
      ),
      petstore_request_duration_seconds: all.flatMap(([id, responses]) => durationsOf(id, responses)),
    }
  }
}

const deprecatedIds = new Set(
  Object.entries<Operation>(contract).flatMap(([id, { deprecation }]) => (deprecation ? [id] : [])),
)

export function buildInfo(engine: string): MetricValues {
  const labels = `{version="${manifest.version}",bun="${Bun.version}",engine="${engine}"}`
  return { petstore_build_info: [[labels, 1]] }
}

function ofState({ notReady, storage, waiting, records, clockAheadMs, nowMs }: StoreState): MetricValues {
  const { oldestDeliveryMs } = waiting ?? {}
  return {
    petstore_ready: notReady === undefined ? 1 : 0,
    petstore_not_ready: byLabel(
      'reason',
      notReadyReasons.map(reason => [reason, reason === notReady ? 1 : 0]),
    ),
    petstore_database_bytes: storage?.databaseBytes,
    petstore_log_bytes: storage?.logBytes,
    petstore_disk_free_bytes: storage?.freeBytes,
    petstore_clock_ahead_seconds: clockAheadMs === undefined ? undefined : clockAheadMs / 1000,
    ...(storage?.pools && ofPools(storage.pools)),
    ...(waiting && {
      petstore_events_unnumbered: waiting.unnumbered,
      petstore_webhooks: byLabel('state', Object.entries(waiting.webhooks)),
      petstore_webhook_backlog: waiting.deliveries,
      petstore_webhook_backlog_age_seconds:
        oldestDeliveryMs === undefined ? 0 : Math.max(0, (nowMs - oldestDeliveryMs) / 1000),
    }),
    ...(records && {
      petstore_last_backup_timestamp_seconds: (records.lastBackupMs ?? 0) / 1000,
      petstore_last_drill_timestamp_seconds: (records.lastDrillMs ?? 0) / 1000,
      petstore_last_audit_check_timestamp_seconds: (records.lastAuditCheckMs ?? 0) / 1000,
      petstore_nightly_backups_total:
        records.nightlyBackups && byLabel('result', Object.entries(records.nightlyBackups)),
      petstore_audit_log_intact: records.isAuditLogIntact === false ? 0 : 1,
    }),
  }
}

function ofPools(pools: Readonly<Record<string, PoolState>>): MetricValues {
  const by = (count: (pool: PoolState) => number): Samples =>
    byLabel(
      'pool',
      Object.entries(pools).map(([name, pool]) => [name, count(pool)]),
    )
  return {
    petstore_database_waits_total: by(({ waits }) => waits),
    petstore_database_wait_seconds_total: by(({ waitMs }) => waitMs / 1000),
    petstore_database_uses_total: by(({ uses }) => uses),
    petstore_database_use_seconds_total: by(({ useMs }) => useMs / 1000),
    petstore_database_connections_busy: by(({ busy }) => busy),
    petstore_database_connections_max: by(({ max }) => max),
  }
}

function ofCache({ hits, misses, size }: CacheCounts): MetricValues {
  return {
    petstore_cache_reads_total: byLabel('result', [
      ['hit', hits],
      ['miss', misses],
    ]),
    petstore_cache_entries: size.entries,
    petstore_cache_chars: size.chars,
  }
}

/** Returns the samples of a histogram, whose buckets each include the shorter durations. */
function durationsOf(operation: string, { buckets, seconds }: Responses): Sample[] {
  const label = `operation_id="${operation}"`
  let count = 0
  const bounds = buckets.map((inBucket, place): Sample => {
    count += inBucket
    return [`_bucket{${label},le="${BUCKETS_SECONDS[place] ?? '+Inf'}"}`, count]
  })
  // An operation without a request would only make the text long.
  if (count === 0) return []
  return [...bounds, [`_sum{${label}}`, seconds], [`_count{${label}}`, count]]
}
