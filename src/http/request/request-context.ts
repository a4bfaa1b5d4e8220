import { randomBytes } from 'node:crypto'
import type { Operation } from '../../contract/operation.ts'
import type { Caller } from '../../shop/kernel/context.ts'
import type { Reply } from '../../shop/kernel/idempotency.ts'
import type { OperationId } from '../../shop/registry/operations.ts'
import type { Query } from '../../shop/registry/queries.ts'
import { rateGroup } from '../../values/ip-address.ts'
import type { AdmissionSlot, CapacityLimiter } from '../limits/admission.ts'
import type { Match } from './paths.ts'

/** One routed operation: its id and its definition. */
export interface Route {
  readonly id: OperationId
  readonly operation: Operation
}

/** One request and what the steps of the pipeline have found out about it so far. */
export interface RequestContext {
  readonly request: Request
  /** The path below the base URL of the store: percent-encoded, without dot segments. */
  readonly path: string
  /** The query as the runtime returns it, without the question mark. */
  readonly query: string
  readonly requestId: string
  /** Returns the address of the connected peer; empty if the connection is closed. */
  readonly findPeer: () => string
  readonly address: string
  /** The path parameters by name, percent-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>
  readonly headers: Record<string, string>
  /** Limits the large response bodies that are being sent. */
  readonly largeBodies: CapacityLimiter
  route?: Route
  caller?: Caller
  /** The name by which limits identify the caller's key. Set when it is first needed. */
  keyName?: string
  /** Set once the request is admitted; a probe needs no slot. */
  slot?: AdmissionSlot
  /** The query of a read, and its reply. Set once the query has run. */
  read?: { readonly query: Query; readonly reply: Reply }
  errorCode?: string
  /** The instant at which the request arrived, in milliseconds since 1970. */
  readonly nowMs: number
  /** Closes the connection within a few seconds, whatever is still buffered. */
  readonly closeConnection: () => void
}

/** What the log and the metrics need of a request. */
export type Responded = Pick<
  RequestContext,
  'request' | 'requestId' | 'address' | 'nowMs' | 'path' | 'route' | 'caller' | 'errorCode'
>

/** Called with each response. `error` is the error behind a 500, or undefined. */
export type OnResponse = (responded: Responded, status: number, tookMs: number, error: unknown) => void

/** The handler of one method of a path. Only the handler of an operation has a route. */
export interface Handler {
  readonly route?: Route
  /** A probe always gets a response, however busy the store is, and counts towards no limit. */
  readonly isProbe?: true
  /** The handler counts its requests towards the rate limit itself, once it knows their key. */
  readonly isCounting?: true
  /** The handler may be silent for longer than the timeout of the runtime. */
  readonly isSlow?: true
  readonly handle: (context: RequestContext) => Promise<Response> | Response
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

interface Arrival {
  readonly request: Request & { readonly params?: Readonly<Record<string, string>> }
  readonly findPeer: () => string
  readonly address: string
  readonly nowMs: number
  readonly largeBodies: CapacityLimiter
  readonly newRequestId: () => string
  /** Replaces the path and the parameters that the runtime found; undefined if those are right. */
  readonly match: Match | undefined
  readonly closeConnection: () => void
}

/**
 * Returns the context of a request. The request target is split but not decoded. The request id is the X-Request-Id of
 * the client if that is valid, or else a new one.
 */
export function openRequestContext(arrival: Arrival): RequestContext {
  const { request, findPeer, address, nowMs, match, largeBodies, newRequestId, closeConnection } = arrival
  const { path, query } = targetOf(request.url)
  const requestId = requestIdIn(request.headers) ?? newRequestId()
  return {
    request,
    path: match?.path ?? path,
    query,
    requestId,
    findPeer,
    address,
    pathParameters: match?.parameters ?? request.params ?? {},
    headers: { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' },
    largeBodies,
    nowMs,
    closeConnection,
  }
}

/**
 * Returns a function that makes request ids. An id is a random prefix, the same for all ids of this function, and a
 * count: this costs less than a UUID.
 */
export function makeRequestIds(): () => string {
  const prefix = `${randomBytes(9).toString('base64url')}-`
  let count = 0
  return () => prefix + ++count
}

/** Returns the X-Request-Id of a client if it is valid. */
export function requestIdIn(headers: Headers): string | undefined {
  const given = headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : undefined
}

/** The fields of `traceparent`: a trace and a span, neither of which is all zeros. A later version may have more. */
const TRACEPARENT = /^([0-9a-f]{2})(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/

/**
 * Returns the `traceparent` of a client in the form of version 00 (W3C Trace Context, section 3.2). An invalid one is
 * ignored, as that section requires.
 */
export function traceparentIn(headers: Headers): string | undefined {
  const [, version, fields, rest] = TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? []
  const isValid = version !== 'ff' && (version !== '00' || rest === undefined)
  return fields !== undefined && isValid ? `00${fields}` : undefined
}

/**
 * Returns the path and query of a URL from the runtime. The URL of a request without a usable Host has no scheme and no
 * authority.
 */
export function targetOf(url: string): { path: string; query: string } {
  const pathStart = url.startsWith('/') ? 0 : Math.max(url.indexOf('/', url.indexOf('://') + 3), 0)
  const questionMark = url.indexOf('?', pathStart)
  return questionMark < 0
    ? { path: url.slice(pathStart), query: '' }
    : { path: url.slice(pathStart, questionMark), query: url.slice(questionMark + 1) }
}

/** Returns the name by which limits identify a caller: its key, or else the rate group of its address. */
export function callerName(context: Pick<RequestContext, 'caller' | 'address' | 'keyName'>): string {
  const { caller, address } = context
  if (!caller?.keyId) return rateGroup(address)
  context.keyName ??= `key ${caller.keyId}`
  return context.keyName
}

/** Adds a request header to Vary (RFC 9110, section 12.5.5). */
export function varyBy(headers: Record<string, string>, field: string): void {
  if (headers.Vary?.split(', ').includes(field)) return
  headers.Vary = headers.Vary === undefined ? field : `${headers.Vary}, ${field}`
}
