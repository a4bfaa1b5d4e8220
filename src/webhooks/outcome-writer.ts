import type { AttemptOutcome, Attempts } from '../shop/webhooks/delivery-state.ts'
import type { PendingEvents } from './pending-events.ts'

const WRITE_RETRY_MS = 1000

export interface OutcomeWriterOptions {
  readonly webhookId: bigint
  readonly owner: string
  /** The source of the progress of the webhook, which is stored with the outcomes. */
  readonly pending: Pick<PendingEvents, 'progressAfter' | 'complete'>
  readonly record: (attempts: Attempts) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Stores the outcomes of attempts. Attempts that end during a write are stored by the next write. */
export class OutcomeWriter {
  readonly #options: OutcomeWriterOptions
  #waiting: { readonly outcome: AttemptOutcome; readonly done: () => void }[] = []
  #isWriting = false
  #isStopped = false

  constructor(options: OutcomeWriterOptions) {
    this.#options = options
  }

  /**
   * Resolves when the outcome is stored, or dropped after `stop`. The attempt keeps its permit until then, which limits
   * the load on a busy store.
   */
  add(outcome: AttemptOutcome): Promise<void> {
    return new Promise(done => {
      this.#waiting.push({ outcome, done })
      this.flush()
    })
  }

  /**
   * Stores the waiting outcomes, or only the progress of the webhook if no outcome is waiting. Returns at once during
   * another flush, which also stores the outcomes that arrive while it writes.
   */
  async flush(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    do {
      const batch = this.#waiting.splice(0)
      if (await this.#write(batch.map(({ outcome }) => outcome))) for (const { done } of batch) done()
      else this.#waiting.unshift(...batch)
    } while (this.#waiting.length > 0)
    this.#isWriting = false
  }

  /** From now on, drops outcomes that cannot be stored. The next sender repeats their attempts. */
  stop(): void {
    this.#isStopped = true
  }

  /** Returns true once the outcomes are stored or dropped; false, after a delay, if they must be written again. */
  async #write(outcomes: readonly AttemptOutcome[]): Promise<boolean> {
    try {
      await this.#record(outcomes)
      return true
    } catch (error) {
      this.#options.onError(error)
      if (this.#isStopped || outcomes.length === 0) return true
      await Bun.sleep(WRITE_RETRY_MS)
      return this.#isStopped
    }
  }

  async #record(outcomes: readonly AttemptOutcome[]): Promise<void> {
    const { webhookId, owner, pending, record } = this.#options
    // The position of a retry was closed when the outcome of its first attempt was stored.
    const first = outcomes.filter(({ deliveryId }) => deliveryId === undefined)
    const written = first.map(({ event }) => event.position)
    const progress = pending.progressAfter(written)
    await record({ webhookId, owner, ...progress, outcomes })
    pending.complete(written, progress)
  }
}
