/** If a turn has at least this number of reads, waiting for its end saves more than it costs. */
const READS_PER_TURN_MIN = 8
/** After a turn with fewer reads, this number of reads do not wait. Then another turn is tried. */
const READS_WITHOUT_WAIT = 500

/**
 * Decides which reads wait for the end of their turn of the event loop, so that their responses are sent together. A
 * client or proxy on this machine then wakes up once for many responses, and not for each of them, which takes up to a
 * fifth of the processor time of a read. If a turn has few reads, the wait would cost more than it saves.
 */
export class SharedTurns {
  readonly #nextTurn: () => Promise<void>
  #readsInTurn = 0
  #readsWithoutWait = 0

  /** `nextTurn` resolves in the next turn of the event loop. */
  constructor(nextTurn: () => Promise<void>) {
    this.#nextTurn = nextTurn
  }

  /** Returns when the response to a read may be sent: in the next turn, or undefined for now. */
  wait(): Promise<void> | undefined {
    if (this.#readsWithoutWait > 0) {
      this.#readsWithoutWait--
      return undefined
    }
    const turn = this.#nextTurn()
    this.#readsInTurn++
    if (this.#readsInTurn === 1) turn.then(() => this.#endTurn())
    return turn
  }

  #endTurn(): void {
    if (this.#readsInTurn < READS_PER_TURN_MIN) this.#readsWithoutWait = READS_WITHOUT_WAIT
    this.#readsInTurn = 0
  }
}
