import { closingConnections, IDLE_SECONDS, makeRoutes } from '../http/router/routes.ts'
import { type ServiceOptions, startService } from './service.ts'

export interface ServerOptions extends Omit<ServiceOptions, 'base'> {
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
}

/** A running server. */
export interface Serving {
  /** The base address, without a trailing slash. */
  readonly base: string
  readonly port: number
  /**
   * Makes the readiness probe fail, so that load balancers use other processes. Requests are still served, and each
   * response closes its connection.
   */
  drain(): void
  /**
   * Ends streams, deliveries and sweeps gracefully, stops admitting requests, waits up to 8 seconds for the requests in
   * progress, and closes the port.
   */
  stop(): Promise<void>
}

/** The time that requests in progress get when the server stops, in milliseconds. */
export const LAST_REQUESTS_MS = 8000
/** The limit of the runtime is above the limit of the API, so that the 413 response of the API has a body. */
const RUNTIME_BODY_BYTES_MAX = 8 * 1024 * 1024
const STARTING = '{"code":"overloaded","message":"The store is starting; try again shortly.","status":503}'
const startingHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'Retry-After': '1',
}

/** A bound port. Until a store is started on it, every request gets 503. */
export type BoundPort = Bun.Server<undefined>

/** Binds a port before its store is opened. Throws an error such as EADDRINUSE if the port cannot be bound. */
export function bindPort({
  host,
  port,
  idleSeconds = IDLE_SECONDS,
}: Pick<ServerOptions, 'host' | 'port' | 'idleSeconds'>): BoundPort {
  return Bun.serve({
    hostname: host,
    port,
    maxRequestBodySize: RUNTIME_BODY_BYTES_MAX,
    idleTimeout: idleSeconds,
    // Responses must not reveal internals of the program, whatever NODE_ENV is.
    development: false,
    // With `development: false`, the runtime shares the port with other processes by default.
    reusePort: false,
    fetch: () => new Response(STARTING, { status: 503, headers: startingHeaders }),
  })
}

/** Returns the base address of a listener, without a trailing slash. */
export function baseOf(host: string, port: number | undefined): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Serves a store over HTTP until `stop` is called. Throws an error such as EADDRINUSE if the port cannot be bound. */
export function startServer(options: ServerOptions, listener = bindPort(options)): Serving {
  const { host } = options
  const port = listener.port ?? options.port
  const base = options.baseUrl ?? baseOf(host, port)
  const service = startService({ ...options, base })
  const routes = makeRoutes(service.routing)
  listener.reload(routes)
  return {
    base,
    port,
    drain: () => {
      service.drain()
      const closing = Object.entries(routes.routes).map(
        ([path, serve]) => [path, closingConnections(serve)] as const,
      )
      listener.reload({ routes: Object.fromEntries(closing), fetch: closingConnections(routes.fetch) })
    },
    stop: async () => {
      // A connection that is refused is one that a proxy can make elsewhere, and no request is lost.
      const refusing = listener.stop()
      await service.stop(LAST_REQUESTS_MS)
      await listener.stop(true)
      await refusing
    },
  }
}
