import { randomBytes } from 'node:crypto'
import { accessLine } from './api/access-log.ts'
import { clientAddress } from './api/client-address.ts'
import { passesGate } from './api/lifecycle.ts'
import { Admission, type Rate, RateLimiter } from './api/limits.ts'
import { makeMetrics } from './api/metrics.ts'
import type { Pipeline } from './api/pipeline.ts'
import { makeRoutes, operationPaths } from './api/routes.ts'
import { servicePaths } from './api/service-paths.ts'
import type { Operation } from './contract/operation.ts'
import type { Engine } from './engine/engine.ts'
import { openPostgres } from './engine/postgres.ts'
import { openSqlite } from './engine/sqlite.ts'
import { storedInstant } from './model/instant.ts'
import { KEY_RANDOM_BYTES, keyText } from './model/key.ts'
import { type ChoreId, type Command, perform } from './shop/commands.ts'
import { hasAdminKey } from './shop/keys.ts'
import { answer, type Query } from './shop/queries.ts'
import type { Reply } from './shop/replies.ts'

export type StoreEngine = Engine<Query, Command, Reply>

/** One JSON line each; `fault` is what an internal error was thrown with. */
export interface Log {
  /** A line that is JSON already. */
  access(line: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface EngineOptions {
  readonly databaseUrl?: string | undefined
  readonly directory: string
  readonly log: Log
  readonly onFatal: (reason: string) => void
}

export interface ServerOptions {
  readonly engine: StoreEngine
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  readonly stability: 'stable' | 'beta' | 'experimental'
  readonly rateLimit: Rate | 'off'
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly log: Log
  /** Milliseconds since 1970: of everything that is stored. */
  readonly clock: () => number
  /** The same of deprecation and sunset alone. */
  readonly lifecycleClock: () => number
}

/** A store that is being served. */
export interface Serving {
  /** The base address, without a slash at its end. */
  readonly base: string
  readonly port: number
  /** Admits nobody more, lets the requests in progress end (8 s at most), and closes the port. */
  stop(): Promise<void>
}

const CONNECTIONS_MAX = 20
const REQUESTS_IN_PROGRESS_MAX = 2000
const DRAIN_MS = 8000
const SWEEP_MS = 600_000
/** Failed authentications of one address; good keys are not counted. */
const GUESSES: Rate = { requests: 60, seconds: 60 }
/** Above our own limit, so that our 413 answers with a body. */
const RUNTIME_BODY_BYTES_MAX = 8 * 1024 * 1024

/** Opens the store that the settings name. Throws NewerDatabase, or what the driver throws. */
export async function openEngine(options: EngineOptions): Promise<StoreEngine> {
  const { databaseUrl, directory, log, onFatal } = options
  if (databaseUrl === undefined) {
    return openSqlite({
      directory,
      writer: new URL('./writer.ts', import.meta.url),
      reader: new URL('./reader.ts', import.meta.url),
      onFatal,
    })
  }
  return openPostgres({
    url: databaseUrl,
    connectionsMax: CONNECTIONS_MAX,
    perform,
    answer,
    random: Math.random,
    onFault: error => log.error({ fault: faultText(error) }, 'the sequencer failed'),
  })
}

/** Serves a store over HTTP until it is stopped. Throws what the port throws (EADDRINUSE). */
export function startServer(options: ServerOptions): Serving {
  const { engine, host, log, clock } = options
  const metrics = makeMetrics()
  const admission = new Admission(REQUESTS_IN_PROGRESS_MAX)
  const serves = ({ stability }: Operation): boolean => passesGate(stability, options.stability)
  const listener = Bun.serve({
    hostname: host,
    port: options.port,
    maxRequestBodySize: RUNTIME_BODY_BYTES_MAX,
    // Nothing of the program may show through an answer, whatever NODE_ENV says.
    development: false,
    // Out of its development mode the runtime would share the port with another process.
    reusePort: false,
    fetch: () => new Response(null, { status: 503 }),
  })
  const port = listener.port ?? options.port
  const base = options.baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const pipeline: Pipeline = {
    engine,
    base,
    lifecycleClock: options.lifecycleClock,
    randomHex: () => randomBytes(KEY_RANDOM_BYTES).toString('hex'),
    rate: options.rateLimit === 'off' ? undefined : new RateLimiter(options.rateLimit),
    guesses: new RateLimiter(GUESSES),
  }
  const { routes, fetch } = makeRoutes({
    pipeline,
    paths: new Map([...operationPaths(pipeline, serves), ...servicePaths(pipeline, metrics, serves)]),
    admission,
    cors: options.corsOrigins,
    clock,
    addressOf: clientAddress(options.trustedProxies),
    onAnswer: (exchange, status, tookMs, fault) => {
      metrics.count(exchange, status, tookMs)
      log.access(accessLine(exchange, status, tookMs))
      if (fault !== undefined) log.error({ requestId: exchange.requestId, fault: faultText(fault) }, 'failed')
    },
  })
  listener.reload({ routes, fetch })
  const sweeping = setInterval(() => sweep(engine, log, clock), SWEEP_MS)
  return {
    base,
    port,
    stop: async () => {
      clearInterval(sweeping)
      await Promise.race([admission.drain(), Bun.sleep(DRAIN_MS)])
      await listener.stop(true)
    },
  }
}

/**
 * Sees to it that somebody can administer the store: installs the key that is given, or makes one if no key can.
 * Answers the key when it was made here and must be shown.
 */
export async function ensureAdminKey(
  engine: StoreEngine,
  given: string | undefined,
  clock: () => number,
): Promise<string | undefined> {
  if (given !== undefined) {
    await runChore(engine, 'installAdminKey', { token: given, madeBy: 'environment' }, clock)
    return undefined
  }
  if (await engine.readRow(reading => hasAdminKey(reading, storedInstant(clock())))) return undefined
  const token = keyText(randomBytes(KEY_RANDOM_BYTES))
  await runChore(engine, 'installAdminKey', { token, madeBy: 'first start' }, clock)
  return token
}

function runChore(engine: StoreEngine, id: ChoreId, input: object, clock: () => number): Promise<Reply> {
  return engine.execute({
    id,
    input,
    context: { now: storedInstant(clock()), caller: { keyId: null, scopes: [] }, requestId: 'petstore' },
  })
}

async function sweep(engine: StoreEngine, log: Log, clock: () => number): Promise<void> {
  try {
    await runChore(engine, 'sweepReplies', {}, clock)
    await runChore(engine, 'sweepStagedRows', {}, clock)
  } catch (error) {
    log.error({ fault: faultText(error) }, 'what is out of date was not swept')
  }
}

function faultText(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
}
