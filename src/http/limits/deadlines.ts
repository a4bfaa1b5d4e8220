export interface Deadline {
  /** The instant of expiry, on the clock of `performance.now`. */
  readonly dueMs: number
  readonly onExpired: () => void
}

/**
 * Deadlines of the same duration. They expire in the order in which they were set, so one timer serves all of them. A
 * timer for each request would cost more than reading a small body.
 */
export class Deadlines {
  readonly #durationMs: number
  /** In order of expiry. */
  readonly #pending = new Set<Deadline>()
  #isTimerSet = false

  constructor(durationMs: number) {
    this.#durationMs = durationMs
  }

  /** Sets a deadline and returns it. `onExpired` is called if the deadline expires before it is cleared. */
  set(onExpired: () => void): Deadline {
    const deadline = { dueMs: performance.now() + this.#durationMs, onExpired }
    this.#pending.add(deadline)
    if (!this.#isTimerSet) this.#setTimer(this.#durationMs)
    return deadline
  }

  clear(deadline: Deadline): void {
    this.#pending.delete(deadline)
  }

  #setTimer(ms: number): void {
    this.#isTimerSet = true
    // The work under a deadline keeps the process alive; the timer need not.
    setTimeout(() => this.#expire(), ms).unref()
  }

  #expire(): void {
    this.#isTimerSet = false
    const nowMs = performance.now()
    for (const deadline of this.#pending) {
      if (deadline.dueMs > nowMs) {
        this.#setTimer(deadline.dueMs - nowMs)
        return
      }
      this.#pending.delete(deadline)
      deadline.onExpired()
    }
  }
}
