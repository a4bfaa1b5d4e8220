import type { RequestContext } from './request-context.ts'

/** Maximum length of a logged text: a request may have a path of 16 KiB. */
const TEXT_CHARS_MAX = 1000
/** Printable ASCII without the two characters that JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/

/**
 * Returns the log line of a request, as JSON without the line end. It is written by hand because the logging library
 * took as long over it as everything else took over a read: see PERFORMANCE.md.
 */
export function accessLine(context: RequestContext, status: number, tookMs: number): string {
  const { request, requestId, path, route, caller, errorCode, address, nowMs } = context
  const traceparent = request.headers.get('traceparent')
  // The method is an HTTP token and the request id matches our own pattern: neither needs escaping.
  return (
    `{"level":30,"time":${nowMs},"requestId":"${requestId}","method":"${request.method}",` +
    `"path":${quoted(path)},"status":${status},` +
    `"ms":${Math.round(tookMs * 1000) / 1000}` +
    (route ? `,"operationId":"${route.id}"` : '') +
    (errorCode ? `,"code":"${errorCode}"` : '') +
    (caller?.keyId ? `,"keyId":"${caller.keyId}"` : '') +
    `,"address":${quoted(address)}` +
    (traceparent === null ? '' : `,"traceparent":${quoted(traceparent)}`) +
    ',"msg":"responded"}'
  )
}

/** Returns a text of a request as a JSON string, truncated. Most texts need no escaping, and a check is cheaper. */
function quoted(text: string): string {
  const cut = text.slice(0, TEXT_CHARS_MAX)
  return PLAIN.test(cut) ? `"${cut}"` : JSON.stringify(cut)
}
