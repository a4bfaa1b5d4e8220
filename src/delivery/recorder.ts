import type { AttemptOutcome } from '../shop/dispatch.ts'

const WRITE_AGAIN_MS = 1000

export interface RecorderOptions {
  /** Writes outcomes down, and how far the webhook has come with them. */
  readonly write: (outcomes: readonly AttemptOutcome[]) => Promise<void>
  /** Whether nobody waits any more: what cannot be written then is left, and its attempts are made again. */
  readonly isOver: () => boolean
  readonly onFault: (error: unknown) => void
}

/** Writes down what came of attempts: what ends while one batch is being written goes with the next. */
export class Recorder {
  readonly #options: RecorderOptions
  #waiting: { readonly outcome: AttemptOutcome; readonly done: () => void }[] = []
  #writing = false

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** Resolves when the outcome is written down: until then its slot is taken, so that a busy store is not pressed. */
  note(outcome: AttemptOutcome): Promise<void> {
    return new Promise(done => {
      this.#waiting.push({ outcome, done })
      this.flush()
    })
  }

  /** Writes what waits and, when nothing does, how far the webhook has come. */
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

  /** Answers whether it is done with, after a while if not. */
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
