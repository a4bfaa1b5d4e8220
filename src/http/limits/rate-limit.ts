import type { StoreError } from '../../contract/error.ts'
import { rateLimited } from '../../contract/refusals.ts'

/** A number of requests in a number of seconds. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
}

interface Window {
  left: number
  endsMs: number
}

/** The maximum number of entries in one map. A limiter has two maps, so its memory is bounded. */
const CALLERS_PER_MAP_MAX = 50_000

/**
 * A fixed window per caller, in the memory of this process.
 *
 * Windows are in two maps. When the young map is full, or has been in use for the duration of a window, it replaces the
 * old map, which is dropped as a whole. So no request ever scans the callers.
 */
export class RateLimiter {
  /** The value of the RateLimit-Policy header (draft-ietf-httpapi-ratelimit-headers). */
  readonly policy: string
  readonly #rate: Rate
  readonly #clock: () => number
  #young = new Map<string, Window>()
  #old = new Map<string, Window>()
  #youngSinceMs: number

  /** `monotonicClock` returns milliseconds. If a wall clock were used, setting it back would lock callers out. */
  constructor(rate: Rate, monotonicClock: () => number) {
    this.#rate = rate
    this.#clock = monotonicClock
    this.#youngSinceMs = monotonicClock()
    this.policy = `"default";q=${rate.requests};w=${rate.seconds}`
  }

  /** The number of entries in memory. A caller can have one in each map. */
  get entryCount(): number {
    return this.#young.size + this.#old.size
  }

  /**
   * Takes one request from the window of a caller. Returns the RateLimit header
   * (draft-ietf-httpapi-ratelimit-headers), and the refusal `rate_limited` if the window is used up. `nowMs` is the
   * current time of the clock, if the caller has just read it.
   */
  take(caller: string, nowMs = this.#clock()): { field: string; refusal?: StoreError } {
    const window = this.#window(caller, nowMs)
    // Rounded first: the difference of two times can exceed the length of the window by a rounding error.
    const seconds = Math.max(1, Math.ceil(Math.round(window.endsMs - nowMs) / 1000))
    if (window.left > 0) {
      window.left--
      return { field: `"default";r=${window.left};t=${seconds}` }
    }
    const refusal = rateLimited({ ...this.#rate, retryAfterSeconds: seconds })
    return { field: `"default";r=0;t=${seconds}`, refusal }
  }

  #window(caller: string, nowMs: number): Window {
    const young = this.#young.get(caller)
    if (young && young.endsMs > nowMs) return young
    const old = this.#old.get(caller)
    const window =
      old && old.endsMs > nowMs
        ? old
        : { left: this.#rate.requests, endsMs: nowMs + this.#rate.seconds * 1000 }
    this.#rotateIfDue(nowMs)
    this.#young.set(caller, window)
    return window
  }

  #rotateIfDue(nowMs: number): void {
    const isFull = this.#young.size >= CALLERS_PER_MAP_MAX
    if (!isFull && nowMs - this.#youngSinceMs < this.#rate.seconds * 1000) return
    this.#old = this.#young
    this.#young = new Map()
    this.#youngSinceMs = nowMs
  }
}
