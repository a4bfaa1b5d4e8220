import type { News } from '../engine/news.ts'
import { StoreError } from '../model/error.ts'
import type { Query } from '../shop/queries.ts'
import type { Reply } from '../shop/replies.ts'
import { type Place, Shares } from './admission.ts'

/** Readers of the feed that wait: each holds a connection. */
const WAITING = { total: 1000, perCaller: 500 }

/** Windows of positions that one request looks through, at most: the page is then empty, and `next` leads on. */
const WINDOWS_MAX = 10

/** The request for which the feed is read. */
export interface FeedReader {
  readonly caller: string
  readonly signal: AbortSignal
  /** Given up while the reader waits. */
  readonly place?: Place | undefined
}

/** Reads the feed for one caller after another, and lets those wait who asked for it. */
export class Feed {
  readonly #news: News
  readonly #ask: (query: Query) => Promise<Reply>
  readonly #waiting = new Shares(WAITING)

  constructor(news: News, ask: (query: Query) => Promise<Reply>) {
    this.#news = news
    this.#ask = ask
  }

  /**
   * Reads until there are events, or the end is reached and the time to wait there has passed, or so much was looked
   * through, or the client has left.
   * Throws `overloaded` when too many wait already, and what the query throws.
   */
  async read(query: Query, reader: FeedReader): Promise<Reply> {
    const { signal } = reader
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
      await this.#wait(news, restMs, reader)
    }
  }

  async #wait(news: Promise<void>, restMs: number, { caller, signal, place }: FeedReader): Promise<void> {
    if (!this.#waiting.take(caller)) {
      throw new StoreError(
        'overloaded',
        'Too many readers of the feed are waiting; read without wait, or later.',
        {
          retryAfterSeconds: 5,
        },
      )
    }
    const wait = (): Promise<void> => endOfWait(news, restMs, signal)
    try {
      await (place ? place.whileWaiting(wait) : wait())
    } finally {
      this.#waiting.give(caller)
    }
  }
}

/** Resolves at the next commit, when the time is over, or when the client has left. */
async function endOfWait(news: Promise<void>, restMs: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>()
  const end = (): void => over.resolve()
  const timer = setTimeout(end, restMs)
  // A busy store wakes a reader hundreds of times a second: nothing of a wait may be left on what outlives it.
  signal.addEventListener('abort', end)
  news.then(end)
  await over.promise
  signal.removeEventListener('abort', end)
  clearTimeout(timer)
}

function waitSeconds({ input }: Query): number {
  return 'wait' in input && typeof input.wait === 'number' ? input.wait : 0
}
