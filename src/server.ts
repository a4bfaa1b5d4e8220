import { randomBytes, randomUUID } from 'node:crypto'
import { accessLine, plainAccessLine } from './api/access-log.ts'
import { Admission } from './api/admission.ts'
import { clientAddress } from './api/client-address.ts'
import { isConsoleBuilt } from './api/console-page.ts'
import { isDocsPageBuilt } from './api/docs-page.ts'
import { LongPoll } from './api/events/long-poll.ts'
import { SseHub, type SseHubOptions } from './api/events/sse-hub.ts'
import { areGuidesBuilt } from './api/guide-pages.ts'
import { passesGate } from './api/lifecycle.ts'
import { type Metrics, makeMetrics } from './api/metrics.ts'
import type { Pipeline } from './api/pipeline.ts'
import { type Rate, RateLimiter } from './api/rate-limit.ts'
import { RepeatedReads, type RepeatedReadsOptions } from './api/repeated-reads.ts'
import { makeRequestIds } from './api/request-context.ts'
import { makeRoutes, operationPaths } from './api/routes.ts'
import { servicePaths } from './api/service-paths.ts'
import type { Operation } from './contract/operation.ts'
import { CommitSignal } from './engine/commit-signal.ts'
import { validationFailed } from './model/error.ts'
import { KEY_RANDOM_BYTES, keyHash, keyText } from './model/key.ts'
import type { NewSecret } from './shop/context.ts'
import { type SweepTimes, startSweeping } from './store/maintenance.ts'
import { faultText, type Log, type StoreEngine } from './store/open.ts'
import { RepresentationCache } from './store/representation-cache.ts'
import { makeSecretBox, type SecretBox, webhookSecret } from './store/secret-box.ts'
import { AddressRefused, checkTarget, type Resolve, resolveHost } from './webhooks/address.ts'
import { Dispatcher, type DispatcherOptions } from './webhooks/dispatcher.ts'

/** Returns whether the files of the docs page, of the guides and of the console exist. */
export function arePagesBuilt(): boolean {
  return isDocsPageBuilt() && areGuidesBuilt() && isConsoleBuilt()
}

export interface ServerOptions {
  readonly engine: StoreEngine
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  /**
   * Identifies the content of a store that can be reset: 1 to 9,000,000, another number after each reset. Cursors and
   * positions that carry another tag are refused. Undefined for a shop.
   */
  readonly contentTag?: bigint | undefined
  readonly stability: 'stable' | 'beta' | 'experimental'
  readonly rateLimit: Rate | 'off'
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  /** The 32-byte key that encrypts webhook secrets. */
  readonly secretKey: Uint8Array
  readonly allowPrivateWebhooks: boolean
  /** The time for which events are kept, in milliseconds. */
  readonly eventRetention: number | 'forever'
  readonly log: Log
  /** Returns milliseconds since 1970, for everything that is stored. */
  readonly clock: () => number
  /** Returns milliseconds since 1970, only for deprecation and sunset. */
  readonly lifecycleClock: () => number
  /** Returns monotonic milliseconds for rate limits; `performance.now` by default. */
  readonly timer?: () => number
  /** `verify` compares every reply from the cache with a fresh read, and fails if they differ. */
  readonly cache: 'on' | 'off' | 'verify'
  /** Replaces the default cache. */
  readonly representations?: RepresentationCache
  /** Replaces the default limits. */
  readonly admission?: Admission
  readonly sweeping?: SweepTimes
  readonly streams?: Partial<
    Pick<SseHubOptions, 'streamsMax' | 'streamsPerCallerMax' | 'keepAliveMs' | 'stalledMs'>
  >
  readonly delivery?: DeliveryOptions
}

type DeliveryOption = 'leaseMs' | 'retryDelaysMs' | 'giveUpAfterMs' | 'timeoutMs' | 'send' | 'hostLimit'

/** What may differ from the normal delivery to webhooks. */
export interface DeliveryOptions extends Partial<Pick<DispatcherOptions, DeliveryOption>> {
  readonly resolve?: Resolve
}

/** A running server. */
export interface Serving {
  /** The base address, without a trailing slash. */
  readonly base: string
  readonly port: number
  /** Makes the readiness probe fail, so that a load balancer sends its requests elsewhere. They are still served. */
  drain(): void
  /**
   * Ends streams, deliveries and sweeps gracefully, stops admitting requests, waits up to 8 seconds for the requests in
   * progress, and closes the port.
   */
  stop(): Promise<void>
}

/** The time that requests in progress get when the server stops, in milliseconds. */
const LAST_REQUESTS_MS = 8000
const STREAMS_MAX = 2000
const STREAMS_PER_CALLER_MAX = 1000
/** The maximum rate of failed authentications per address. Requests with a valid key are not counted. */
const FAILED_AUTHENTICATIONS: Rate = { requests: 60, seconds: 60 }
/** The limit of the runtime is above the limit of the API, so that the 413 response of the API has a body. */
const RUNTIME_BODY_BYTES_MAX = 8 * 1024 * 1024
/**
 * The idle limit of a connection. It is above the time limit of a body, so that a slow body gets its 408 response
 * before the connection is closed, even on a busy machine.
 */
const IDLE_SECONDS_MAX = 20
const STARTING = '{"code":"overloaded","message":"The store is starting; try again shortly.","status":503}'
const startingHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'Retry-After': '1',
}

/** A bound port. Until a store is started on it, every request gets 503. */
export type BoundPort = Bun.Server<undefined>

/** Binds a port before its store is opened. Throws an error if the port cannot be bound, such as EADDRINUSE. */
export function bindPort({ host, port }: Pick<ServerOptions, 'host' | 'port'>): BoundPort {
  return Bun.serve({
    hostname: host,
    port,
    maxRequestBodySize: RUNTIME_BODY_BYTES_MAX,
    idleTimeout: IDLE_SECONDS_MAX,
    // Responses must not reveal internals of the program, whatever NODE_ENV is.
    development: false,
    // With `development: false`, the runtime shares the port with other processes by default.
    reusePort: false,
    fetch: () => new Response(STARTING, { status: 503, headers: startingHeaders }),
  })
}

/** Serves a store over HTTP until `stop` is called. Throws an error if the port cannot be bound, such as EADDRINUSE. */
export function startServer(options: ServerOptions, listener = bindPort(options)): Serving {
  const { engine, host, log, clock, timer = () => performance.now() } = options
  const onFault = (error: unknown): void => log.error({ fault: faultText(error) }, 'a background task failed')
  const metrics = makeMetrics()
  const admission = options.admission ?? new Admission()
  const serves = ({ stability }: Operation): boolean => passesGate(stability, options.stability)
  const port = listener.port ?? options.port
  const base = options.baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const outgoing = startEvents(options, base, metrics, onFault)
  const cache = options.cache === 'off' ? undefined : cacheOf(options, metrics)
  const rate = options.rateLimit === 'off' ? undefined : new RateLimiter(options.rateLimit, timer)
  const newRequestId = makeRequestIds()
  const addressOf = clientAddress(options.trustedProxies)
  const forReads: Omit<RepeatedReadsOptions, 'cache'> = {
    ...{ admission, rate, clock, newRequestId, addressOf, lifecycleClock: options.lifecycleClock },
    onResponse: response => {
      metrics.count(response.route, 200, response.tookMs)
      log.access(plainAccessLine(response))
    },
  }
  let isDraining = false
  const pipeline: Pipeline = {
    engine,
    base,
    contentTag: options.contentTag,
    lifecycleClock: options.lifecycleClock,
    ...outgoing.forRequests,
    cache,
    // A read that is verified takes the pipeline.
    repeatedReads: cache && options.cache === 'on' ? new RepeatedReads({ ...forReads, cache }) : undefined,
    verifiesCache: options.cache === 'verify',
    isDraining: () => isDraining,
    rate,
    failedAuthentications: new RateLimiter(FAILED_AUTHENTICATIONS, timer),
  }
  const { routes, fetch } = makeRoutes({
    pipeline,
    paths: new Map([...operationPaths(pipeline, serves), ...servicePaths(pipeline, metrics, serves)]),
    admission,
    allowedOrigins: options.corsOrigins,
    clock,
    newRequestId,
    addressOf,
    onResponse: (exchange, status, tookMs, fault) => {
      metrics.count(exchange.route, status, tookMs)
      log.access(accessLine(exchange, status, tookMs))
      if (fault !== undefined) log.error({ requestId: exchange.requestId, fault: faultText(fault) }, 'failed')
    },
  })
  listener.reload({ routes, fetch })
  const sweeping = startSweeping(options, options.sweeping)
  return {
    base,
    port,
    drain: () => {
      isDraining = true
    },
    stop: async () => {
      await Promise.all([
        sweeping.stop(),
        outgoing.stop(),
        Promise.race([admission.drain(), Bun.sleep(LAST_REQUESTS_MS)]),
      ])
      await listener.stop(true)
    },
  }
}

/** Returns the cache of a store to which no other process writes; undefined for any other store. */
function cacheOf(
  { engine, representations: cache = new RepresentationCache() }: ServerOptions,
  metrics: Metrics,
): RepresentationCache | undefined {
  if (!engine.watchRows) return undefined
  metrics.watchCache(cache)
  engine.watchRows(changes => cache.drop(changes))
  return cache
}

/**
 * Starts the streams and webhooks of one server. Returns the parts that requests use, and the function that stops
 * everything.
 */
function startEvents(
  options: ServerOptions,
  base: string,
  metrics: Metrics,
  onFault: (error: unknown) => void,
): {
  forRequests: Pick<Pipeline, 'longPoll' | 'streams' | 'makeSecret' | 'checkTarget'>
  stop: () => Promise<void>
} {
  const { engine, clock, allowPrivateWebhooks: allowPrivate, delivery = {} } = options
  const box = makeSecretBox(options.secretKey)
  const rules = { allowPrivate, resolve: delivery.resolve ?? resolveHost }
  const commitSignal = new CommitSignal(engine.watch)
  const streams = new SseHub({
    ...{
      commitSignal,
      base,
      clock,
      onFault,
      contentTag: options.contentTag,
      readRow: engine.readRow,
      streamsMax: STREAMS_MAX,
      streamsPerCallerMax: STREAMS_PER_CALLER_MAX,
    },
    ...options.streams,
  })
  metrics.watchStreams(() => streams.count)
  const onAttempts: DispatcherOptions['onAttempts'] = outcomes => {
    for (const { state } of outcomes) metrics.attempted(state)
  }
  const dispatcher = new Dispatcher({
    ...{
      engine,
      base,
      commitSignal,
      rules,
      clock,
      onFault,
      onAttempts,
      decrypt: box.decrypt,
      random: Math.random,
    },
    owner: randomUUID(),
    alone: engine.name === 'sqlite',
    ...delivery,
  })
  return {
    forRequests: {
      longPoll: new LongPoll(commitSignal, engine.readScan),
      streams,
      makeSecret: kind => makeSecret(kind, box),
      checkTarget: url => checkWebhookUrl(url, rules),
    },
    stop: async () => {
      const ended = [dispatcher.stop(), streams.end()]
      commitSignal.end()
      await Promise.all(ended)
    },
  }
}

function makeSecret(kind: 'key' | 'webhook', box: SecretBox): NewSecret {
  const plaintext = kind === 'key' ? keyText(randomBytes(KEY_RANDOM_BYTES)) : webhookSecret()
  return { plaintext, stored: kind === 'key' ? keyHash(plaintext) : box.encrypt(plaintext) }
}

async function checkWebhookUrl(
  url: string | undefined,
  rules: Parameters<typeof checkTarget>[1],
): Promise<void> {
  if (url === undefined) return
  try {
    await checkTarget(url, rules)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    const { message } = error
    throw validationFailed([{ in: 'body', pointer: '/url', code: 'invalid_format', message }])
  }
}
