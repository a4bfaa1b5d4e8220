import type { BunRequest, Server } from 'bun'
import { contract, isOperationId } from '../contract/contract.ts'
import type { Operation } from '../contract/operation.ts'
import { StoreError } from '../model/error.ts'
import { applyCors, type Cors } from './cors.ts'
import { type Exchange, openExchange, type Route } from './exchange.ts'
import { announceLifecycle } from './lifecycle.ts'
import type { Admission } from './limits.ts'
import { answerRequest, type Pipeline } from './pipeline.ts'
import { internalError, refusal } from './problem.ts'

const URL_CHARS_MAX = 8192
/** RFC 9112, section 3.2: one host, with nothing in it that ends the authority of a URL. */
const HOST = /^[\w.~!$&'()*+;=:%[\]-]*$/

/** What answers one method of a path; operations carry their route. */
export interface Handler {
  readonly route?: Route
  readonly answer: (exchange: Exchange) => Promise<Response> | Response
}

type Methods = ReadonlyMap<string, Handler>

/** A path in the contract's notation, and what answers its methods. HEAD and OPTIONS follow from them. */
export type Paths = ReadonlyMap<string, Methods>

export interface RoutesOptions {
  readonly pipeline: Pipeline
  readonly paths: Paths
  readonly admission: Admission
  readonly cors: Cors
  readonly clock: () => number
  /** Of the client of a connection, seen through the proxies that are trusted. */
  readonly addressOf: (request: Request, peer: string) => string
  /** Told of every answer: for the log and the metrics. */
  readonly onAnswer: (exchange: Exchange, status: number, tookMs: number, fault: unknown) => void
}

type Serve = (request: BunRequest | Request, server: Server<undefined>) => Promise<Response>

/** The operations of the contract that `serves` lets be, as handlers by path and method. */
export function operationPaths(pipeline: Pipeline, serves: (operation: Operation) => boolean): Paths {
  const paths = new Map<string, Map<string, Handler>>()
  const operations: [string, Operation][] = Object.entries(contract)
  for (const [id, operation] of operations) {
    if (!isOperationId(id) || !serves(operation)) continue
    const methods = paths.get(operation.path) ?? new Map<string, Handler>()
    const route = { id, operation }
    methods.set(operation.method, { route, answer: exchange => answerRequest(pipeline, exchange, route) })
    paths.set(operation.path, methods)
  }
  return paths
}

/** The table that the runtime's own router matches, and what answers where nothing matches. */
export function makeRoutes(options: RoutesOptions): { routes: Record<string, Serve>; fetch: Serve } {
  const routes: Record<string, Serve> = {}
  for (const [path, methods] of options.paths) {
    routes[path.replaceAll(/\{(\w+)\}/g, ':$1')] = serveWith(options, methods)
  }
  const fetch = serveWith(options, undefined)
  return { routes, fetch }
}

/** Serves one path; without methods, what has no path. */
function serveWith(options: RoutesOptions, methods: Methods | undefined): Serve {
  const { admission, clock, addressOf, onAnswer, cors, pipeline } = options
  return async (request, server) => {
    const started = performance.now()
    const peer = server.requestIP(request)?.address ?? ''
    const exchange = openExchange(request, addressOf(request, peer), clock(), () =>
      server.timeout(request, 1),
    )
    applyCors(cors, exchange)
    const handler = methods && handlerOf(exchange, methods)
    if (handler?.route) {
      exchange.route = handler.route
      announceLifecycle(exchange, handler.route, pipeline.base)
      if (isSlow(handler.route.operation)) server.timeout(request, 0)
    }
    let entered = false
    let fault: unknown
    let response: Response
    try {
      admission.enter()
      entered = true
      refuseBadTarget(exchange)
      response = await (handler ? handler.answer(exchange) : answerWithout(exchange, methods))
    } catch (error) {
      if (!(error instanceof StoreError)) fault = error
      response =
        error instanceof StoreError
          ? refusal(exchange, error, pipeline.base)
          : internalError(exchange, pipeline.base)
    } finally {
      if (entered) admission.leave()
    }
    onAnswer(exchange, response.status, performance.now() - started, fault)
    return response
  }
}

/** What may be silent for longer than the runtime bears: loading a catalogue, waiting for events. */
function isSlow({ hidden, endless, success }: Operation): boolean {
  return hidden === true || endless !== undefined || 'stream' in success
}

function handlerOf({ request }: Exchange, methods: Methods): Handler | undefined {
  return methods.get(request.method === 'HEAD' ? 'GET' : request.method)
}

/** What is answered where the path has no such method, or there is no such path. */
function answerWithout({ path, request, headers }: Exchange, methods: Methods | undefined): Response {
  if (!methods) {
    throw new StoreError('route_not_found', `No operation has the path ${path} as it was sent.`)
  }
  const { method } = request
  const allow = allowed(methods)
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...headers, Allow: allow } })
  throw new StoreError('method_not_allowed', `${path} does not take ${method}; it takes ${allow}.`, { allow })
}

function allowed(methods: Methods): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')
}

/** The runtime makes the URL from Host and target: what is no host would pass for a part of the path. */
function refuseBadTarget({ request, path, query }: Exchange): void {
  const host = request.headers.get('host') ?? ''
  if (!HOST.test(host)) {
    const message = 'Host must be one name or address, with a port if need be.'
    throw new StoreError('invalid_parameter', message, {
      errors: [{ in: 'header', name: 'Host', code: 'invalid_format', message }],
    })
  }
  if (path.length + (query === '' ? 0 : query.length + 1) > URL_CHARS_MAX) {
    throw new StoreError('url_too_long', `The URL may have at most ${URL_CHARS_MAX} characters.`)
  }
}
