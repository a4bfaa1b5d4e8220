import { overloaded } from '../model/refusals.ts'
import type { CapacityLimiter } from './admission.ts'

/** The size of a chunk. A body of at most this size is sent as a whole. */
const CHUNK_BYTES = 64 * 1024

/**
 * Returns the body of a response. The runtime buffers everything that a client has not read, so a large body is sent
 * in chunks, each after the client has read the previous one. Throws `overloaded` if too many large bodies are being
 * sent.
 */
export function bodyInChunks(
  limiter: CapacityLimiter,
  caller: string,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length <= CHUNK_BYTES) return bytes
  if (!limiter.take(caller)) {
    throw overloaded('Too many large responses are being sent; try again shortly.', 5)
  }
  let sent = 0
  return new ReadableStream(
    {
      pull: controller => {
        controller.enqueue(bytes.subarray(sent, sent + CHUNK_BYTES))
        sent += CHUNK_BYTES
        if (sent < bytes.length) return
        controller.close()
        limiter.release(caller)
      },
      cancel: () => limiter.release(caller),
    },
    { highWaterMark: 0 },
  )
}
