import type { RequestContext } from '../api/request-context.ts'
import { overloaded } from '../model/refusals.ts'
import type { RequestLog } from './request-log.ts'

const STREAMS_MAX = 500
const STREAMS_PER_SANDBOX_MAX = 20
/** A stream ends when more than this number of characters wait for its client. */
const WAITING_CHARS_MAX = 4 * 1024 * 1024
const KEEP_ALIVE_MS = 15_000
const RECONNECT_MS = 1000
const LAST_EVENT_ID = /^\d{1,15}$/

/** The open server-sent event streams (WHATWG HTML, section 9.2) of the request logs of all sandboxes. */
export class RequestStreams {
  readonly #open = new Set<RequestStream>()

  /**
   * Returns a stream of the requests after the one in Last-Event-ID; without this header, of all requests from now on.
   * The stream ends when the log is closed: its client then connects again with Last-Event-ID, and misses no request
   * that the log still has. Throws `overloaded` if too many streams are open.
   */
  async respond({ request, headers }: RequestContext, log: RequestLog): Promise<Response> {
    const fields = { ...headers, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
    if (request.method === 'HEAD') {
      // Framed like a GET: a length of 0 would mean that the stream is empty.
      return new Response(null, { headers: { ...fields, 'Transfer-Encoding': 'chunked' } })
    }
    if (this.#open.size >= STREAMS_MAX)
      throw overloaded(`At most ${STREAMS_MAX} streams of requests can be open; try again later.`, 10)
    if (log.watcherCount >= STREAMS_PER_SANDBOX_MAX)
      throw overloaded(`At most ${STREAMS_PER_SANDBOX_MAX} streams of one request log can be open.`, 10)
    const stream = new RequestStream(log, () => this.#open.delete(stream))
    this.#open.add(stream)
    const last = request.headers.get('last-event-id') ?? ''
    if (LAST_EVENT_ID.test(last)) await stream.queueMissed(log, BigInt(last))
    return new Response(stream.readable(), { headers: fields })
  }

  end(): void {
    for (const stream of [...this.#open]) stream.end()
  }
}

/** The stream of one client. */
class RequestStream {
  readonly #unwatch: () => void
  readonly #keepAliveTimer: ReturnType<typeof setInterval>
  readonly #onEnded: () => void
  #waiting: string[] = []
  /** The number of the first request after the stream was opened. */
  #firstNumber: bigint | undefined
  #waitingChars = 0
  #wake = (): void => {}
  #isEnded = false

  constructor(log: RequestLog, onEnded: () => void) {
    this.#onEnded = onEnded
    this.#keepAliveTimer = setInterval(() => this.#add(': alive\n\n'), KEEP_ALIVE_MS)
    this.#unwatch = log.watch({
      onRequest: entry => {
        this.#firstNumber ??= entry.number
        this.#add(eventText(entry.number, entry.text))
      },
      onClosed: () => this.end(),
    })
  }

  /** Queues the logged requests after the number `after`, ahead of those that arrived since the stream was opened. */
  async queueMissed(log: RequestLog, after: bigint): Promise<void> {
    const logged = await log.readAfter(after)
    const first = this.#firstNumber
    const missed = logged.filter(({ number }) => first === undefined || number < first)
    this.#waiting = [...missed.map(({ number, text }) => eventText(number, text)), ...this.#waiting]
  }

  readable(): ReadableStream<Uint8Array> {
    this.#waiting.unshift(`retry: ${RECONNECT_MS}\n\n`)
    return new ReadableStream<Uint8Array>(
      { pull: controller => this.#pull(controller), cancel: () => this.end() },
      { highWaterMark: 0 },
    )
  }

  end(): void {
    this.#isEnded = true
    clearInterval(this.#keepAliveTimer)
    this.#unwatch()
    this.#onEnded()
    this.#wake()
  }

  #add(text: string): void {
    this.#waitingChars += text.length
    if (this.#waitingChars > WAITING_CHARS_MAX) this.end()
    else this.#waiting.push(text)
    this.#wake()
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#waiting.length === 0 && !this.#isEnded) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    this.#waitingChars = 0
    if (this.#waiting.length > 0) controller.enqueue(Buffer.from(this.#waiting.splice(0).join('')))
    else controller.close()
  }
}

function eventText(number: bigint, data: string): string {
  return `id: ${number}\nevent: request\ndata: ${data}\n\n`
}
