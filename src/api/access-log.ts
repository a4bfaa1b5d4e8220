import { quoted } from '../model/json.ts'
import type { DeferredEntry } from '../store/open.ts'
import type { RequestContext } from './request-context.ts'

/** The maximum length of a logged text, because a request may have a path of 16 KiB. */
const TEXT_CHARS_MAX = 1000

/**
 * Returns the log line of a request, as JSON without a newline. It is assembled by hand, because a logging library
 * would take as long for one line as all other steps of a read together.
 */
export function accessLine(context: RequestContext, status: number, tookMs: number): string {
  const { request, requestId, errorCode, address, nowMs, caller } = context
  const traceparent = request.headers.get('traceparent')
  const { textBeforeMs, textAfterMs } = fixedLogParts(context, status)
  return (
    lineStart(nowMs, requestId) +
    textBeforeMs +
    roundedMs(tookMs) +
    textAfterMs +
    (errorCode ? `,"code":"${errorCode}"` : '') +
    (caller?.keyId ? `,"keyId":"${caller.keyId}"` : '') +
    `,"address":${jsonString(address)}` +
    (traceparent === null ? '' : `,"traceparent":${jsonString(traceparent)}`) +
    LAST_MEMBER
  )
}

/** The parts of a line, around the member `ms`, that are the same for every request of one method, path and status. */
export interface FixedLogParts {
  readonly textBeforeMs: string
  readonly textAfterMs: string
}

export function fixedLogParts({ request, path, route }: RequestContext, status: number): FixedLogParts {
  // The method is an HTTP token: it needs no escaping.
  return {
    textBeforeMs: `,"method":"${request.method}","path":${jsonString(path)},"status":${status},"ms":`,
    textAfterMs: route ? `,"operationId":"${route.id}"` : '',
  }
}

/** A response to a request without a key, an error or a trace. */
export interface PlainResponse {
  readonly logParts: FixedLogParts
  readonly requestId: string
  /** Not escaped in the line: an IP address, `unknown` or empty. */
  readonly address: string
  readonly nowMs: number
  readonly tookMs: number
}

/** The approximate length of a line without its fixed parts. */
const VARYING_CHARS = 120

/** Becomes the same line as `accessLine` returns. */
export class PlainAccessEntry implements DeferredEntry {
  readonly #response: PlainResponse

  constructor(response: PlainResponse) {
    this.#response = response
  }

  get chars(): number {
    const { textBeforeMs, textAfterMs } = this.#response.logParts
    return VARYING_CHARS + textBeforeMs.length + textAfterMs.length
  }

  text(): string {
    const { logParts, requestId, address, nowMs, tookMs } = this.#response
    const { textBeforeMs, textAfterMs } = logParts
    const start = lineStart(nowMs, requestId)
    return `${start}${textBeforeMs}${roundedMs(tookMs)}${textAfterMs},"address":"${address}"${LAST_MEMBER}`
  }
}

const LAST_MEMBER = ',"msg":"responded"}'

function lineStart(nowMs: number, requestId: string): string {
  // The request id matches our own pattern: it needs no escaping.
  return `{"level":30,"time":${nowMs},"requestId":"${requestId}"`
}

function roundedMs(tookMs: number): number {
  return Math.round(tookMs * 1000) / 1000
}

/** Returns a text of a request as a JSON string, truncated. */
function jsonString(text: string): string {
  return quoted(text.slice(0, TEXT_CHARS_MAX))
}
