import { overloaded } from '../../contract/refusals.ts'
import { type Deadline, Deadlines } from '../limits/deadlines.ts'
import { callerName, type RequestContext } from '../request/request-context.ts'

/** The size of a chunk. A body of at most this size is sent as a whole. */
export const CHUNK_BYTES = 64 * 1024
/** A client that reads nothing of a large body for this long is disconnected. */
const STALLED_MS = 30_000

/** The part of the context of a request that sending a large body needs. */
export type Receiving = Pick<
  RequestContext,
  'address' | 'caller' | 'keyName' | 'largeBodies' | 'closeConnection'
>

/**
 * Returns the body of a response. The runtime buffers everything that a client has not read, so a large body is sent
 * in chunks, each after the client has read the previous one. Throws `overloaded` if too many large bodies are being
 * sent.
 */
export function bodyInChunks(
  context: Receiving,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length <= CHUNK_BYTES) return bytes
  let sent = 0
  return largeBody(context, {
    next: async () => {
      const chunk = bytes.subarray(sent, sent + CHUNK_BYTES)
      sent += CHUNK_BYTES
      return chunk.length > 0 ? chunk : undefined
    },
  })
}

/** What a large body is read from. */
interface ChunkSource {
  /** Returns the next chunk; undefined at the end. */
  next(): Promise<Uint8Array | undefined>
  /** Called once, when nothing more will be read. */
  close?(): Promise<void>
}

const deadlines = new Deadlines(STALLED_MS)

/**
 * Returns a body that is read from its source as fast as the client reads. Throws `overloaded` if too many large bodies
 * are being sent. A client that stops reading is disconnected.
 */
export function largeBody(
  context: Receiving,
  source: ChunkSource,
  stalled = deadlines,
): ReadableStream<Uint8Array> {
  const { largeBodies, closeConnection } = context
  const caller = callerName(context)
  if (!largeBodies.take(caller)) {
    source.close?.()
    throw overloaded('Too many large responses are being sent; try again shortly.', 5)
  }
  let isOver = false
  let deadline: Deadline | undefined
  const end = async (): Promise<void> => {
    if (deadline) stalled.clear(deadline)
    if (isOver) return
    isOver = true
    largeBodies.release(caller)
    await source.close?.()
  }
  const disconnect = (): void => {
    end()
    closeConnection()
  }
  return new ReadableStream(
    {
      pull: async controller => {
        if (deadline) stalled.clear(deadline)
        // Only an error cuts the body off; a regular end would make the part that was sent look complete.
        if (isOver) return controller.error(new Error('the client did not read in time'))
        const chunk = await source.next().catch(async error => {
          await end()
          throw error
        })
        if (chunk === undefined) {
          await end()
          return controller.close()
        }
        controller.enqueue(chunk)
        deadline = stalled.set(disconnect)
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
