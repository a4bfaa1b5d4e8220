import { readJson } from '../../contract/json-body.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Engine } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import type { Caller, NewSecret } from '../../shop/kernel/context.ts'
import type { Reply } from '../../shop/kernel/idempotency.ts'
import { type Conditions, matchesWeakly, refuseUnlessMatches } from '../../shop/kernel/preconditions.ts'
import { type Command, type CommandResult, replyOf } from '../../shop/registry/commands.ts'
import { isQueryId, isStreamId, type QueryId } from '../../shop/registry/operations.ts'
import type { Query } from '../../shop/registry/queries.ts'
import { isShortList, replyTo } from '../../shop/registry/run.ts'
import { storedInstant } from '../../values/instant.ts'
import type { LongPoll } from '../events/long-poll.ts'
import { markUnbuffered } from '../events/stream-headers.ts'
import type { SseHub } from '../events/stream-hub.ts'
import type { RateLimiter } from '../limits/rate-limit.ts'
import { callerName, type RequestContext, type Route, traceparentIn } from '../request/request-context.ts'
import { authenticate, authorize, type Callers, countFailures } from './auth.ts'
import { assertNotRefused, nextTurn, receiveBody, refuseBodyByHeaders } from './body.ts'
import { readConditions, refuseConditions } from './conditional.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { bodyInChunks } from './large-body.ts'
import { announceLifecycle, enforceLifecycle } from './lifecycle.ts'
import { refuseUnacceptable } from './negotiate.ts'
import { decodeText, readParameters } from './parameters.ts'
import { validateBody } from './validate.ts'

/** A text of at most this length is sent as a whole, without counting its bytes. */
const LARGE_CHARS = 16 * 1024

/** The dependencies of the pipeline. Everything is passed in, so that many stores can run in one process. */
export interface Pipeline {
  readonly engine: Engine<Query, Command, Reply, CommandResult>
  /** The base address of every URI in a response, without a trailing slash. */
  readonly base: string
  /** The time zone of the shop; UTC by default. */
  readonly timeZone?: string | undefined
  readonly currency?: string | undefined
  /** Identifies the content of the store since its last reset; undefined for a store that is never reset. */
  readonly contentTag?: bigint | undefined
  /** Returns the time in milliseconds since 1970. It decides only which operations have been retired. */
  readonly lifecycleClock: () => number
  readonly callers: Callers
  readonly makeSecret: (kind: 'key' | 'handover' | 'webhook') => NewSecret
  /**
   * Returns undefined if events may be sent to the URL, or if there is no URL; a warning if the host of the URL cannot
   * be resolved now. Throws `validation_failed` if events must not be sent to it.
   */
  readonly checkAddress: (url: string | undefined) => Promise<string | undefined>
  readonly longPoll: LongPoll
  readonly streams: SseHub
  /** Undefined if requests are not limited. */
  readonly rateLimiter: RateLimiter | undefined
  readonly failedAuthentications: RateLimiter
  /** Returns whether the process will stop soon. If so, readiness probes fail, and load balancers send no requests. */
  readonly isDraining: () => boolean
}

/**
 * Returns the response to one request, after routing and admission. Runs the remaining steps in order: each step throws
 * a StoreError or passes the request on. If the caller is in memory and the read needs no promise, the response is
 * returned synchronously, because a promise costs as much as several steps.
 */
export function handleRequest(
  pipeline: Pipeline,
  context: RequestContext,
  route: Route,
): Response | Promise<Response> {
  const caller = authenticate(context, pipeline.callers, pipeline.failedAuthentications)
  return caller instanceof Promise
    ? caller.then(known => handleCaller(pipeline, context, route, known))
    : handleCaller(pipeline, context, route, caller)
}

function handleCaller(
  pipeline: Pipeline,
  context: RequestContext,
  route: Route,
  caller: Caller,
): Response | Promise<Response> {
  const { operation, id } = route
  const { request } = context
  context.caller = caller
  enforceRateLimit(pipeline, context)
  authorize(operation, caller)
  enforceLifecycle(context, route, pipeline.lifecycleClock())
  refuseUnacceptable(request.headers, operation)
  if (operation.body) refuseBodyByHeaders(request)
  announceLifecycle(context, route, pipeline.base)
  const parameters = readParameters(operation, context)
  const conditions = readConditions(request.headers)
  if (operation.method === 'POST') refuseConditions(conditions)
  if (isStreamId(id)) return pipeline.streams.respond(context, parameters)
  return isQueryId(id)
    ? handleQuery(pipeline, context, operation, queryOf(pipeline, context, id, parameters), conditions)
    : handleCommand(pipeline, context, route, parameters, conditions)
}

function handleQuery(
  pipeline: Pipeline,
  context: RequestContext,
  operation: Operation,
  query: Query,
  conditions: Conditions,
): Response | Promise<Response> {
  return mapRead(runQuery(pipeline, context, operation, query), reply => {
    context.read = { query, reply }
    return respond(pipeline, context, operation, reply, conditions)
  })
}

function queryOf(
  { base, contentTag, timeZone, currency }: Pipeline,
  { nowMs, caller }: RequestContext,
  id: QueryId,
  input: object,
): Query {
  const keyId = caller?.keyId ?? null
  return { id, input, now: storedInstant(nowMs), base, keyId, contentTag, timeZone, currency }
}

/** Counts a request against the rate limit of its key, or of its address. Throws `rate_limited`. */
export function enforceRateLimit(
  { rateLimiter }: Pick<Pipeline, 'rateLimiter'>,
  context: RequestContext,
): void {
  if (!rateLimiter) return
  const { headers } = context
  headers['RateLimit-Policy'] = rateLimiter.policy
  const { field, refusal } = rateLimiter.take(callerName(context))
  headers.RateLimit = field
  if (refusal) throw refusal
}

/**
 * Returns the reply to a query. A read of the feed waits for events if the client asks for that. Lists are long reads,
 * except short ones on SQLite.
 */
function runQuery(
  { engine, longPoll }: Pipeline,
  context: RequestContext,
  { endless, success }: Operation,
  query: Query,
): Reply | Promise<Reply> {
  const { request, slot } = context
  if (endless) return longPoll.read(query, { caller: callerName(context), signal: request.signal, slot })
  const isShort = !('list' in success) || (engine.name === 'sqlite' && isShortList(query))
  return isShort ? engine.readShort(reader => replyTo(reader, query)) : engine.readLong(query)
}

/** Returns the response to a command: its body is read, parsed and validated, then the engine runs one transaction. */
async function handleCommand(
  pipeline: Pipeline,
  context: RequestContext,
  { id, operation }: Route,
  parameters: Record<string, unknown>,
  conditions: Conditions,
): Promise<Response> {
  const { engine, makeSecret, checkAddress } = pipeline
  const { requestId, nowMs, caller } = context
  if (isQueryId(id) || isStreamId(id) || !caller)
    throw new Error('handleCommand needs the id of a command, and a caller')
  const bytes = operation.body ? await receiveBody(context) : new Uint8Array()
  const idempotency = readIdempotencyKey(operation, context, bytes)
  const body = operation.body && validateBody(operation.body, readJson(bytes))
  // The URL is checked before the transaction, which must never wait for the network.
  const { checksAddress, secret } = operation
  const warning = checksAddress && (await checkAddress(memberOf(body, checksAddress)))
  // With a body, `receiveBody` has already waited for a turn.
  if (!operation.body) await nextTurn()
  assertNotRefused(context.request)
  const command: Command = {
    id,
    input: body === undefined ? parameters : { ...parameters, body },
    context: {
      now: storedInstant(nowMs),
      caller,
      requestId,
      currency: pipeline.currency,
      traceparent: traceparentIn(context.request.headers),
      ...(secret && secret !== 'claimed' && { secret: makeSecret(secret) }),
    },
    ...(operation.method !== 'POST' && { conditions }),
    ...(idempotency && { idempotency }),
  }
  const execute = () => engine.execute(command)
  const { failedAuthentications: failures } = pipeline
  const execution = operation.isAuthentication ? countFailures(execute, context, failures) : execute()
  const reply = replyOf(await execution)
  if (warning !== undefined) context.headers['Petstore-Warning'] = warning
  return respond(pipeline, context, operation, reply, conditions)
}

function respond(
  { base }: Pipeline,
  context: RequestContext,
  operation: Operation,
  reply: Reply,
  { ifMatch, ifNoneMatch }: Conditions,
): Response {
  const { headers, request } = context
  const isRead = operation.method === 'GET'
  headers['Cache-Control'] = cacheControl(operation)
  if (reply.etag !== undefined) headers.ETag = reply.etag
  if (reply.location !== undefined) headers.Location = base + reply.location
  if (reply.isReplayed) headers['Idempotent-Replayed'] = 'true'
  if ('list' in operation.success) addPageLinks(context, base, operation.endless ?? 'cursor', reply.next)
  if (isRead && reply.etag !== undefined) refuseUnlessMatches(ifMatch, reply.etag)
  if (operation.endless) markUnbuffered(headers)
  if (isRead && ifNoneMatch && reply.etag !== undefined && matchesWeakly(ifNoneMatch, reply.etag)) {
    return new Response(null, { status: 304, headers })
  }
  if (reply.body === null) return new Response(null, { status: reply.status, headers })
  headers['Content-Type'] = 'application/json'
  if (request.method === 'HEAD') {
    headers['Content-Length'] = String(Buffer.byteLength(reply.body))
    return new Response(null, { status: reply.status, headers })
  }
  // Too many large bodies refuse a request. A change that is made is confirmed all the same: its reply is bounded.
  const body = isRead ? bodyOfReply(context, reply.body) : reply.body
  return new Response(body, { status: reply.status, headers })
}

function bodyOfReply(context: RequestContext, text: string): string | ReturnType<typeof bodyInChunks> {
  if (text.length <= LARGE_CHARS) return text
  return bodyInChunks(context, Buffer.from(text))
}

function cacheControl({ scope, secret, method }: Operation): string {
  if (secret) return 'no-store'
  return scope === 'public' && method === 'GET' ? 'no-cache' : 'private, no-cache'
}

/**
 * Adds the link `first`, and the link `next` if there are more items or the list is endless (RFC 8288). Both links keep
 * the filters.
 */
function addPageLinks(
  { headers, path, query }: RequestContext,
  base: string,
  parameter: 'cursor' | 'after',
  next: string | undefined,
): void {
  const rest = query
    .split('&')
    .filter(pair => pair !== '' && decodeText(pair.split('=')[0] ?? '') !== parameter)
  const link = (pairs: string[], rel: string): string =>
    `<${base}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}>; rel="${rel}"`
  const links = [link(rest, 'first')]
  if (next !== undefined) links.unshift(link([...rest, `${parameter}=${next}`], 'next'))
  headers.Link = links.join(', ')
}

function memberOf(body: unknown, member: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, member) : undefined
  return typeof value === 'string' ? value : undefined
}
