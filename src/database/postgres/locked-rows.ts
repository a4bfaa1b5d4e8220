/**
 * How long a row counts as locked after a command has met its lock, in milliseconds: longer than the commands that wait
 * for it take to meet the lock again.
 */
const LOCKED_MS = 3000

/**
 * The rows whose locks commands have recently met. A command that names such a row is expected to wait, so it must not
 * take a connection that commands for other rows need.
 */
export class LockedRows {
  readonly #untilMs = new Map<string, number>()

  /** Notes that a command which names these rows met a lock. */
  note(rows: readonly string[]): void {
    for (const row of rows) this.#untilMs.set(row, performance.now() + LOCKED_MS)
  }

  /** Returns whether one of the rows is probably locked. */
  hasAnyOf(rows: readonly string[]): boolean {
    this.#forgetOld()
    return rows.some(row => this.#untilMs.has(row))
  }

  /** Whether no row is known to be locked. */
  get isEmpty(): boolean {
    this.#forgetOld()
    return this.#untilMs.size === 0
  }

  #forgetOld(): void {
    if (this.#untilMs.size === 0) return
    const nowMs = performance.now()
    for (const [row, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(row)
  }
}
