import type { OperationId } from '../contract/contract.ts'
import type { Operation } from '../contract/operation.ts'
import type { Caller } from '../shop/context.ts'
import type { Place, Shares } from './admission.ts'
import { rateGroup } from './client-address.ts'
import type { Match } from './paths.ts'

/** One operation as it is routed: its id beside its record. */
export interface Route {
  readonly id: OperationId
  readonly operation: Operation
}

/** One request on its way to one answer: what the steps of the pipeline have learned of it so far. */
export interface Exchange {
  readonly request: Request
  /** The path as the runtime gives it: percent-encoded, without dot segments. */
  readonly path: string
  /** The query likewise, without the question mark. */
  readonly query: string
  readonly requestId: string
  /** The address at the other end of the connection. */
  readonly peer: string
  /** The address of the client, behind trusted proxies too. */
  readonly address: string
  /** Percent-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>
  /** Header fields that every answer to this request bears, a refusal as well. */
  readonly headers: Record<string, string>
  /** Gives out the sending of large bodies. */
  readonly largeBodies: Shares
  route?: Route
  caller?: Caller
  /** Set while the request is admitted; probes need no place. */
  place?: Place
  /** Why the request was refused; for the log. */
  errorCode?: string
  /** When the request came, in milliseconds since 1970. */
  readonly nowMs: number
  /** Cuts the connection off, within a few seconds, whatever it still holds. */
  readonly cut: () => void
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

export interface Arrival {
  readonly request: Request & { readonly params?: Readonly<Record<string, string>> }
  readonly peer: string
  readonly address: string
  readonly nowMs: number
  readonly largeBodies: Shares
  /** Where the router of the runtime found nothing, and the path is equivalent to another. */
  readonly match: Match | undefined
  readonly cut: () => void
}

/** Opens the exchange: splits the target without decoding it, and takes or makes the request id. */
export function openExchange(arrival: Arrival): Exchange {
  const { request, peer, address, nowMs, match, largeBodies, cut } = arrival
  const { path, query } = targetOf(request.url)
  const given = request.headers.get('x-request-id')
  const requestId = given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
  return {
    request,
    path: match?.path ?? path,
    query,
    requestId,
    peer,
    address,
    pathParameters: match?.parameters ?? request.params ?? {},
    headers: { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' },
    largeBodies,
    nowMs,
    cut,
  }
}

/** Path and query of a URL as the runtime gives it. Without a usable Host there is no scheme and no authority in it. */
export function targetOf(url: string): { path: string; query: string } {
  const from = url.startsWith('/') ? 0 : Math.max(url.indexOf('/', url.indexOf('://') + 3), 0)
  const mark = url.indexOf('?', from)
  return mark < 0
    ? { path: url.slice(from), query: '' }
    : { path: url.slice(from, mark), query: url.slice(mark + 1) }
}

/** The name under which a caller shares limits: its key, or else its address. */
export function callerName({ caller, address }: Exchange): string {
  return caller?.keyId ? `key ${caller.keyId}` : rateGroup(address)
}

/** Adds a request field to those that the answer depends on (RFC 9110, section 12.5.5). */
export function varyBy(headers: Record<string, string>, field: string): void {
  headers.Vary = headers.Vary === undefined ? field : `${headers.Vary}, ${field}`
}
