import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { TimeSlices } from '../../src/database/time-slices.ts'
import { reserveFile } from '../../src/files/private-file.ts'
import { SharedCapacity } from '../../src/http/limits/admission.ts'
import { loadPages } from '../../src/http/pages/pages.ts'
import { targetOf } from '../../src/http/request/request-context.ts'
import { defaultLimits } from '../../src/sandboxes/host/limits.ts'
import { OpenSandbox } from '../../src/sandboxes/host/open-sandbox.ts'
import type { StoreEngine } from '../../src/serving/open.ts'
import { type BoundPort, bindPort, type ServerOptions } from '../../src/serving/server.ts'
import { noteOpenedStore } from './left-intervals.ts'

const ID = 'testtesttesttesttesttestts'
const UNLIMITED = 1_000_000_000

/** The path of the base address of a sandbox. */
export const SANDBOX_PATH = `/s/${ID}`

/** A store that responds to requests. */
export interface ServedStore {
  readonly base: string
  readonly engine: StoreEngine
  stop(): Promise<void>
}

/** How a test serves a store. */
export interface ServeOptions extends Omit<ServerOptions, 'engine'> {
  /** The bound port of the store; by default a new one. */
  readonly listener?: BoundPort
}

/**
 * Serves a store as a sandbox, but without a sandbox host. `path` is the path of its base address: `SANDBOX_PATH`, or
 * empty for a store at the root.
 */
export async function serveAsSandbox(
  directory: string,
  path: string,
  options: ServeOptions,
): Promise<ServedStore> {
  const { listener = bindPort(options) } = options
  const base = options.baseUrl ?? `http://127.0.0.1:${listener.port}${path}`
  const { log, clock, trustedProxies, secretKey, delivery, allowPrivateWebhooks } = options
  noteOpenedStore()
  reserveFile(databaseFile(directory))
  const sandbox = await OpenSandbox.open({
    log,
    clock,
    trustedProxies,
    secretKey,
    delivery,
    allowPrivateWebhooks,
    directory,
    base,
    file: databaseFile(directory),
    limits: {
      ...defaultLimits,
      rows: UNLIMITED,
      events: UNLIMITED,
      webhooks: UNLIMITED,
      requestsPerMinute: UNLIMITED,
      streams: UNLIMITED,
      bytes: UNLIMITED,
    },
    slices: new TimeSlices(),
    capacity: new SharedCapacity(),
    pages: loadPages(),
    webhooksRefusal: undefined,
    checks: false,
    clockAheadMs: () => 0,
    onFatal: reason => log.error({ reason }, 'the store cannot continue'),
    record: {
      id: ID,
      label: '',
      seed: 'empty',
      createdAtMs: 0,
      expiresAtMs: 0,
      generation: 1,
      keyHash: '',
      keyHint: '',
      clockAheadMs: 0,
      faults: '',
      bootId: '',
      isDamaged: false,
    },
    // A store at the root has no content tag by default, because some tests make cursors themselves.
    service: { ...options, cache: 'off', base, ...(path === '' && { contentTag: options.contentTag }) },
  })
  listener.reload({
    routes: {},
    fetch: (request, server) => {
      const target = targetOf(request.url)
      return sandbox.respond(request, server, target.path.slice(path.length))
    },
  })
  return {
    base,
    engine: sandbox.engine,
    stop: async () => {
      await sandbox.close()
      await listener.stop(true)
    },
  }
}
