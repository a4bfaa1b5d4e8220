import { overloaded } from '../../contract/refusals.ts'
import type { CommitSignal } from '../../database/commit-signal.ts'
import type { TimeSlices } from '../../database/time-slices.ts'
import type { Reply } from '../../shop/kernel/idempotency.ts'
import type { Query } from '../../shop/registry/queries.ts'
import { type AdmissionSlot, CapacityLimiter, type Within } from '../limits/admission.ts'

/** The limit of clients that wait for events, because each of them holds a connection. */
const WAITING = { total: 1000, perCaller: 500 }

/**
 * The maximum number of windows of positions that one request reads without a wait between them. If none of them has a
 * matching event, the page is empty, and its `next` is the position that was reached.
 */
const WINDOWS_MAX = 10

/** The client that reads the feed. */
interface FeedClient {
  readonly caller: string
  readonly signal: AbortSignal
  readonly slot?: AdmissionSlot | undefined
}

interface LongPollOptions {
  readonly commitSignal: CommitSignal
  /** Divides the thread between long reads and other work. */
  readonly slices: TimeSlices
  readonly runQuery: (query: Query) => Promise<Reply>
  readonly within?: Within | undefined
  /** Settles when clients that waited when the store was closed get their response, at once by default. */
  readonly reopened?: Promise<void> | undefined
}

/** The feed, which waits for events if the client asks for that. */
export class LongPoll {
  readonly #commitSignal: CommitSignal
  readonly #slices: TimeSlices
  readonly #runQuery: (query: Query) => Promise<Reply>
  readonly #reopened: Promise<void>
  readonly #waiting: CapacityLimiter

  constructor({ commitSignal, slices, runQuery, within, reopened = Promise.resolve() }: LongPollOptions) {
    this.#reopened = reopened
    this.#waiting = new CapacityLimiter(WAITING, within)
    this.#commitSignal = commitSignal
    this.#slices = slices
    this.#runQuery = runQuery
  }

  /**
   * Returns the next page with events. Returns an empty page if the wait has timed out at the end of the feed, the
   * maximum number of windows was read, the client has disconnected, or the store is stopping. Throws any error of the
   * query, and `overloaded` if too many clients are waiting, or no slot is free after the wait.
   */
  async read(query: Query, client: FeedClient): Promise<Reply> {
    const { signal } = client
    const deadlineMs = performance.now() + waitSeconds(query) * 1000
    let current = query
    for (let windows = 1; ; windows++) {
      const nextCommit = this.#commitSignal.next()
      const reply = await this.#runQuery(current)
      if (reply.body !== '[]') return reply
      if (!reply.isAtHead) {
        if (windows >= WINDOWS_MAX || signal.aborted || this.#commitSignal.hasEnded) return reply
        await this.#slices.next()
        current = { ...current, input: { ...current.input, after: BigInt(reply.next ?? '0') } }
        continue
      }
      // At the end of the feed there is little to read, so the count of windows starts again after a wait.
      windows = 0
      const pauseMs = deadlineMs - performance.now()
      if (pauseMs <= 0 || signal.aborted) return reply
      if (!this.#commitSignal.hasEnded) await this.#wait(nextCommit, pauseMs, client)
      if (!this.#commitSignal.hasEnded) continue
      // The store was closed, so nothing can be read. If it may be opened again, the client waits until then.
      const restMs = deadlineMs - performance.now()
      if (restMs > 0) await this.#wait(this.#reopened, restMs, client)
      return reply
    }
  }

  async #wait(
    nextCommit: Promise<void>,
    pauseMs: number,
    { caller, signal, slot }: FeedClient,
  ): Promise<void> {
    if (!this.#waiting.take(caller)) {
      throw overloaded('Too many clients are waiting for events; read without wait, or try again later.', 5)
    }
    const wait = (): Promise<void> => endOfWait(nextCommit, pauseMs, signal)
    try {
      await (slot ? slot.whileWaiting(wait) : wait())
    } finally {
      this.#waiting.release(caller)
    }
  }
}

/** Resolves on the next commit, on timeout, or when the client has disconnected. */
async function endOfWait(nextCommit: Promise<void>, pauseMs: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>()
  const end = (): void => over.resolve()
  const timer = setTimeout(end, pauseMs)
  // A busy store wakes a client hundreds of times a second, so a wait must leave no listener or timer behind.
  signal.addEventListener('abort', end)
  nextCommit.then(end)
  await over.promise
  signal.removeEventListener('abort', end)
  clearTimeout(timer)
}

function waitSeconds({ input }: Query): number {
  return 'wait' in input && typeof input.wait === 'number' ? input.wait : 0
}
