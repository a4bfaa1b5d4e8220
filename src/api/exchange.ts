import type { OperationId } from '../contract/contract.ts'
import type { Operation } from '../contract/operation.ts'
import type { Caller } from '../shop/context.ts'

/** One operation as it is routed: its id beside its record. */
export interface Route {
  readonly id: OperationId
  readonly operation: Operation
}

/** One request on its way to one answer: what the steps of the pipeline have learned of it so far. */
export interface Exchange {
  readonly request: Request
  /** The path as the runtime hands it on: percent-encoded, without dot segments. */
  readonly path: string
  /** The query likewise, without the question mark. */
  readonly query: string
  readonly requestId: string
  /** Of the client, behind trusted proxies too. */
  readonly address: string
  /** Decoded by the runtime's router. */
  readonly pathParameters: Readonly<Record<string, string>>
  /** Header fields that every answer to this request bears, a refusal as well. */
  readonly headers: Record<string, string>
  route?: Route
  caller?: Caller
  /** Why the request was refused; for the log. */
  errorCode?: string
  /** When the request came, in milliseconds since 1970. */
  readonly nowMs: number
  /** Cuts the connection off, within a few seconds, whatever it still holds. */
  readonly cut: () => void
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Opens the exchange: splits the target without decoding it, and takes or makes the request id. */
export function openExchange(
  request: Request & { readonly params?: Readonly<Record<string, string>> },
  address: string,
  nowMs: number,
  cut: () => void,
): Exchange {
  const { url } = request
  const scheme = url.indexOf('://')
  const from = scheme < 0 ? url.length : url.indexOf('/', scheme + 3)
  const mark = url.indexOf('?', from)
  const given = request.headers.get('x-request-id')
  const requestId = given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID()
  return {
    request,
    path: mark < 0 ? url.slice(from) : url.slice(from, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    requestId,
    address,
    pathParameters: request.params ?? {},
    headers: { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' },
    nowMs,
    cut,
  }
}
