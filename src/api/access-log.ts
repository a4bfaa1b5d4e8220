import type { Exchange } from './exchange.ts'

/** Of a path that is logged; a request may name one of 16 KiB. */
const PATH_CHARS_MAX = 1000

/**
 * The one line that the log has of a request, as JSON without its end. It is written by hand because the logging
 * library took as long over it as everything else took over a read: see PERFORMANCE.md.
 */
export function accessLine(exchange: Exchange, status: number, tookMs: number): string {
  const { request, requestId, path, route, caller, errorCode, address, nowMs } = exchange
  const traceparent = request.headers.get('traceparent')
  // The method is a token of HTTP and the request id one of our own pattern: neither has anything to escape.
  return (
    `{"level":30,"time":${nowMs},"requestId":"${requestId}","method":"${request.method}",` +
    `"path":${JSON.stringify(path.slice(0, PATH_CHARS_MAX))},"status":${status},` +
    `"ms":${Math.round(tookMs * 1000) / 1000}` +
    (route ? `,"operationId":"${route.id}"` : '') +
    (errorCode ? `,"code":"${errorCode}"` : '') +
    (caller?.keyId ? `,"keyId":"${caller.keyId}"` : '') +
    `,"address":${JSON.stringify(address)}` +
    (traceparent === null ? '' : `,"traceparent":${JSON.stringify(traceparent.slice(0, PATH_CHARS_MAX))}`) +
    ',"msg":"answered"}'
  )
}
