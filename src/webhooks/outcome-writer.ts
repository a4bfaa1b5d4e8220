import type { AttemptOutcome } from '../shop/delivery-state.ts'

const WRITE_AGAIN_MS = 1000

export interface OutcomeWriterOptions {
  /** Stores outcomes, and the progress of the webhook. */
  readonly write: (outcomes: readonly AttemptOutcome[]) => Promise<void>
  /**
   * Whether the sender is stopping: outcomes that cannot be stored are then dropped, and their attempts are repeated.
   */
  readonly isOver: () => boolean
  readonly onFault: (error: unknown) => void
}

/** Stores the outcomes of attempts. Attempts that end during a write are stored by the next write. */
export class OutcomeWriter {
  readonly #options: OutcomeWriterOptions
  #waiting: { readonly outcome: AttemptOutcome; readonly done: () => void }[] = []
  #writing = false

  constructor(options: OutcomeWriterOptions) {
    this.#options = options
  }

  /** Resolves when the outcome is stored. The slot stays taken until then, which limits the load on a busy store. */
  add(outcome: AttemptOutcome): Promise<void> {
    return new Promise(done => {
      this.#waiting.push({ outcome, done })
      this.flush()
    })
  }

  /** Stores the waiting outcomes, or only the progress of the webhook if none are waiting. */
  async flush(): Promise<void> {
    if (this.#writing) return
    this.#writing = true
    do {
      const batch = this.#waiting.splice(0)
      if (await this.#write(batch.map(({ outcome }) => outcome))) for (const { done } of batch) done()
      else this.#waiting.unshift(...batch)
    } while (this.#waiting.length > 0)
    this.#writing = false
  }

  /** Returns whether the batch is finished; otherwise it returns after a delay. */
  async #write(outcomes: readonly AttemptOutcome[]): Promise<boolean> {
    const { write, isOver, onFault } = this.#options
    try {
      await write(outcomes)
      return true
    } catch (error) {
      onFault(error)
      if (isOver() || outcomes.length === 0) return true
      await Bun.sleep(WRITE_AGAIN_MS)
      return isOver()
    }
  }
}
