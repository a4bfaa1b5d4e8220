/** The time for which a long task may keep the thread, in milliseconds. */
const SLICE_MS = 5

/**
 * Divides the thread between the long tasks of a process. In each turn of the event loop, one slice of 5 milliseconds
 * runs, so that requests are served in between. A loop that awaits reads needs it too: on SQLite a read is synchronous,
 * so an `await` alone never lets the event loop run.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []

  /** Resolves when the next slice of the caller begins. Waiting tasks take turns. */
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

/** The slices of one long task. */
export class SlicedWork {
  readonly #slices: TimeSlices
  #startedMs = performance.now()

  constructor(slices: TimeSlices) {
    this.#slices = slices
  }

  /** Whether the current slice has ended, so that the task must wait for the next one. */
  get isSliceOver(): boolean {
    return performance.now() - this.#startedMs > SLICE_MS
  }

  /** Resolves when the next slice of this task begins. */
  async next(): Promise<void> {
    await this.#slices.next()
    this.#startedMs = performance.now()
  }
}
