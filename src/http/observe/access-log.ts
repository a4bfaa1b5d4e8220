import { quoted } from '../../values/json.ts'
import { errorText, type Log } from '../../values/log.ts'
import type { Responded } from '../request/request-context.ts'

/** The maximum length of a logged text, because a request may have a path of 16 KiB. */
const TEXT_CHARS_MAX = 1000

/**
 * Returns the log line of a request, as JSON without a newline. It is assembled by hand, because a logging library
 * would take as long for one line as all other steps of a read together.
 */
function accessLine(responded: Responded, status: number, tookMs: number): string {
  const { request, requestId, errorCode, address, nowMs, caller, path, route } = responded
  const traceparent = request.headers.get('traceparent')
  // The request id matches our own pattern and the method is an HTTP token: they need no escaping.
  return (
    `{"level":30,"time":${nowMs},"requestId":"${requestId}","method":"${request.method}",` +
    `"path":${jsonString(path)},"status":${status},"ms":${Math.round(tookMs * 1000) / 1000}` +
    (route ? `,"operationId":"${route.id}"` : '') +
    (errorCode ? `,"code":"${errorCode}"` : '') +
    (caller?.keyId ? `,"keyId":"${caller.keyId}"` : '') +
    `,"address":${jsonString(address)}` +
    (traceparent === null ? '' : `,"traceparent":${jsonString(traceparent)}`) +
    ',"msg":"responded"}'
  )
}

/** Returns a function that logs a response and, if the service failed, the error behind it. */
export function responseLog(log: Log) {
  return (responded: Responded, status: number, tookMs: number, error: unknown): void => {
    log.access(accessLine(responded, status, tookMs))
    if (error !== undefined) log.error({ requestId: responded.requestId, error: errorText(error) }, 'failed')
  }
}

/** Returns a text of a request as a JSON string, truncated. */
function jsonString(text: string): string {
  return quoted(text.slice(0, TEXT_CHARS_MAX))
}
