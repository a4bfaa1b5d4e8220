import { StoreError } from '../model/error.ts'
import type { Shares } from './admission.ts'

/** What is larger is sent in pieces of this size, as the client reads. */
const PIECE_BYTES = 64 * 1024

/**
 * The body of a response. The runtime keeps what a client has not read in memory: a large body is sent in pieces, each
 * when the client has read the one before. Throws `overloaded` when too many large bodies are being sent already.
 */
export function bodyInPieces(
  shares: Shares,
  caller: string,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length <= PIECE_BYTES) return bytes
  if (!shares.take(caller)) {
    throw new StoreError('overloaded', 'Too many large responses are being sent; try again shortly.', {
      retryAfterSeconds: 5,
    })
  }
  let sent = 0
  return new ReadableStream(
    {
      pull: controller => {
        controller.enqueue(bytes.subarray(sent, sent + PIECE_BYTES))
        sent += PIECE_BYTES
        if (sent < bytes.length) return
        controller.close()
        shares.give(caller)
      },
      cancel: () => shares.give(caller),
    },
    { highWaterMark: 0 },
  )
}
