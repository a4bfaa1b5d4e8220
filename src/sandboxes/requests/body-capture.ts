import { BODY_BYTES_KEPT } from './log.ts'

/** The longest time that a response waits for its request body. The store can respond before the body arrives. */
const LATE_BODY_MS = 100
/** A response with at most this many bytes is read as a whole before it is sent. */
export const WHOLE_BYTES_MAX = 64 * 1024

/** Reads the start of a body while the store reads the whole body. */
export class BodyCapture {
  readonly #chunks: Uint8Array[] = []
  readonly #bytesMax: number
  readonly #read: Promise<void>

  /** `bytesMax` is the number of bytes after which it stops, within one chunk. */
  constructor(body: ReadableStream<Uint8Array>, bytesMax = BODY_BYTES_KEPT) {
    this.#bytesMax = bytesMax
    this.#read = this.#readStart(body).catch(() => {})
  }

  /** Returns the start of the body, or what has arrived of it after a short wait. */
  async bytes(): Promise<Uint8Array> {
    await Promise.race([this.#read, Bun.sleep(LATE_BODY_MS)])
    return Buffer.concat(this.#chunks)
  }

  async #readStart(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader()
    for (let length = 0; length <= this.#bytesMax; ) {
      const { value, done } = await reader.read()
      if (done) return
      this.#chunks.push(value)
      length += value.length
    }
    // Without this, the rest of a large body would be kept in memory for this reader.
    await reader.cancel()
  }
}

/**
 * Returns the same response, and its body if that has at most 64 KiB, or else the start of it. The rest of a larger
 * body is streamed as the client reads.
 */
export async function captureResponse(
  response: Response,
): Promise<{ response: Response; start: Uint8Array }> {
  if (!response.body) return { response, start: new Uint8Array() }
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  for (let length = 0; length <= WHOLE_BYTES_MAX; ) {
    const { value, done } = await reader.read()
    if (done) {
      const whole = Buffer.concat(chunks)
      return { response: new Response(whole, response), start: whole }
    }
    chunks.push(value)
    length += value.length
  }
  const read = Buffer.concat(chunks)
  const rest = new ReadableStream<Uint8Array>(
    {
      start: controller => controller.enqueue(read),
      pull: async controller => {
        const { value, done } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  )
  return { response: new Response(rest, response), start: read }
}
