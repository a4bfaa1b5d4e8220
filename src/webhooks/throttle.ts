/** The minimum period over which events are counted. */
const WINDOW_MS = 100
/** The shop counts as quiet if the head is not reported for this time, whatever was counted before. */
const QUIET_MS = 500
/** The number of events per second above which the shop is under load. */
const BUSY_EVENTS_PER_SECOND = 1000
/** The time for which an attempt keeps its permit after its end while the shop is under load. */
const PAUSE_MS = 250

/**
 * Slows deliveries down while the shop is under load: an attempt costs several times as much as an order, and a
 * delivery can wait. A webhook then gets about 15 events a second, as if its receiver were slow. The backlog is only a
 * position, and is delivered at full speed as soon as the load drops.
 */
export class Throttle {
  readonly #nowMs: () => number
  #fromMs: number
  #fromHead = 0n
  #isBusy = false

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#fromMs = nowMs() - QUIET_MS
  }

  /** Records the position of the last event. Called at every check for work. */
  observe(head: bigint): void {
    const elapsedMs = this.#nowMs() - this.#fromMs
    if (elapsedMs < WINDOW_MS) return
    const events = Number(head - this.#fromHead)
    this.#isBusy = elapsedMs < QUIET_MS && events * 1000 > BUSY_EVENTS_PER_SECOND * elapsedMs
    this.#fromMs = this.#nowMs()
    this.#fromHead = head
  }

  /** Returns how long an attempt keeps its permit after its end, in milliseconds: 0 unless the shop is under load. */
  pauseMs(): number {
    return this.#isBusy && this.#nowMs() - this.#fromMs < QUIET_MS ? PAUSE_MS : 0
  }
}
