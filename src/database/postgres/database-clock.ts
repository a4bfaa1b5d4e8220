const READ_EVERY_MS = 60_000
/** Smaller differences are not corrected: they cannot be measured, and are those of clocks that are synchronized. */
const DIFFERENCE_MS_MIN = 2000
/** A reading that took longer says little. */
const READING_MS_MAX = 2000

interface DatabaseClockOptions {
  /** Returns the time of the database server, in milliseconds since 1970. */
  readonly read: () => Promise<number>
  /** The clock of this machine, in milliseconds since 1970. */
  readonly local: () => number
  /** Called with a difference that is corrected from now on: how far this machine is ahead; negative if behind. */
  readonly onDifference: (aheadMs: number) => void
}

/**
 * The clock that all processes of a store on one database share. A process whose machine has another time than the
 * database uses the time of the database: otherwise its keys, leases and stored replies would expire at other instants
 * than those of the other processes.
 */
export class DatabaseClock {
  readonly #options: DatabaseClockOptions
  readonly #timer: ReturnType<typeof setInterval>
  #aheadMs = 0

  private constructor(options: DatabaseClockOptions) {
    this.#options = options
    // A database that does not respond is reported elsewhere. The last difference remains.
    this.#timer = setInterval(() => this.#compare().catch(() => {}), READ_EVERY_MS)
    this.#timer.unref()
  }

  /** Reads the clock of the database for the first time. Throws the error of the reading. */
  static async start(options: DatabaseClockOptions): Promise<DatabaseClock> {
    const clock = new DatabaseClock(options)
    await clock.#compare()
    return clock
  }

  readonly now = (): number => this.#options.local() - this.#aheadMs

  get aheadMs(): number {
    return this.#aheadMs
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #compare(): Promise<void> {
    const { read, local, onDifference } = this.#options
    const startedMs = performance.now()
    const time = await read()
    const tookMs = performance.now() - startedMs
    if (tookMs > READING_MS_MAX) return
    const aheadMs = Math.round(local() - tookMs / 2 - time)
    const isSame = Math.abs(aheadMs - this.#aheadMs) < DIFFERENCE_MS_MIN
    if (isSame) return
    this.#aheadMs = Math.abs(aheadMs) < DIFFERENCE_MS_MIN ? 0 : aheadMs
    onDifference(this.#aheadMs)
  }
}
