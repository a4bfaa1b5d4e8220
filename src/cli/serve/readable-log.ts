import { escapeFormats } from '../../values/control-characters.ts'

const levels: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/** A value without spaces, quotes and `=`, which cannot be mistaken for two fields. */
const PLAIN = /^[^\s"=]*$/

/**
 * Returns a JSON log line as a line for people: `12:30:01 GET /pets 200 1.2 ms`, then the other fields. No line has the
 * operation or the address. The line of a request has the id of the request only for a status of 5xx.
 */
export function readableLine(line: string): string {
  const entry: Record<string, unknown> = JSON.parse(line)
  const { level, time, msg, requestId, method, path, status, ms, operationId, address, ...rest } = entry
  const timeText = timeOf(Number(time))
  if (typeof method === 'string' && typeof path === 'string') {
    const took = `${Number(ms).toFixed(1)} ms`
    // The error that caused a 5xx is logged under the id of the request.
    const fields = Number(status) >= 500 ? { ...rest, requestId } : rest
    return `${[timeText, method, path, status, took].map(safe).join(' ')}${fieldsOf(fields)}\n`
  }
  const head = [timeText, levels[Number(level)] ?? level, msg].map(safe).join(' ')
  const { error, ...fields } = rest
  return `${head}${fieldsOf({ ...fields, ...(requestId !== undefined && { requestId }) })}\n${traceOf(error)}`
}

/** Returns the remaining fields: ` keyId=7 code=pet_not_found`. */
function fieldsOf(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${shownValue(value)}`)
    .join('')
}

function shownValue(value: unknown): string {
  const text = safe(typeof value === 'string' ? value : JSON.stringify(value))
  return typeof value !== 'string' || PLAIN.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`
}

/** Returns an error with its stack, each line indented, so that no line looks like a log line; '' for no error. */
function traceOf(error: unknown): string {
  if (typeof error !== 'string') return ''
  return error
    .split('\n')
    .map(line => `    ${safe(line)}\n`)
    .join('')
}

function timeOf(ms: number): string {
  const date = new Date(ms)
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map(part => String(part).padStart(2, '0'))
    .join(':')
}

function safe(value: unknown): string {
  return escapeFormats(String(value))
}
