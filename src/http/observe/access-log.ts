import { quoted } from '../../values/json.ts'
import { type EncodedEntry, errorText, type Log } from '../../values/log.ts'
import type { RequestContext } from '../request-context.ts'

/** The maximum length of a logged text, because a request may have a path of 16 KiB. */
const TEXT_CHARS_MAX = 1000

/**
 * Returns the log line of a request, as JSON without a newline. It is assembled by hand, because a logging library
 * would take as long for one line as all other steps of a read together.
 */
function accessLine(context: RequestContext, status: number, tookMs: number): string {
  const { request, requestId, errorCode, address, nowMs, caller } = context
  const traceparent = request.headers.get('traceparent')
  const { textBeforeMs, textAfterMs } = fixedLogParts(context, status)
  return (
    // The request id matches our own pattern: it needs no escaping.
    `${textBeforeId(nowMs)}${requestId}"` +
    textBeforeMs +
    roundedMsText(tookMs) +
    textAfterMs +
    (errorCode ? `,"code":"${errorCode}"` : '') +
    (caller?.keyId ? `,"keyId":"${caller.keyId}"` : '') +
    `,"address":${jsonString(address)}` +
    (traceparent === null ? '' : `,"traceparent":${jsonString(traceparent)}`) +
    LAST_MEMBER
  )
}

/** Returns a function that logs a response and, if the service failed, the error behind it. */
export function responseLog(log: Log) {
  return (context: RequestContext, status: number, tookMs: number, error: unknown): void => {
    log.access(accessLine(context, status, tookMs))
    if (error !== undefined) log.error({ requestId: context.requestId, error: errorText(error) }, 'failed')
  }
}

/** The parts of a line, around the member `ms`, that are the same for every request of one method, path and status. */
interface FixedLogParts {
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

/** The maximum number of times, in thousandths of a millisecond, whose texts are kept. */
const KNOWN_TIMES = 1000
/** The maximum length of a generated request id, of an address, or of a number in an entry. */
export const VARYING_CHARS_MAX = 60

/**
 * The log entry of responses to one URL without a key, an error or a trace: the same text as `accessLine` returns. Each
 * response overwrites the varying parts. So a repeated read makes no object or text for the log, which saves 2% of its
 * processor time.
 */
export class RepeatedEntry implements EncodedEntry {
  readonly bytesMax: number
  /** A generated request id, which is ASCII without characters to escape. */
  requestId = ''
  /** An IP address, `unknown` or empty: ASCII without characters to escape. */
  address = ''
  nowMs = 0
  tookMs = 0
  readonly #beforeMs: Uint8Array
  readonly #afterMs: Uint8Array

  constructor({ textBeforeMs, textAfterMs }: FixedLogParts) {
    this.#beforeMs = Buffer.from(`"${textBeforeMs}`)
    this.#afterMs = Buffer.from(`${textAfterMs},"address":"`)
    const fixed = [textBeforeId(0), this.#beforeMs, this.#afterMs, END]
    this.bytesMax = fixed.reduce((sum, { length }) => sum + length, 4 * VARYING_CHARS_MAX)
  }

  encodeInto(target: Uint8Array, start: number): number {
    let at = copyBytes(bytesBeforeId(this.nowMs), target, start)
    at = copyAscii(this.requestId, target, at)
    at = copyBytes(this.#beforeMs, target, at)
    at = copyAscii(roundedMsText(this.tookMs), target, at)
    at = copyBytes(this.#afterMs, target, at)
    at = copyAscii(this.address, target, at)
    return copyBytes(END, target, at)
  }
}

const LAST_MEMBER = ',"msg":"responded"}'
const END = Buffer.from(`"${LAST_MEMBER}`)

function textBeforeId(nowMs: number): string {
  return `{"level":30,"time":${nowMs},"requestId":"`
}

const lastStart = { nowMs: 0, bytes: Buffer.from(textBeforeId(0)) }

/** Returns the start of an entry, up to the request id. Under load, many entries in turn have the same start. */
function bytesBeforeId(nowMs: number): Uint8Array {
  if (nowMs !== lastStart.nowMs) {
    lastStart.nowMs = nowMs
    lastStart.bytes = Buffer.from(textBeforeId(nowMs))
  }
  return lastStart.bytes
}

function copyBytes(source: Uint8Array, target: Uint8Array, start: number): number {
  target.set(source, start)
  return start + source.length
}

/** Like `copyBytes`, with ASCII text. For a short text, this loop is faster than a call of the runtime. */
function copyAscii(text: string, target: Uint8Array, start: number): number {
  for (let place = 0; place < text.length; place++) target[start + place] = text.charCodeAt(place)
  return start + text.length
}

const knownTimes: string[] = []

/** Returns the rounded number of milliseconds as text. Without the known texts, this would be the slowest step. */
function roundedMsText(tookMs: number): string {
  const thousandths = Math.round(tookMs * 1000)
  const isKnown = thousandths >= 0 && thousandths < KNOWN_TIMES
  const known = isKnown ? knownTimes[thousandths] : undefined
  if (known !== undefined) return known
  const text = String(thousandths / 1000)
  if (isKnown) knownTimes[thousandths] = text
  return text
}

/** Returns a text of a request as a JSON string, truncated. */
function jsonString(text: string): string {
  return quoted(text.slice(0, TEXT_CHARS_MAX))
}
