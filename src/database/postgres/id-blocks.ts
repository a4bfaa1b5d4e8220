import type { Noun } from '../engine.ts'

/** The number of ids that a process reserves at a time. Ids that remain when the process stops are never used. */
const ID_BLOCK = 1000n

/**
 * Ids from blocks that are reserved outside the transactions that use the ids, so no transaction waits for another one.
 */
export class IdBlocks {
  readonly #reserve: (noun: Noun, count: bigint) => Promise<bigint>
  readonly #blocks = new Map<Noun, { next: bigint; end: bigint }>()
  readonly #reserving = new Map<Noun, Promise<void>>()

  /** `reserve` reserves a number of ids durably and returns the last of them. */
  constructor(reserve: (noun: Noun, count: bigint) => Promise<bigint>) {
    this.#reserve = reserve
  }

  next(noun: Noun): bigint | Promise<bigint> {
    const block = this.#blocks.get(noun)
    if (block && block.next < block.end) return block.next++
    return this.#reserveThenNext(noun)
  }

  async #reserveThenNext(noun: Noun): Promise<bigint> {
    let reserving = this.#reserving.get(noun)
    if (!reserving) {
      reserving = this.#reserveBlock(noun).finally(() => this.#reserving.delete(noun))
      this.#reserving.set(noun, reserving)
    }
    await reserving
    return this.next(noun)
  }

  async #reserveBlock(noun: Noun): Promise<void> {
    const last = await this.#reserve(noun, ID_BLOCK)
    this.#blocks.set(noun, { next: last - ID_BLOCK + 1n, end: last + 1n })
  }
}
