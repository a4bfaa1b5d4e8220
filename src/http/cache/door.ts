import type { Server } from 'bun'
import type { Operation } from '../../contract/operation.ts'
import { mapRead } from '../../database/map-read.ts'
import { matchesWeakly } from '../../shop/kernel/preconditions.ts'
import type { OperationId } from '../../shop/registry/operations.ts'
import type { Admission } from '../limits/admission.ts'
import type { AddressOf } from '../limits/client-address.ts'
import type { RateLimiter } from '../limits/rate-limit.ts'
import { type Callers, callerInMemory, isAuthorized } from '../pipeline/auth.ts'
import { parseTags } from '../pipeline/conditional.ts'
import { worksUntilMs } from '../pipeline/lifecycle.ts'
import { accepts } from '../pipeline/negotiate.ts'
import {
  callerName,
  type Handler,
  type OnResponse,
  type RequestContext,
  type Responded,
  requestIdIn,
} from '../request/request-context.ts'
import type { Representation, RepresentationCache, Ticket } from './representation-cache.ts'

/** A response with a longer body or URL, in characters, is not kept. */
const BODY_CHARS_MAX = 16 * 1024
const URL_CHARS_MAX = 500

interface CacheDoorOptions {
  readonly cache: RepresentationCache
  /** Drops what the pipeline may show otherwise in this turn of the event loop. */
  readonly announceRows: () => void
  readonly admission: Admission
  readonly callers: Callers
  readonly rateLimiter: RateLimiter | undefined
  /** The monotonic clock of the rate limiter, which also measures how long a response takes. */
  readonly timer: () => number
  readonly clock: () => number
  readonly lifecycleClock: () => number
  readonly newRequestId: () => string
  readonly addressOf: AddressOf
  readonly onResponse: OnResponse
  /** Every read runs through the pipeline, and fails if the cache differs from it; for tests. */
  readonly verifies: boolean
}

/**
 * Responds to reads from the cache, before the pipeline and exactly as it would. It does so only if nothing in the
 * request but its URL, its caller and its If-None-Match can change the response, and if the caller is anonymous or in
 * memory. The pipeline decides about any other request, and does not know of the cache.
 */
export class CacheDoor {
  readonly #options: CacheDoorOptions
  /**
   * The headers of the responses of each operation; those that differ are set for each response, which copies them. If
   * each entry had headers of its own, a read of many URLs would wait for memory as long as a read of the database.
   */
  readonly #headers = new Map<OperationId, Headers>()

  constructor(options: CacheDoorOptions) {
    this.#options = options
  }

  /** Returns the response to a GET; undefined if the pipeline must decide. */
  respond(request: Request, server: Pick<Server<undefined>, 'requestIP'>): Response | undefined {
    const { cache, verifies, admission, callers, rateLimiter, timer, clock, newRequestId, addressOf } =
      this.#options
    if (verifies) return undefined
    // The pipeline and the event streams show a commit before the event loop gets to its report.
    this.#options.announceRows()
    const kept = cache.find(request.url)
    const fixed = kept && this.#headers.get(kept.route.id)
    if (!kept || !fixed) return undefined
    const startedMs = timer()
    const { headers } = request
    const caller = callerInMemory(headers, callers)
    if (!caller || !admission.isFree || !this.#isDecided(kept, headers)) return undefined
    const isNotModified = isUnmodified(kept, headers)
    if (isNotModified === undefined || !isAuthorized(kept.route.operation, caller)) return undefined
    const responded: Responded = {
      request,
      requestId: requestIdIn(headers) ?? newRequestId(),
      address: addressOf(request, server),
      nowMs: clock(),
      path: kept.path,
      route: kept.route,
      caller,
    }
    const taken = rateLimiter?.take(callerName(responded), startedMs)
    // The pipeline then refuses the request. It counts only once, because nothing was left.
    if (taken?.refusal) return undefined
    cache.hits++
    fixed.set('X-Request-Id', responded.requestId)
    fixed.set('ETag', kept.etag)
    if (kept.link === undefined) fixed.delete('Link')
    else fixed.set('Link', kept.link)
    if (taken) fixed.set('RateLimit', taken.field)
    const status = isNotModified ? 304 : 200
    const response = new Response(isNotModified ? null : kept.body, { status, headers: fixed })
    if (isNotModified) response.headers.delete('Content-Type')
    this.#options.onResponse(responded, status, timer() - startedMs, undefined)
    return response
  }

  /** Returns whether no header but Authorization and If-None-Match can change the response, nor the time. */
  #isDecided({ host, route: { operation } }: Representation, headers: Headers): boolean {
    return (
      headers.get('host') === host &&
      accepts(headers, 'application/json') &&
      !headers.has('if-match') &&
      !headers.has('origin') &&
      this.#options.lifecycleClock() < worksUntilMs(operation)
    )
  }

  /** Returns a handler that responds as `handler` does, and keeps the responses that the cache wants. */
  keeping(handler: Handler): Handler {
    const { route, handle } = handler
    const { represents, preview }: Partial<Operation> = route?.operation ?? {}
    if (!represents || preview !== undefined) return handler
    const { cache, verifies } = this.#options
    return {
      ...handler,
      handle: context => {
        const { method, url } = context.request
        if (method !== 'GET') return handle(context)
        const kept = verifies ? cache.find(url) : undefined
        const ticket = cache.begin(url, represents)
        if (!ticket && !kept) return handle(context)
        return mapRead(handle(context), response => {
          if (ticket) this.#keep(ticket, context, response)
          return kept ? this.#verify(kept, context, response) : response
        })
      },
    }
  }

  #keep(ticket: Ticket, context: RequestContext, { status }: Response): void {
    const { request, route, path, read, headers } = context
    const host = request.headers.get('host')
    if (!route || !read || host === null || request.headers.has('origin')) return
    const { body, etag } = read.reply
    if ((status !== 200 && status !== 304) || body === null || etag === undefined) return
    if (request.url.length > URL_CHARS_MAX || body.length > BODY_CHARS_MAX) return
    if (!this.#headers.has(route.id)) {
      this.#headers.set(route.id, new Headers({ ...headers, 'Content-Type': 'application/json' }))
    }
    this.#options.cache.keep(
      ticket,
      request.url,
      { route, path, host, body, etag, link: headers.Link },
      read.query,
    )
  }

  /**
   * Returns the response of the pipeline. Throws if a kept response differs from it, and would be sent in the next turn
   * of the event loop: in this one, the reader worker may be ahead of the reads of this thread.
   */
  async #verify(
    kept: Representation,
    { request, read }: RequestContext,
    response: Response,
  ): Promise<Response> {
    const { cache, announceRows } = this.#options
    cache.hits++
    if (!read || read.reply.body === kept.body) return response
    await new Promise(setImmediate)
    announceRows()
    if (cache.find(request.url) === kept) throw new Error(`the cache has a stale reply to ${request.url}`)
    return response
  }
}

/** Returns whether If-None-Match says that the client has this response; undefined if the pipeline must refuse it. */
function isUnmodified({ etag }: Representation, headers: Headers): boolean | undefined {
  const field = headers.get('if-none-match')
  if (field === null) return false
  const tags = parseTags(field)
  return tags && matchesWeakly(tags, etag)
}
