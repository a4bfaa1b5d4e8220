import { overloaded } from '../../contract/refusals.ts'
import { KEEP_ALIVE_MS, RECONNECT_MS, STALLED_MS, streamResponse } from '../../http/events/stream-headers.ts'
import { CapacityLimiter } from '../../http/limits/admission.ts'
import { Deadlines } from '../../http/limits/deadlines.ts'
import type { RequestContext } from '../../http/request/request-context.ts'
import { rateGroup } from '../../values/ip-address.ts'
import type { RequestLog } from './log.ts'

/** The limits of open streams: in total, of one address, and of one sandbox. */
export const STREAMS_MAX = 1000
export const STREAMS_PER_ADDRESS_MAX = 250
export const STREAMS_PER_SANDBOX_MAX = 20
const LAST_EVENT_ID = /^\d{1,15}$/

const deadlines = new Deadlines(STALLED_MS)

/** The open server-sent event streams (WHATWG HTML, section 9.2) of the request logs of all sandboxes. */
export class RequestStreams {
  readonly #open = new Set<RequestStream>()
  readonly #addresses = new CapacityLimiter({ total: STREAMS_MAX, perCaller: STREAMS_PER_ADDRESS_MAX })
  readonly #sandboxes = new CapacityLimiter({ total: STREAMS_MAX, perCaller: STREAMS_PER_SANDBOX_MAX })

  /**
   * Returns a stream of the requests after the one in Last-Event-ID; without this header, of all requests from now on.
   * The stream ends when the log is closed: its client then connects again with Last-Event-ID, and misses no request
   * that the log still has. Throws `overloaded` if too many streams are open.
   */
  respond(context: RequestContext, sandboxId: string, log: RequestLog): Response {
    const { request, headers } = context
    if (request.method === 'HEAD') return streamResponse(headers, null)
    const address = rateGroup(context.address)
    if (!this.#sandboxes.take(sandboxId)) throw tooManyStreams()
    if (!this.#addresses.take(address)) {
      this.#sandboxes.release(sandboxId)
      throw tooManyStreams()
    }
    const last = request.headers.get('last-event-id') ?? ''
    const after = LAST_EVENT_ID.test(last) ? Number(last) : log.lastNumber
    const stream = new RequestStream(context, log, after, () => {
      this.#open.delete(stream)
      this.#sandboxes.release(sandboxId)
      this.#addresses.release(address)
    })
    this.#open.add(stream)
    return streamResponse(headers, stream.readable())
  }

  end(): void {
    for (const stream of [...this.#open]) stream.end()
  }
}

/** The stream of one client. It reads the log as fast as the client reads, so only one chunk of it is in memory. */
class RequestStream {
  readonly #context: RequestContext
  readonly #log: RequestLog
  readonly #unwatch: () => void
  readonly #keepAliveTimer: ReturnType<typeof setInterval>
  readonly #onEnded: () => void
  #after: number
  #hasStarted = false
  #isKeepAliveDue = false
  #wake = (): void => {}
  #isEnded = false

  constructor(context: RequestContext, log: RequestLog, after: number, onEnded: () => void) {
    this.#context = context
    this.#log = log
    this.#after = after
    this.#onEnded = onEnded
    this.#keepAliveTimer = setInterval(() => {
      this.#isKeepAliveDue = true
      this.#wake()
    }, KEEP_ALIVE_MS)
    this.#unwatch = log.watch({ onRequest: () => this.#wake(), onClosed: () => this.end() })
  }

  readable(): ReadableStream<Uint8Array> {
    let stalled = deadlines.set(() => this.#disconnect())
    return new ReadableStream<Uint8Array>(
      {
        pull: async controller => {
          deadlines.clear(stalled)
          const text = await this.#next().catch(error => {
            this.end()
            throw error
          })
          if (text === undefined) return controller.close()
          controller.enqueue(text)
          stalled = deadlines.set(() => this.#disconnect())
        },
        cancel: () => {
          deadlines.clear(stalled)
          this.end()
        },
      },
      { highWaterMark: 0 },
    )
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearInterval(this.#keepAliveTimer)
    this.#unwatch()
    this.#onEnded()
    this.#wake()
  }

  #disconnect(): void {
    this.end()
    this.#context.closeConnection()
  }

  /** Returns the next bytes to send; undefined at the end. */
  async #next(): Promise<Uint8Array | undefined> {
    if (!this.#hasStarted) {
      this.#hasStarted = true
      return Buffer.from(`retry: ${RECONNECT_MS}\n\n`)
    }
    while (!this.#isEnded) {
      if (this.#after < this.#log.lastNumber) {
        const { bytes, to } = await this.#log.readEvents(this.#after)
        this.#after = to
        if (bytes.length > 0) return bytes
      } else if (this.#isKeepAliveDue) {
        this.#isKeepAliveDue = false
        return Buffer.from(': alive\n\n')
      } else {
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      }
    }
    return undefined
  }
}

function tooManyStreams(): ReturnType<typeof overloaded> {
  const limits = `${STREAMS_PER_SANDBOX_MAX} of one request log, ${STREAMS_PER_ADDRESS_MAX} of one address`
  return overloaded(`At most ${STREAMS_MAX} streams of requests can be open, ${limits}; try again later.`, 10)
}
