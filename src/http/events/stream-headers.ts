/** Tells nginx and the proxies that read this header not to hold a response back. */
const UNBUFFERED = { 'X-Accel-Buffering': 'no' }

/**
 * Returns the headers of a stream of server-sent events. A proxy that compresses a stream holds events back until it
 * has enough bytes; `no-transform` (RFC 9111, section 5.2.2.6) forbids that.
 */
export function streamHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...headers,
    ...UNBUFFERED,
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
  }
}

/** Changes the headers of a long poll in the same way. */
export function markUnbuffered(headers: Record<string, string>): void {
  Object.assign(headers, UNBUFFERED)
  headers['Cache-Control'] = `${headers['Cache-Control']}, no-transform`
}
