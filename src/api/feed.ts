import type { News } from '../engine/news.ts'
import { StoreError } from '../model/error.ts'
import type { Query } from '../shop/queries.ts'
import type { Reply } from '../shop/replies.ts'

/** Readers of the feed that wait at once, at most: each holds a connection, and a request in progress. */
const WAITING_MAX = 1000

/** Windows of positions that one request looks through, at most: the page is then empty, and `next` leads on. */
const WINDOWS_MAX = 10

/** Reads the feed for one caller after another, and lets those wait who asked for it. */
export class Feed {
  readonly #news: News
  readonly #ask: (query: Query) => Promise<Reply>
  #waiting = 0

  constructor(news: News, ask: (query: Query) => Promise<Reply>) {
    this.#news = news
    this.#ask = ask
  }

  /**
   * Reads until there are events, or the end is reached and the time to wait there has passed, or so much was looked
   * through, or the client has left.
   * Throws `overloaded` when too many wait already, and what the query throws.
   */
  async read(query: Query, signal: AbortSignal): Promise<Reply> {
    const until = performance.now() + waitSeconds(query) * 1000
    let asked = query
    for (let windows = 1; ; windows++) {
      const news = this.#news.next()
      const reply = await this.#ask(asked)
      if (reply.body !== '[]') return reply
      if (!reply.atHead) {
        if (windows >= WINDOWS_MAX || signal.aborted || this.#news.ended) return reply
        asked = { ...asked, input: { ...asked.input, after: BigInt(reply.next ?? '0') } }
        continue
      }
      // At the end there is little to look through: a wait does not count as a window.
      windows = 0
      const restMs = until - performance.now()
      if (restMs <= 0 || this.#news.ended || signal.aborted) return reply
      await this.#wait(news, restMs, signal)
    }
  }

  async #wait(news: Promise<void>, restMs: number, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= WAITING_MAX) {
      throw new StoreError('overloaded', 'Too many readers of the feed wait; ask without wait, or later.', {
        retryAfterSeconds: 5,
      })
    }
    this.#waiting++
    const over = Promise.withResolvers<void>()
    const end = (): void => over.resolve()
    const timer = setTimeout(end, restMs)
    // A busy store wakes a reader hundreds of times a second: nothing of a wait may be left on what outlives it.
    signal.addEventListener('abort', end)
    news.then(end)
    await over.promise
    signal.removeEventListener('abort', end)
    clearTimeout(timer)
    this.#waiting--
  }
}

function waitSeconds({ input }: Query): number {
  return 'wait' in input && typeof input.wait === 'number' ? input.wait : 0
}
