/** The interval at which a stream sends a keep-alive. */
export const KEEP_ALIVE_MS = 15_000
/**
 * A client that reads nothing for this long, although data is waiting, is disconnected. It can reconnect and resume.
 */
export const STALLED_MS = 30_000
/** How long a client waits before it reconnects. A stream sends this delay in its `retry` field. */
export const RECONNECT_MS = 1000

/** Tells nginx and the proxies that read this header not to hold a response back. */
const UNBUFFERED = { 'X-Accel-Buffering': 'no' }

/**
 * Returns the response with a stream of server-sent events; null stands for the stream of a HEAD request. A proxy that
 * compresses a stream holds events back until it has enough bytes; `no-transform` (RFC 9111, section 5.2.2.6) forbids
 * that.
 */
export function streamResponse(
  headers: Readonly<Record<string, string>>,
  stream: ReadableStream<Uint8Array> | null,
): Response {
  const fields = {
    ...headers,
    ...UNBUFFERED,
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    // Framed like a GET: a length of 0 would mean that the stream is empty.
    ...(stream === null && { 'Transfer-Encoding': 'chunked' }),
  }
  return new Response(stream, { headers: fields })
}

/** Changes the headers of a long poll in the same way. */
export function markUnbuffered(headers: Record<string, string>): void {
  Object.assign(headers, UNBUFFERED)
  headers['Cache-Control'] = `${headers['Cache-Control']}, no-transform`
}
