import { randomUUID } from 'node:crypto'
import { type StoreError, validationFailed } from '../contract/error.ts'
import type { Operation } from '../contract/operation.ts'
import { CommitSignal } from '../database/commit-signal.ts'
import { TimeSlices } from '../database/time-slices.ts'
import { agentMethods } from '../http/agents/agents.ts'
import type { RunInner } from '../http/agents/tool-call.ts'
import { CacheDoor } from '../http/cache/door.ts'
import { cachedTables, RepresentationCache } from '../http/cache/representation-cache.ts'
import { LongPoll } from '../http/events/long-poll.ts'
import { SseHub, type SseHubOptions } from '../http/events/stream-hub.ts'
import { Admission, type CapacityShare, within } from '../http/limits/admission.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { type Rate, RateLimiter } from '../http/limits/rate-limit.ts'
import { responseLog } from '../http/observe/access-log.ts'
import { Metrics } from '../http/observe/metrics.ts'
import type { ConsoleBackups } from '../http/pages/console-backups.ts'
import { loadPages, type Pages } from '../http/pages/pages.ts'
import { type Callers, FAILED_AUTHENTICATIONS } from '../http/pipeline/auth.ts'
import { passesGate } from '../http/pipeline/lifecycle.ts'
import type { Pipeline } from '../http/pipeline/pipeline.ts'
import { SharedLookup } from '../http/pipeline/shared-lookup.ts'
import { type Handler, makeRequestIds, type OnResponse } from '../http/request/request-context.ts'
import { fixedPaths } from '../http/router/fixed-paths.ts'
import { operationPaths, type Paths, type RoutesOptions } from '../http/router/routes.ts'
import type { Caller, NewSecret } from '../shop/kernel/context.ts'
import { keyHash, newCode, newKey } from '../shop/keys/key-text.ts'
import { findCaller } from '../shop/keys/verbs.ts'
import { WEBHOOK_TABLE } from '../shop/webhooks/delivery-state.ts'
import { webhookSecret } from '../shop/webhooks/schema.ts'
import { storedInstant } from '../values/instant.ts'
import { errorText, type Log } from '../values/log.ts'
import { makeSecretBox, type SecretBox } from '../values/secret-box.ts'
import { unheldSleep } from '../values/unheld-sleep.ts'
import {
  AddressRefused,
  type AddressRules,
  checkAddress,
  HostUnresolved,
  type Resolve,
  resolveHost,
} from '../webhooks/address.ts'
import { Dispatcher, type DispatcherOptions } from '../webhooks/dispatcher.ts'
import { KEY_TABLE, KnownCallers } from './known-callers.ts'
import type { StoreEngine } from './open.ts'
import { RetentionClock } from './retention-clock.ts'
import { storeStates } from './store-state.ts'
import { type SweepTimes, startSweeping } from './sweeping.ts'

export interface ServiceOptions {
  readonly engine: StoreEngine
  /** Divides the thread between all stores of the process; by default, between the long tasks of this store. */
  readonly slices?: TimeSlices
  /** The base address of every URI in a response, without a trailing slash. */
  readonly base: string
  /** The time zone of the shop, whose days the summary counts; UTC by default. */
  readonly timeZone?: string | undefined
  /** The currency of the store (ISO 4217); EUR by default. */
  readonly currency?: string | undefined
  /** The name of the shop on its receipts; Petstore by default. */
  readonly shopName?: string | undefined
  /**
   * Identifies the content of a store that can be reset: 1 to 9,000,000, another number after each reset. Cursors and
   * positions that carry another tag are refused. Undefined for a shop.
   */
  readonly contentTag?: bigint | undefined
  /** The address of a sandbox in the host API, for its console. Undefined for a shop. */
  readonly hostApi?: string
  readonly stability: 'stable' | 'beta' | 'experimental'
  readonly rateLimit: Rate | 'off'
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  /** The address on which the server of the store listens, if the store has that server for itself. */
  readonly host?: string
  /** The 32-byte key that encrypts webhook secrets. */
  readonly secretKey: Uint8Array
  readonly allowPrivateWebhooks: boolean
  /** The time for which events are kept, in milliseconds. */
  readonly eventRetention: number | 'forever'
  readonly log: Log
  /** Returns the time in milliseconds since 1970, for everything that is stored. */
  readonly clock: () => number
  /** Returns the time in milliseconds since 1970. It decides only which operations have been retired. */
  readonly lifecycleClock: () => number
  /** Returns monotonic milliseconds for rate limits; `performance.now` by default. */
  readonly timer?: () => number
  /** `verify` compares every reply from the cache with a fresh read, and fails if they differ. */
  readonly cache: 'on' | 'off' | 'verify'
  readonly representations?: RepresentationCache
  readonly admission?: Admission
  /** The limits that many stores share; undefined if the store has the process for itself. */
  readonly share?: CapacityShare
  /** Settles when a store that was closed while clients waited for events is opened again, or will not be. */
  readonly reopened?: Promise<void>
  /** Why no webhook can be registered and nothing is delivered, as a sentence; undefined if webhooks work. */
  readonly webhooksRefusal?: string
  readonly sweeping?: SweepTimes
  /** The idle limit of a connection, in seconds. */
  readonly idleSeconds?: number | undefined
  /** The contact for reports of vulnerabilities; undefined if the store does not name one. */
  readonly securityContact?: string | undefined
  /** The backups that the console makes; undefined if it makes none, as for a sandbox. */
  readonly backups?: ConsoleBackups
  /** Whether agents have tools at /mcp. */
  readonly mcp: boolean
  /** The pages that are the same for every store; by default, they are loaded for this store. */
  readonly pages?: Pages
  /** Returns the callers in place of those of the store. */
  readonly wrapCallers?: (callers: Callers) => Callers
  /** Paths that a store does not have. */
  readonly morePaths?: Paths
  /** Returns the handler that runs in place of one of the store, such as a handler that fails on purpose. */
  readonly wrapHandler?: (handler: Handler, isInner: boolean) => Handler
  /** Returns what runs the request of a tool in place of its argument, such as a function that sees each one. */
  readonly wrapTools?: (run: RunInner) => RunInner
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

/** A store that responds to requests: the API, its streams, its webhooks and its sweeps, without a port. */
export interface Service {
  /** What `makeRoutes` and `makePathHandler` need to serve the store. */
  readonly routing: RoutesOptions
  countStreams(): number
  /** Makes the readiness probe fail, so that load balancers use other processes. Requests are still served. */
  drain(): void
  /**
   * Ends streams, deliveries and sweeps gracefully, stops admitting requests, and waits up to `lastRequestsMs` for the
   * requests in progress.
   */
  stop(lastRequestsMs: number): Promise<void>
}

/** The tables whose changes the engine of a served store reports to `watchRows`. */
export const watchedTables: readonly string[] = [...cachedTables, KEY_TABLE, WEBHOOK_TABLE]

const STREAMS_MAX = 2000
const STREAMS_PER_CALLER_MAX = 1000

/** Starts everything of a store that needs no port. */
export function startService(options: ServiceOptions): Service {
  const { engine, base, log, clock, timer = () => performance.now(), pages = loadPages() } = options
  const metrics = new Metrics()
  const admission = options.admission ?? new Admission(options.share)
  const serves = (operation: Operation): boolean => passesGate(operation, options.stability)
  const events = startEvents(options, metrics)
  const cache = options.cache === 'off' ? undefined : cacheOf(options)
  const rateLimiter = options.rateLimit === 'off' ? undefined : new RateLimiter(options.rateLimit, timer)
  const newRequestId = makeRequestIds()
  const addressOf = clientAddress(options.trustedProxies, options.host)
  const callers = options.wrapCallers?.(callersOf(options)) ?? callersOf(options)
  const onResponse = observeResponses(metrics, log)
  const perRequest = { admission, clock, newRequestId, addressOf, onResponse }
  const door =
    cache &&
    new CacheDoor({
      cache,
      announceRows: () => engine.announceRows?.(),
      verifies: options.cache === 'verify',
      lifecycleClock: options.lifecycleClock,
      callers,
      rateLimiter,
      timer,
      ...perRequest,
    })
  let isDraining = false
  const pipeline: Pipeline = {
    engine,
    base,
    contentTag: options.contentTag,
    timeZone: options.timeZone,
    currency: options.currency,
    lifecycleClock: options.lifecycleClock,
    ...events.forRequests,
    callers,
    isDraining: () => isDraining,
    rateLimiter,
    failedAuthentications: new RateLimiter(FAILED_AUTHENTICATIONS, timer),
  }
  const states = storeStates({ ...options, isDraining: () => isDraining })
  const { corsOrigins: allowedOrigins, idleSeconds, wrapHandler, wrapTools, mcp } = options
  const routing = { pipeline, door, allowedOrigins, idleSeconds, ...perRequest }
  const wrapper = (isInner: boolean) => wrapHandler && ((handler: Handler) => wrapHandler(handler, isInner))
  const paths = new Map([
    ...operationPaths(pipeline, serves, door),
    ...fixedPaths(pipeline, metrics, serves, pages, options, cache, states),
    ...(options.morePaths ?? []),
  ])
  if (mcp)
    paths.set('/mcp', agentMethods({ pipeline, serves, routing, wrapHandler: wrapper(true), wrapTools }))
  const retentionClock = new RetentionClock({ engine, log, clock, timer: () => performance.now() })
  const sweeping = startSweeping({ ...options, clock: () => retentionClock.now() }, options.sweeping)
  return {
    routing: { ...routing, paths, wrapHandler: wrapper(false) },
    countStreams: () => events.forRequests.streams.count,
    drain: () => {
      isDraining = true
    },
    stop: async lastRequestsMs => {
      await Promise.all([
        sweeping.stop(),
        events.stop(),
        Promise.race([admission.drain(), unheldSleep(lastRequestsMs)]),
      ])
    },
  }
}

/** Returns the function that counts and logs each response. */
function observeResponses(metrics: Metrics, log: Log): OnResponse {
  const logResponse = responseLog(log)
  return (responded, status, tookMs, error) => {
    metrics.countResponse(responded, status, tookMs)
    logResponse(responded, status, tookMs, error)
  }
}

/**
 * Returns the callers of a store. A process that owns its database keeps them in memory, unless the cache is off. On
 * PostgreSQL, requests with the same key share lookups, because a lookup takes a tenth of the time that placing an
 * order takes.
 */
function callersOf({ engine, clock, cache }: Pick<ServiceOptions, 'engine' | 'clock' | 'cache'>): Callers {
  const find = (token: string): Promise<Caller> =>
    engine.readShort(reader => findCaller(reader, token, storedInstant(clock())))
  if (engine.watchRows && cache !== 'off') {
    const callers = new KnownCallers({ find, clock })
    engine.watchRows(changes => callers.drop(changes))
    return callers
  }
  const lookup = new SharedLookup(find)
  const found = engine.name === 'sqlite' ? find : (token: string) => lookup.find(token)
  return { known: () => undefined, find: found }
}

/** Returns the cache of a store to which no other process writes; undefined for any other store. */
function cacheOf({
  engine,
  representations: cache = new RepresentationCache(),
}: ServiceOptions): RepresentationCache | undefined {
  if (!engine.watchRows) return undefined
  engine.watchRows((changes, stage) => cache.drop(changes, stage))
  return cache
}

/**
 * Starts the streams and webhooks of one store. Returns the parts that requests use, and the function that stops
 * everything.
 */
function startEvents(
  options: ServiceOptions,
  metrics: Metrics,
): {
  forRequests: Pick<Pipeline, 'longPoll' | 'streams' | 'makeSecret' | 'checkAddress'>
  stop: () => Promise<void>
} {
  const { engine, base, clock, webhooksRefusal, allowPrivateWebhooks: allowPrivate, delivery = {} } = options
  const { slices = new TimeSlices(), log } = options
  const onError = (error: unknown): void => log.error({ error: errorText(error) }, 'a background task failed')
  const box = makeSecretBox(options.secretKey)
  const rules = { allowPrivate, resolve: delivery.resolve ?? resolveHost }
  const commitSignal = new CommitSignal(engine.watch)
  const streams = new SseHub({
    commitSignal,
    slices,
    base,
    clock,
    onError,
    contentTag: options.contentTag,
    readShort: engine.readShort,
    within: within(options.share, 'streams'),
    streamsMax: STREAMS_MAX,
    streamsPerCallerMax: STREAMS_PER_CALLER_MAX,
    ...options.streams,
  })
  const onAttempts: DispatcherOptions['onAttempts'] = outcomes => {
    for (const { state } of outcomes) metrics.countAttempt(state)
  }
  const dispatcherOptions = (): DispatcherOptions => ({
    engine,
    slices,
    base,
    commitSignal,
    rules,
    clock,
    onError,
    onAttempts,
    decrypt: box.decrypt,
    random: Math.random,
    owner: randomUUID(),
    isAlone: engine.name === 'sqlite',
    ...delivery,
  })
  const dispatcher = webhooksRefusal === undefined ? new Dispatcher(dispatcherOptions()) : undefined
  return {
    forRequests: {
      longPoll: new LongPoll({
        commitSignal,
        slices,
        runQuery: engine.readLong,
        reopened: options.reopened,
        within: within(options.share, 'polls'),
      }),
      streams,
      makeSecret: kind => makeSecret(kind, box),
      checkAddress: async url => {
        if (webhooksRefusal !== undefined && url !== undefined) throw invalidUrl(webhooksRefusal)
        return url === undefined ? undefined : await checkWebhookUrl(url, rules)
      },
    },
    stop: async () => {
      const ended = [dispatcher?.stop(), streams.end()]
      commitSignal.end()
      await Promise.all(ended)
    },
  }
}

const makers = { key: newKey, handover: newCode, webhook: webhookSecret }

function makeSecret(kind: keyof typeof makers, box: SecretBox): NewSecret {
  const plaintext = makers[kind]()
  return { plaintext, stored: kind === 'webhook' ? box.encrypt(plaintext) : keyHash(plaintext) }
}

/**
 * Returns a warning if the host cannot be resolved now: every attempt resolves it again, so it may exist by then.
 * Throws `validation_failed` for any other reason to refuse the address.
 */
async function checkWebhookUrl(url: string, rules: AddressRules): Promise<string | undefined> {
  try {
    await checkAddress(url, rules)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    if (error instanceof HostUnresolved) return `${error.message} Deliveries to it fail until it can.`
    throw invalidUrl(error.message)
  }
}

function invalidUrl(message: string): StoreError {
  return validationFailed([{ in: 'body', pointer: '/url', code: 'invalid_format', message }])
}
