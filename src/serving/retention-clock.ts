import { readMetadata } from '../shop/kernel/metadata.ts'
import { findLastEventAt } from '../shop/log/bounds.ts'
import { systemCommand } from '../shop/registry/commands.ts'
import { storedInstant } from '../values/instant.ts'
import type { Log } from '../values/log.ts'
import { DAY_MS } from '../values/time-zone.ts'
import type { StoreEngine } from './open.ts'

/** The name of the stored time in the table `metadata`. */
const NAME = 'retention-clock'
/** After a jump of the clock, the time of deletions runs this many times as fast, until it has caught up. */
const CATCH_UP = 24
/** A jump of at least this length is reported. */
const REPORTED_MS_MIN = 7 * DAY_MS

interface RetentionClockOptions {
  readonly engine: StoreEngine
  readonly log: Log
  /** Returns the time in milliseconds since 1970, which may be wrong. */
  readonly clock: () => number
  /** Returns monotonic milliseconds. */
  readonly timer: () => number
}

/**
 * The time by which expired rows are deleted. A deletion cannot be undone, so it never follows one reading of the wall
 * clock: a machine whose battery is empty, or whose time was set by hand, can be years ahead. The time of deletions is
 * stored. It is the wall clock, but from the stored time on it advances at most 24 times as fast as the store runs.
 * After a week without power it has caught up in 7 hours; a clock that is a year ahead deletes a day too much in an
 * hour, and is reported at once. A store without a stored time begins at its last event before
 * this start.
 */
export class RetentionClock {
  readonly #options: RetentionClockOptions
  #lastReadMs: number
  #isReported = false
  #begun: Promise<void>

  constructor(options: RetentionClockOptions) {
    this.#options = options
    this.#lastReadMs = options.timer()
    // This is stored before the first event of the run, which may have a wrong instant.
    this.#begun = this.#begin()
    this.#begun.catch(() => {})
  }

  /** Returns the time of deletions, in milliseconds since 1970, and stores it. */
  async now(): Promise<number> {
    const { clock, timer } = this.#options
    this.#begun = this.#begun.catch(() => this.#begin())
    await this.#begun
    const stored = Date.parse((await this.#read()) ?? storedInstant(clock()))
    const nowMs = clock()
    const readMs = timer()
    const limitMs = stored + CATCH_UP * (readMs - this.#lastReadMs)
    this.#lastReadMs = readMs
    this.#report(nowMs, limitMs)
    const value = storedInstant(Math.min(nowMs, limitMs))
    await this.#write('replaceMetadata', value)
    return Date.parse(value)
  }

  async #begin(): Promise<void> {
    const { engine, clock } = this.#options
    const known = await this.#read()
    const stored = known ?? (await engine.readShort(findLastEventAt)) ?? storedInstant(clock())
    this.#report(clock(), Date.parse(stored))
    if (known === undefined)
      await this.#write('insertMetadata', storedInstant(Math.min(clock(), Date.parse(stored))))
  }

  async #read(): Promise<string | undefined> {
    return this.#options.engine.readShort(reader => readMetadata(reader, NAME))
  }

  async #write(id: 'insertMetadata' | 'replaceMetadata', value: string): Promise<void> {
    const { engine, clock } = this.#options
    await engine.execute(systemCommand(id, { name: NAME, value }, storedInstant(clock()), 'petstore'))
  }

  #report(nowMs: number, limitMs: number): void {
    if (this.#isReported || nowMs - limitMs < REPORTED_MS_MIN) return
    this.#isReported = true
    const fields = { clock: storedInstant(nowMs), lastRun: storedInstant(limitMs) }
    this.#options.log.error(
      fields,
      'the clock is far ahead of the time at which the store last ran: set the clock if it is wrong. Until the store ' +
        'has run for some hours, it deletes expired events, deliveries and stored replies later than usual',
    )
  }
}
