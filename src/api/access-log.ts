import type { Exchange } from './exchange.ts'

/** Of a path that is logged; a request may name one of 16 KiB. */
const TEXT_CHARS_MAX = 1000
/** Printable ASCII without the two characters that JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/

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
    `"path":${quoted(path)},"status":${status},` +
    `"ms":${Math.round(tookMs * 1000) / 1000}` +
    (route ? `,"operationId":"${route.id}"` : '') +
    (errorCode ? `,"code":"${errorCode}"` : '') +
    (caller?.keyId ? `,"keyId":"${caller.keyId}"` : '') +
    `,"address":${quoted(address)}` +
    (traceparent === null ? '' : `,"traceparent":${quoted(traceparent)}`) +
    ',"msg":"answered"}'
  )
}

/** A text of a request as a string of JSON, cut short. Most have nothing to escape, which is cheaper to find out. */
function quoted(text: string): string {
  const cut = text.slice(0, TEXT_CHARS_MAX)
  return PLAIN.test(cut) ? `"${cut}"` : JSON.stringify(cut)
}
