/** The time for which long work may keep the thread, in milliseconds. */
const SLICE_MS = 5

/**
 * Divides the thread between long works of a process: one slice of 5 milliseconds in each turn of the event loop, so
 * that requests are served in between.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []

  /** Resolves when the next slice begins. The works that wait take turns. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) setImmediate(() => this.#begin())
    })
  }

  #begin(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(() => this.#begin())
  }
}

/** The slices of one work. */
export class SlicedWork {
  readonly #slices: TimeSlices
  #startedMs = performance.now()

  constructor(slices: TimeSlices) {
    this.#slices = slices
  }

  /** Whether the current slice has ended, so that the work must wait for the next one. */
  get isDue(): boolean {
    return performance.now() - this.#startedMs > SLICE_MS
  }

  /** Resolves when the next slice of this work begins. */
  async next(): Promise<void> {
    await this.#slices.next()
    this.#startedMs = performance.now()
  }
}
