import type { RequestContext } from '../api/request-context.ts'
import { writeJson } from '../model/json.ts'
import { overloaded } from '../model/refusals.ts'
import type { RequestLog } from './request-log.ts'
import type { LoggedRequest } from './sandbox.ts'

const STREAMS_MAX = 500
/** A stream whose client has this many entries left to read is ended. The client connects again, and reads the log. */
const ENTRIES_WAITING_MAX = 1000
const KEEP_ALIVE_MS = 15_000
const RECONNECT_MS = 1000

/** The open streams of request logs of all sandboxes (WHATWG HTML, section 9.2). */
export class RequestStreams {
  readonly #open = new Set<() => void>()

  /** Returns a stream of the requests from now on. Throws `overloaded` if too many streams are open. */
  respond({ request, headers }: RequestContext, log: RequestLog): Response {
    const fields = { ...headers, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
    if (request.method === 'HEAD') {
      // Framed like a GET: a length of 0 would mean that the stream is empty.
      return new Response(null, { headers: { ...fields, 'Transfer-Encoding': 'chunked' } })
    }
    if (this.#open.size >= STREAMS_MAX)
      throw overloaded(`At most ${STREAMS_MAX} streams of requests can be open; try again later.`, 10)
    return new Response(this.#stream(log), { headers: fields })
  }

  end(): void {
    for (const end of [...this.#open]) end()
  }

  #stream(log: RequestLog): ReadableStream<Uint8Array> {
    const waiting: string[] = [`retry: ${RECONNECT_MS}\n\n`]
    let wake = (): void => {}
    let isEnded = false
    const add = (text: string): void => {
      if (waiting.length >= ENTRIES_WAITING_MAX) end()
      else waiting.push(text)
      wake()
    }
    const unwatch = log.watch(entry => add(eventOf(entry)))
    const ticking = setInterval(() => add(': alive\n\n'), KEEP_ALIVE_MS)
    const end = (): void => {
      isEnded = true
      clearInterval(ticking)
      unwatch()
      this.#open.delete(end)
      wake()
    }
    this.#open.add(end)
    return new ReadableStream<Uint8Array>(
      {
        pull: async controller => {
          if (waiting.length === 0 && !isEnded) {
            await new Promise<void>(resolve => {
              wake = resolve
            })
          }
          if (waiting.length > 0) controller.enqueue(Buffer.from(waiting.splice(0).join('')))
          else controller.close()
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    )
  }
}

function eventOf(entry: LoggedRequest): string {
  return `id: ${entry.number}\nevent: request\ndata: ${writeJson(entry)}\n\n`
}
