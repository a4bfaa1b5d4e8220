/** The number of requests that one sandbox may begin in one turn of the event loop. */
const REQUESTS_PER_TURN = 2
/** The maximum number of requests of one sandbox that wait for a turn. */
const WAITING_MAX = 500

/** Shorter work needs no pause: a timer cannot wait for less. */
const PAUSED_WORK_MS_MIN = 1

/**
 * Divides the thread between the sandboxes of a host. In each turn of the event loop, a sandbox begins at most two
 * requests. Its other requests wait for the next turns. However many requests one sandbox gets, the requests to other
 * sandboxes are served in between. After long work, a sandbox pauses for as long as the work took, so that large
 * requests take at most half of the thread.
 */
export class FairTurns {
  readonly #waiting: (() => void)[] = []
  /** The number of requests that may still begin in this turn. */
  #left = REQUESTS_PER_TURN
  #isScheduled = false
  /** When the pause after long work ends, by `performance.now`. */
  #pausedUntilMs = 0

  get isFull(): boolean {
    return this.#waiting.length >= WAITING_MAX
  }

  /** Resolves when the caller's request may begin; returns undefined if the request may begin at once. */
  begin(): Promise<void> | undefined {
    this.#schedule()
    if (this.#left > 0 && this.#waiting.length === 0 && performance.now() >= this.#pausedUntilMs) {
      this.#left--
      return undefined
    }
    return new Promise(resolve => {
      this.#waiting.push(resolve)
    })
  }

  /** Counts the time for which work of the sandbox has kept the thread, in milliseconds. */
  charge(ms: number): void {
    if (ms >= PAUSED_WORK_MS_MIN) this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now()) + ms
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const pauseMs = this.#pausedUntilMs - performance.now()
    if (pauseMs > 0) setTimeout(() => this.#nextTurn(), pauseMs)
    else setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isScheduled = false
    this.#left = performance.now() < this.#pausedUntilMs ? 0 : REQUESTS_PER_TURN
    while (this.#left > 0 && this.#waiting.length > 0) {
      this.#left--
      this.#waiting.shift()?.()
    }
    if (this.#waiting.length > 0) this.#schedule()
  }
}
