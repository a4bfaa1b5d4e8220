import { Database } from 'bun:sqlite'
import { describe } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { ApiError } from '../../src/client/errors.ts'
import { parseDatabaseUrl } from '../../src/database/postgres/database-url.ts'
import { openPostgres, type PostgresOptions } from '../../src/database/postgres/engine.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { openSqlite } from '../../src/database/sqlite/engine.ts'
import { dynamicSql } from '../../src/database/statement.ts'
import { ensureAdminKey } from '../../src/serving/first-start.ts'
import { reportOutage, type StoreEngine } from '../../src/serving/open.ts'
import { startServer } from '../../src/serving/server.ts'
import { watchedTables } from '../../src/serving/service.ts'
import type { Reply } from '../../src/shop/kernel/idempotency.ts'
import type { Scope } from '../../src/shop/keys/schema.ts'
import {
  type Command,
  type CommandResult,
  groupingOf,
  rowsOf,
  timeLimitMs,
} from '../../src/shop/registry/commands.ts'
import type { Query } from '../../src/shop/registry/queries.ts'
import { executeCommand, executeQuery, replyForms } from '../../src/shop/registry/run.ts'
import type { Log } from '../../src/values/log.ts'
import { type Client, makeClient } from './client.ts'
import { type EngineName, isSandboxRun, testedEngines } from './engines.ts'
import { noteClosedStore, noteOpenedStore } from './left-intervals.ts'
import { newDatabase, newMigratedDatabase } from './postgres-server.ts'
import { workerModule } from './process.ts'
import { RecordedCache } from './recorded-cache.ts'
import { SANDBOX_PATH, type ServedStore, type ServeOptions, serveAsSandbox } from './sandbox-store.ts'
import { until } from './until.ts'

/** A well-formed key for tests, with a correct checksum. */
export const ADMIN_KEY = 'pst_00000000000000000000000000000000000000000074DLXrg'

/** The key that encrypts the secrets of webhooks in tests. */
export const SECRET_KEY = new Uint8Array(32).fill(7)

const LEVELS = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const

/** The isolation level of the stores on PostgreSQL, if the environment sets one; otherwise the default applies. */
const testedIsolation = LEVELS.find(level => level === process.env.TEST_ISOLATION)

/** Runs a suite of whole-store tests on every engine of this run. */
export function onEveryEngine(suite: (engine: EngineName) => void): void {
  for (const engine of testedEngines) describe(engine, () => suite(engine))
}

export type TestOptions = Partial<ServeOptions> & Variant

/** The parts of a test store that differ from a normal store: limits for a test, or the broken part of a control. */
export interface Variant {
  readonly pagesMax?: number
  readonly writer?: URL
  readonly executeCommand?: PostgresOptions<Query, Command, Reply, CommandResult>['executeCommand']
  readonly executeQuery?: PostgresOptions<Query, Command, Reply>['executeQuery']
  readonly wrapEngine?: (engine: StoreEngine) => StoreEngine
  /** The PostgreSQL database; by default a new one. */
  readonly databaseUrl?: string
  /** The address of the PostgreSQL server of a new database; by default the one of the test run. */
  readonly server?: string
  /** Returns the URL under which the store reaches its PostgreSQL database, such as one through a proxy. */
  readonly routeOf?: (databaseUrl: string) => string
  /** Whether the store is a sandbox with a path in its base address. Most other parts of a variant then do nothing. */
  readonly asSandbox?: boolean
  /** The clock of the machine of the store, if it differs from that of its PostgreSQL server. */
  readonly localClock?: () => number
  readonly isolation?: NonNullable<PostgresOptions<Query, Command, Reply>['isolation']>
}

/** A row as a test reads it from the database of the store. */
export type RawRow = Record<string, unknown>

/** A store with its server on a free port. Disposing it stops the server and deletes the data directory. */
export interface TestStore extends AsyncDisposable {
  readonly base: string
  readonly engine: StoreEngine
  /** The location of the data, for programs that open the store in addition to the server. */
  readonly place: { readonly directory: string; readonly databaseUrl: string | undefined }
  /** A client with the admin key. */
  readonly client: Client
  /** A client without any key. */
  readonly anonymous: Client
  /** Returns a client with a new key that has these scopes. */
  clientWith(...scopes: Scope[]): Promise<Client>
  /** Sends one raw request, with the admin key if the headers have no `Authorization`. Returns the response. */
  send(method: string, path: string, options?: SendOptions): Promise<Response>
  /** Runs SQL on the database, and returns the rows. The store is not notified of changes. Integers are bigints. */
  database(text: string): Promise<RawRow[]>
  /** The entries of the log. */
  readonly logged: LogLine[]
}

export interface LogLine {
  readonly level: 'info' | 'error'
  readonly message: string
  readonly fields: Record<string, unknown>
}

export interface SendOptions {
  readonly headers?: Record<string, string>
  /** The body, sent unchanged. Its Content-Type is application/json if the headers have none. */
  readonly body?: string | Uint8Array<ArrayBuffer>
}

export async function openTestStore(kind: EngineName, options: TestOptions = {}): Promise<TestStore> {
  const { wrapEngine = engine => engine } = options
  const directory = mkdtempSync(join(tmpdir(), 'petstore-test-'))
  const databaseUrl =
    kind === 'postgres' ? (options.databaseUrl ?? (await databaseOn(options.server))) : undefined
  const logged: LogLine[] = []
  const log = collect(logged)
  const clock = options.clock ?? Date.now
  // A store that is broken on purpose may have stale replies, and so may one whose database a test has changed.
  const cache = options.representations || options.wrapEngine ? undefined : new RecordedCache()
  let isCacheCurrent = true
  const usual: ServeOptions = {
    host: '127.0.0.1',
    port: 0,
    stability: 'experimental',
    rateLimit: 'off',
    corsOrigins: [],
    trustedProxies: [],
    secretKey: SECRET_KEY,
    allowPrivateWebhooks: true,
    eventRetention: 'forever',
    log,
    clock,
    lifecycleClock: clock,
    cache: 'on',
    mcp: true,
    ...(cache && { representations: cache }),
    ...options,
    // Tests resolve every host name to this machine, without a lookup.
    delivery: { resolve: async () => ['127.0.0.1'], ...options.delivery },
  }
  const asSandbox = kind === 'sqlite' && (options.asSandbox ?? isSandboxRun)
  const opened = asSandbox
    ? // In a sandbox run, the sandbox is at the root, because many tests contain paths without a prefix.
      await serveAsSandbox(directory, options.asSandbox ? SANDBOX_PATH : '', usual)
    : await serveEngine(wrapEngine(await openVariant(databaseUrl, directory, log, options)), usual)
  const { base, engine } = opened
  await ensureAdminKey(engine, ADMIN_KEY, clock)
  const client = makeClient({ base, key: ADMIN_KEY })
  return {
    base,
    engine,
    place: { directory, databaseUrl },
    client,
    anonymous: makeClient({ base }),
    clientWith: async (...scopes) => {
      const { data } = await client.createKey({ body: { name: scopes.join(' '), scopes } })
      return makeClient({ base, key: data.key })
    },
    send: (method, path, request) => send(base + path, method, request),
    // A sandbox has the only connection to its file.
    database: text => {
      if (!/^\s*SELECT/.test(text)) isCacheCurrent = false
      return asSandbox
        ? engine.readShort(async reader => reader.many(dynamicSql<RawRow>(() => text)))
        : runSql(databaseUrl, directory, text)
    },
    logged,
    [Symbol.asyncDispose]: async () => {
      const content = { ...opened, contentTag: options.contentTag }
      const stale = isCacheCurrent ? ((await cache?.staleUrls(content)) ?? []) : []
      await opened.stop()
      await deleteClosed(directory, isAlone(options) ? databaseUrl : undefined)
      if (stale.length > 0) throw new Error(`the cache has stale replies to ${stale}`)
    },
  }
}

/** Returns a new database; on the server of the test run, one with the tables of a store. */
async function databaseOn(server: string | undefined): Promise<string> {
  return server === undefined ? await newMigratedDatabase() : await newDatabase(server)
}

/** Returns whether no other process and no proxy has sessions of the database. */
function isAlone({ databaseUrl, routeOf }: TestOptions): boolean {
  return databaseUrl === undefined && routeOf === undefined
}

/** Deletes the directory of a closed store. Throws if it left an interval, an open file or a database session. */
async function deleteClosed(directory: string, databaseUrl: string | undefined): Promise<void> {
  noteClosedStore()
  if (existsSync('/proc/self/fd')) {
    const files = readdirSync('/proc/self/fd').map(name => linkOf(`/proc/self/fd/${name}`))
    const left = files.filter(file => file.startsWith(directory))
    if (left.length > 0) throw new Error(`a closed store has open files: ${left}`)
  }
  rmSync(directory, { recursive: true, force: true })
  if (databaseUrl === undefined) return
  const sessions = `SELECT count(*) AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'petstore'`
  await using pool = new SQL({ url: databaseUrl, bigint: true, max: 1 })
  const exists = await pool.unsafe('SELECT 1').catch(() => undefined)
  // A test may have dropped the database, or stopped its server.
  if (!exists) return
  await until(
    'the sessions of a closed store have ended',
    async () => (await pool.unsafe(sessions))[0].n === 0n,
    5000,
  )
}

/** Returns what a descriptor refers to; an empty text if it has just been closed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function send(url: string, method: string, { headers = {}, body }: SendOptions = {}): Promise<Response> {
  return fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(!Object.keys(headers).some(name => name.toLowerCase() === 'authorization') && {
        Authorization: `Bearer ${ADMIN_KEY}`,
      }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  })
}

async function serveEngine(engine: StoreEngine, options: ServeOptions): Promise<ServedStore> {
  noteOpenedStore()
  const serving = startServer({ ...options, engine }, options.listener)
  return {
    base: serving.base,
    engine,
    stop: async () => {
      await serving.stop()
      await engine.close()
    },
  }
}

/** Returns the refusal with which a call fails. Throws if the call succeeds or fails with any other error. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('the call succeeded and should have been refused')
}

/** Returns the refusal of a call in short form: `409 insufficient_stock`. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const { status, code } = await refusalOf(call)
  return `${status} ${code}`
}

function openVariant(
  databaseUrl: string | undefined,
  directory: string,
  log: Log,
  variant: Variant,
): Promise<StoreEngine> {
  const {
    pagesMax,
    isolation = testedIsolation,
    routeOf = url => url,
    writer = workerModule('sqlite-writer'),
  } = variant
  if (databaseUrl === undefined) {
    return openSqlite({
      shared: replyForms,
      directory,
      writer,
      reader: workerModule('sqlite-reader'),
      watchedTables,
      onFatal: reason => log.error({ reason }, 'the store cannot continue'),
      ...(pagesMax !== undefined && { pagesMax }),
    })
  }
  return openPostgres({
    address: parseDatabaseUrl(routeOf(databaseUrl)),
    commandsMax: 16,
    timeLimitMs,
    groupingOf,
    rowsOf,
    executeCommand: variant.executeCommand ?? executeCommand,
    executeQuery: variant.executeQuery ?? executeQuery,
    random: Math.random,
    onError: error => log.error({ error: String(error) }, 'the sequencer failed'),
    onOutage: change => reportOutage(log, change),
    onClockDifference: aheadMs => log.error({ aheadMs }, 'the clock differs'),
    ...(variant.localClock && { localClock: variant.localClock }),
    ...(isolation !== undefined && { isolation }),
  })
}

async function runSql(databaseUrl: string | undefined, directory: string, text: string): Promise<RawRow[]> {
  if (databaseUrl !== undefined) {
    await using pool = new SQL({ url: databaseUrl, bigint: true, max: 1 })
    return [...(await pool.unsafe<RawRow[]>(text))]
  }
  using database = new Database(databaseFile(directory), { safeIntegers: true, strict: true })
  database.run('PRAGMA busy_timeout = 5000')
  const rows = database.query<RawRow, []>(text).all()
  // All reads of the store in one turn of the event loop see the same rows. In the next turn, they see this change.
  await new Promise(setImmediate)
  return rows
}

function collect(logged: LogLine[]): Log {
  return {
    access: entry => logged.push({ level: 'info', message: 'responded', fields: JSON.parse(entry) }),
    info: (fields, message) => logged.push({ level: 'info', message, fields: { ...fields } }),
    error: (fields, message) => logged.push({ level: 'error', message, fields: { ...fields } }),
  }
}
