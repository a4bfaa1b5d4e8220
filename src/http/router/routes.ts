import type { BunRequest, Server } from 'bun'
import { StoreError } from '../../contract/error.ts'
import { PATCH_TYPES, URL_CHARS_MAX } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { invalidHeader, methodNotAllowed, routeNotFound, urlTooLong } from '../../contract/refusals.ts'
import { contract, isOperationId } from '../../shop/registry/operations.ts'
import { rateGroup } from '../../values/ip-address.ts'
import type { CacheDoor } from '../cache/door.ts'
import type { Admission, AdmissionSlot } from '../limits/admission.ts'
import { type AddressOf, peerOf } from '../limits/client-address.ts'
import { announceLifecycle } from '../pipeline/lifecycle.ts'
import { enforceRateLimit, handleRequest, type Pipeline } from '../pipeline/pipeline.ts'
import { internalErrorResponse, refusalResponse } from '../pipeline/problem.ts'
import {
  findEquivalent,
  findPath,
  type Match,
  matchesAnother,
  normalPath,
  similarPath,
} from '../request/paths.ts'
import {
  type Handler,
  type OnResponse,
  openRequestContext,
  type RequestContext,
  targetOf,
} from '../request/request-context.ts'
import { type AllowedOrigins, applyCors } from './cors.ts'

/**
 * The default idle limit of a connection. It exceeds the time limit of a body, so that a slow body gets its 408
 * response before the connection is closed, even on a busy machine.
 */
export const IDLE_SECONDS = 20

/** RFC 9112, section 3.2: one host, without a character that ends the authority of a URL. */
const HOST = /^[\w.~!$&'()*+;=:%[\]-]+$/

/** The handlers of one path, by method. */
export type Methods = ReadonlyMap<string, Handler>

/** The handlers by path, in the notation of the contract. HEAD and OPTIONS are derived from them. */
export type Paths = ReadonlyMap<string, Methods>

export interface RoutesOptions {
  readonly pipeline: Pick<Pipeline, 'base' | 'rateLimiter'>
  /** Responds to some reads before the pipeline. Undefined if the cache is off. */
  readonly door?: CacheDoor | undefined
  readonly paths: Paths
  /** Returns the handler that runs in place of the one of the table, such as one that fails on purpose. */
  readonly wrapHandler?: ((handler: Handler) => Handler) | undefined
  readonly admission: Pick<Admission, 'largeBodies'> & {
    /** Returns the slot of a request; undefined if it needs none. */
    enter(address: string): AdmissionSlot | undefined
  }
  readonly allowedOrigins: AllowedOrigins
  readonly clock: () => number
  readonly newRequestId: () => string
  /** Returns the address of the client, even if trusted proxies forwarded the request. */
  readonly addressOf: AddressOf
  /** The idle limit of a connection, in seconds; `IDLE_SECONDS` by default. */
  readonly idleSeconds?: number | undefined
  /** Called with each response except those of the door, for the log and the metrics. */
  readonly onResponse: OnResponse
}

type Serve = (
  request: BunRequest | Request,
  server: Pick<Server<undefined>, 'timeout' | 'requestIP'>,
  match?: Match,
) => Response | Promise<Response>

/** Returns handlers for the operations of the contract that `serves` allows, by path and method. */
export function operationPaths(
  pipeline: Pipeline,
  serves: (operation: Operation) => boolean,
  door: CacheDoor | undefined,
): Paths {
  const paths = new Map<string, Map<string, Handler>>()
  const operations: [string, Operation][] = Object.entries(contract)
  for (const [id, operation] of operations) {
    if (!isOperationId(id) || !serves(operation)) continue
    const methods = paths.get(operation.path) ?? new Map<string, Handler>()
    const route = { id, operation }
    const handler: Handler = { route, handle: context => handleRequest(pipeline, context, route) }
    methods.set(operation.method, door?.keeping(handler) ?? handler)
    paths.set(operation.path, methods)
  }
  return paths
}

/**
 * Returns a function that serves as `serve` does, with responses that ask the client to close its connection (RFC 9112,
 * section 9.6), so that its next request goes to another process.
 */
export function closingConnections<Server>(
  serve: (request: Request, server: Server) => Response | Promise<Response>,
): (request: Request, server: Server) => Promise<Response> {
  return async (request, server) => {
    const response = await serve(request, server)
    response.headers.set('Connection', 'close')
    return response
  }
}

/** Returns the table for the router of the runtime, and the fallback for requests that match nothing. */
export function makeRoutes(options: RoutesOptions): {
  routes: Record<string, Serve>
  fetch: Serve
} {
  const routes: Record<string, Serve> = {}
  const { paths, door } = options
  for (const [path, methods] of paths) {
    const serve = serveWith(options, methods)
    // The router of the runtime compares before it decodes, so it would pass /keys/%63urrent to /keys/{keyId}.
    routes[path.replaceAll(/\{(\w+)\}/g, ':$1')] = matchesAnother(path, paths.keys())
      ? serveEquivalent(options, serve)
      : serveFromCache(door, serve)
  }
  return { routes, fetch: serveEquivalent(options, serveWith(options, undefined)) }
}

/**
 * Returns a function that serves one request without the router of the runtime, such as a request to one of many stores
 * of a process. `path` is the path of the request below the base address of the store.
 */
export function makePathHandler(
  options: RoutesOptions,
): (request: Request, server: Server<undefined>, path: string) => Response | Promise<Response> {
  return (request, server, path) => {
    const normal = normalPath(path)
    const match = findPath(options.paths.keys(), normal)
    // A function for each path of each store would take more memory than the requests of many of them.
    const serve = serveWith(options, match && options.paths.get(match.template))
    return serve(request, server, match ?? { path: normal, template: '', parameters: {} })
  }
}

/** A request that the handler of another request makes has no connection of its own. */
const noConnection = { timeout: () => {}, requestIP: () => null }

/**
 * Returns a function that runs a request which the handler of another request, `outer`, makes for the same client. It
 * is logged and counted like any other, but needs no slot, because `outer` holds one.
 */
export function makeInnerHandler(
  options: RoutesOptions,
): (outer: RequestContext, request: Request, match: Match) => Response | Promise<Response> {
  const admission = { largeBodies: options.admission.largeBodies, enter: () => undefined }
  return ({ address }, request, match) => {
    const asOuter = { ...options, admission, addressOf: () => address }
    return serveWith(asOuter, options.paths.get(match.template))(request, noConnection, match)
  }
}

/** Returns a function that passes a request to its argument `handle`, whatever the method and path of the request. */
export function makeAnyPathHandler(
  options: RoutesOptions,
): (request: Request, server: Server<undefined>, handle: Handler['handle']) => Response | Promise<Response> {
  return (request, server, handle) =>
    serveWith(
      { ...options, wrapHandler: undefined },
      new Map([[request.method === 'HEAD' ? 'GET' : request.method, { handle }]]),
    )(request, server)
}

/** Returns a function that serves a path: a read from the cache if possible, and any other request as `serve` does. */
function serveFromCache(door: CacheDoor | undefined, serve: Serve): Serve {
  if (!door) return serve
  return (request, server) => {
    // The runtime routes a backslash as it is, but has a slash in the URL: the URL may be that of another resource.
    const hasBackslash =
      'params' in request && Object.values(request.params).some(text => text.includes('\\'))
    const isDoor = request.method === 'GET' && !hasBackslash
    return (isDoor ? door.respond(request, server) : undefined) ?? serve(request, server)
  }
}

/**
 * Returns a function that serves a request whose path is not in normal form, but whose normal form is in the table.
 * Other requests go to `fallback`.
 */
function serveEquivalent(options: RoutesOptions, fallback: Serve): Serve {
  return (request, server) => {
    const match = findEquivalent(options.paths.keys(), targetOf(request.url).path)
    const serve = match ? serveWith(options, options.paths.get(match.template)) : fallback
    return serve(request, server, match)
  }
}

/** Returns a function that serves one path, or unknown paths if `methods` is undefined. */
function serveWith(options: RoutesOptions, methods: Methods | undefined): Serve {
  const { admission, clock, addressOf, onResponse, allowedOrigins, pipeline, wrapHandler } = options
  return (request, server, match) => {
    const startedMs = performance.now()
    let idleSeconds = options.idleSeconds ?? IDLE_SECONDS
    let isUnlimited = false
    const context = openRequestContext({
      request,
      address: addressOf(request, server),
      findPeer: () => peerOf(request, server),
      nowMs: clock(),
      match,
      largeBodies: admission.largeBodies,
      newRequestId: options.newRequestId,
      closeConnection: () => {
        idleSeconds = 1
        server.timeout(request, idleSeconds)
      },
    })
    const finish = (response: Response, error?: unknown): Response => {
      context.slot?.leave()
      // The runtime sets Date (RFC 9110, section 6.6.1) on every response, except the response to a HEAD request.
      if (request.method === 'HEAD') response.headers.set('Date', new Date(clock()).toUTCString())
      onResponse(context, response.status, performance.now() - startedMs, error)
      if (isUnlimited) limitAgain(response)
      return response
    }
    // Otherwise the connection could stay open for ever after the response, also that of a refusal.
    const limitAgain = ({ status, headers }: Response): void => {
      const { success } = context.route?.operation ?? {}
      // A stream has no limit: its connection is closed when it ends.
      if (success && 'stream' in success && status === 200) headers.set('Connection', 'close')
      else server.timeout(request, idleSeconds)
    }
    const fail = (error: unknown): Response => {
      if (context.route) announceLifecycle(context, context.route, pipeline.base)
      return error instanceof StoreError
        ? finish(refusalResponse(context, error, pipeline.base), error.cause)
        : finish(internalErrorResponse(context, pipeline.base), error)
    }
    let response: Response | Promise<Response>
    try {
      applyCors(allowedOrigins, context)
      const found = methods && handlerOf(context, methods)
      const handler = found && (wrapHandler?.(found) ?? found)
      if (handler?.route) context.route = handler.route
      isUnlimited = handler !== undefined && mayTakeLong(handler)
      if (isUnlimited) server.timeout(request, 0)
      response = admitAndHandle(options, context, methods, handler)
    } catch (error) {
      return fail(error)
    }
    // This is outside the try block, so that a request finishes once even if finishing throws.
    return response instanceof Promise ? response.then(finish, fail) : finish(response)
  }
}

/** Returns whether a request may be idle for longer than its connection: it waits for events, or has a large body. */
function mayTakeLong({ isSlow, route }: Handler): boolean {
  if (isSlow || !route) return isSlow === true
  const { operation } = route
  return operation.isSlow === true || operation.endless !== undefined || 'stream' in operation.success
}

/** Admits the request, checks its target, and passes it to its handler. Throws a StoreError for every refusal. */
function admitAndHandle(
  { admission, pipeline, paths }: RoutesOptions,
  context: RequestContext,
  methods: Methods | undefined,
  handler: Handler | undefined,
): Promise<Response> | Response {
  if (!handler?.isProbe) {
    const slot = admission.enter(rateGroup(context.address))
    if (slot) context.slot = slot
  }
  refuseBadTarget(context)
  // The pipeline counts the requests of operations itself, once it knows their key.
  if (!handler?.route && !handler?.isProbe && !handler?.isCounting) enforceRateLimit(pipeline, context)
  return handler ? handler.handle(context) : respondWithoutHandler(context, methods, paths)
}

function handlerOf({ request }: RequestContext, methods: Methods): Handler | undefined {
  return methods.get(request.method === 'HEAD' ? 'GET' : request.method)
}

/** Returns the response to OPTIONS. Throws a refusal if the path does not exist, or does not have the method. */
function respondWithoutHandler(
  { path, request, headers }: RequestContext,
  methods: Methods | undefined,
  paths: Paths,
): Response {
  if (!methods) {
    // The runtime resolves dot segments in `request.url`, so `path` may be in the table: /pets for the target
    // /x/../pets.
    const similar = similarPath(paths.keys(), path)
    const hint =
      similar === undefined ? '' : ` Did you mean ${similar}${similar === path ? ', without dots' : ''}?`
    throw routeNotFound(path, hint)
  }
  const { method } = request
  const allow = allowField(methods)
  if (method === 'OPTIONS') {
    const patch = methods.has('PATCH') && { 'Accept-Patch': PATCH_TYPES }
    return new Response(null, { status: 204, headers: { ...headers, Allow: allow, ...patch } })
  }
  throw methodNotAllowed(path, method, allow)
}

function allowField(methods: Methods): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')
}

/**
 * Throws `invalid_parameter` for a bad Host, and `url_too_long`. The runtime builds the URL from Host and target, so a
 * bad host would become part of the path.
 */
function refuseBadTarget({ request, path, query }: RequestContext): void {
  const host = request.headers.get('host')
  // Only an HTTP/1.0 request has no Host here, because the runtime refuses an HTTP/1.1 request without Host.
  if (host !== null && !HOST.test(host)) {
    throw invalidHeader('Host', 'Host must be one name or address, with an optional port.')
  }
  if (path.length + (query === '' ? 0 : query.length + 1) > URL_CHARS_MAX) {
    throw urlTooLong()
  }
}
