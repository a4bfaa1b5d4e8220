/** Over how long events are counted. */
const WINDOW_MS = 100
/** Nobody has told of an event for so long: whatever was counted before, the shop is quiet. */
const QUIET_MS = 500
/** More events than these in a second are a shop under load. */
const BUSY_EVENTS_A_SECOND = 1000
/** How long a slot rests after an attempt while the shop is under load. */
const REST_MS = 250

/**
 * Lets deliveries give way to a shop under load: an attempt costs several times what an order does, and it can wait.
 * A webhook then gets some 15 events a second, as if its receiver took its time; the backlog is a position, and is
 * delivered at full speed as soon as the shop is quieter.
 */
export class Pace {
  readonly #nowMs: () => number
  #fromMs: number
  #fromHead = 0n
  #isBusy = false

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#fromMs = nowMs() - QUIET_MS
  }

  /** Takes note of the position of the last event, whenever somebody looks. */
  note(head: bigint): void {
    const elapsedMs = this.#nowMs() - this.#fromMs
    if (elapsedMs < WINDOW_MS) return
    const events = Number(head - this.#fromHead)
    this.#isBusy = elapsedMs < QUIET_MS && events * 1000 > BUSY_EVENTS_A_SECOND * elapsedMs
    this.#fromMs = this.#nowMs()
    this.#fromHead = head
  }

  /** How long a slot is to rest after an attempt, in milliseconds: 0 while the shop is not under load. */
  restMs(): number {
    return this.#isBusy && this.#nowMs() - this.#fromMs < QUIET_MS ? REST_MS : 0
  }
}
