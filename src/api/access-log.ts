import type { RequestContext } from './request-context.ts'

/** The maximum length of a logged text, because a request may have a path of 16 KiB. */
const TEXT_CHARS_MAX = 1000
/** Printable ASCII without the two characters that JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/

/**
 * Returns the log line of a request, as JSON without the line end. It is assembled by hand, because the logging library
 * takes as long for one line as all other steps of a read together.
 */
export function accessLine(context: RequestContext, status: number, tookMs: number): string {
  const { request, requestId, errorCode, address, nowMs, caller } = context
  const traceparent = request.headers.get('traceparent')
  const { beforeTime, afterTime } = fixedLogParts(context, status)
  return (
    start(nowMs, requestId) +
    beforeTime +
    milliseconds(tookMs) +
    afterTime +
    (errorCode ? `,"code":"${errorCode}"` : '') +
    (caller?.keyId ? `,"keyId":"${caller.keyId}"` : '') +
    `,"address":${quoted(address)}` +
    (traceparent === null ? '' : `,"traceparent":${quoted(traceparent)}`) +
    END
  )
}

/** The parts of a line that are the same for every request of one method and path with one status. */
export interface FixedLogParts {
  readonly beforeTime: string
  readonly afterTime: string
}

export function fixedLogParts({ request, path, route }: RequestContext, status: number): FixedLogParts {
  // The method is an HTTP token: it needs no escaping.
  return {
    beforeTime: `,"method":"${request.method}","path":${quoted(path)},"status":${status},"ms":`,
    afterTime: route ? `,"operationId":"${route.id}"` : '',
  }
}

/**
 * Returns the same line as `accessLine`, for a request without a key, an error or a trace. The address must be an IP
 * address, because it is not escaped.
 */
export function plainAccessLine(line: {
  readonly logParts: FixedLogParts
  readonly requestId: string
  readonly address: string
  readonly nowMs: number
  readonly tookMs: number
}): string {
  const { logParts, requestId, address, nowMs, tookMs } = line
  const { beforeTime, afterTime } = logParts
  return `${start(nowMs, requestId)}${beforeTime}${milliseconds(tookMs)}${afterTime},"address":"${address}"${END}`
}

const END = ',"msg":"responded"}'

function start(nowMs: number, requestId: string): string {
  // The request id matches our own pattern: it needs no escaping.
  return `{"level":30,"time":${nowMs},"requestId":"${requestId}"`
}

function milliseconds(tookMs: number): number {
  return Math.round(tookMs * 1000) / 1000
}

/** Returns a text of a request as a JSON string, truncated. Most texts need no escaping, and the check is cheaper. */
function quoted(text: string): string {
  const cut = text.slice(0, TEXT_CHARS_MAX)
  return PLAIN.test(cut) ? `"${cut}"` : JSON.stringify(cut)
}
