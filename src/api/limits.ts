import { StoreError } from '../model/error.ts'

/** So many requests in so many seconds. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
}

interface Window {
  left: number
  endsMs: number
}

/** Callers that are remembered at once: beyond it, those whose window has ended are forgotten first. */
const CALLERS_MAX = 100_000

/** A fixed window for each caller, kept in this process. */
export class RateLimiter {
  readonly policy: string
  readonly #rate: Rate
  readonly #windows = new Map<string, Window>()

  constructor(rate: Rate) {
    this.#rate = rate
    this.policy = `"default";q=${rate.requests};w=${rate.seconds}`
  }

  /**
   * Takes one request out of the caller's window; answers the RateLimit field
   * (draft-ietf-httpapi-ratelimit-headers), and `rate_limited` when nothing was left to take.
   */
  take(caller: string, nowMs: number): { field: string; refusal?: StoreError } {
    const window = this.#window(caller, nowMs)
    const seconds = Math.ceil((window.endsMs - nowMs) / 1000)
    if (window.left > 0) {
      window.left--
      return { field: `"default";r=${window.left};t=${seconds}` }
    }
    const message = `More than ${this.#rate.requests} requests in ${this.#rate.seconds} seconds; go on in ${seconds}.`
    const refusal = new StoreError('rate_limited', message, { retryAfterSeconds: seconds })
    return { field: `"default";r=0;t=${seconds}`, refusal }
  }

  #window(caller: string, nowMs: number): Window {
    const known = this.#windows.get(caller)
    if (known && known.endsMs > nowMs) return known
    if (this.#windows.size >= CALLERS_MAX) this.#forget(nowMs)
    const window = { left: this.#rate.requests, endsMs: nowMs + this.#rate.seconds * 1000 }
    this.#windows.delete(caller)
    this.#windows.set(caller, window)
    return window
  }

  #forget(nowMs: number): void {
    for (const [caller, { endsMs }] of this.#windows) {
      if (endsMs > nowMs && this.#windows.size < CALLERS_MAX) return
      this.#windows.delete(caller)
    }
  }
}

/** Bounds the requests in progress: what is beyond is refused at once, so that what is within stays quick. */
export class Admission {
  readonly #inProgressMax: number
  #inProgress = 0
  #closing = false
  #idle: (() => void) | undefined

  constructor(inProgressMax: number) {
    this.#inProgressMax = inProgressMax
  }

  /** Throws `overloaded` or `shutting_down`; otherwise `leave` must be called when the answer is ready. */
  enter(): void {
    if (this.#closing)
      throw new StoreError('shutting_down', 'The process is stopping.', { retryAfterSeconds: 5 })
    if (this.#inProgress >= this.#inProgressMax) {
      throw new StoreError('overloaded', 'Too many requests are in progress; try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
    this.#inProgress++
  }

  leave(): void {
    this.#inProgress--
    if (this.#inProgress === 0) this.#idle?.()
  }

  /** Admits nobody any more; resolves when the last has left. */
  drain(): Promise<void> {
    this.#closing = true
    if (this.#inProgress === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#idle = resolve
    })
  }
}
