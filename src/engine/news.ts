import type { Engine } from './engine.ts'

/** Commits closer together than this are signalled together. */
const SPACING_MS = 4
/**
 * After this many commits in one signal, the next signal waits longer: followers get larger batches, at a lower cost.
 */
const MANY = 16
const SPACING_OF_MANY_MS = 20

/**
 * Signals that events may have been committed. The first commit after a quiet period is signalled at once, commits of
 * a busy period together. Costs nothing while nobody waits.
 */
export class News {
  readonly #stop: () => void
  #next = Promise.withResolvers<void>()
  #wanted = false
  #told = 0
  #heard = 0
  #spacingMs = SPACING_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  #ended = false

  constructor(watch: Engine<never, never, never>['watch']) {
    this.#stop = watch(() => this.#hear())
  }

  /** Whether there will be no more signals: the store is closing. */
  get ended(): boolean {
    return this.#ended
  }

  /**
   * Resolves on the next commit, or on shutdown. Call it before reading, or a commit between the read and the wait is
   * lost.
   */
  next(): Promise<void> {
    this.#wanted = true
    return this.#ended ? Promise.resolve() : this.#next.promise
  }

  /** Wakes everyone that waits, for the last time. */
  end(): void {
    this.#ended = true
    this.#stop()
    clearTimeout(this.#timer)
    this.#next.resolve()
  }

  #hear(): void {
    this.#heard++
    if (!this.#wanted || this.#timer !== undefined) return
    const restMs = Math.max(0, this.#told + this.#spacingMs - performance.now())
    this.#timer = setTimeout(() => this.#tell(), restMs)
  }

  #tell(): void {
    this.#timer = undefined
    this.#spacingMs = this.#heard < MANY ? SPACING_MS : SPACING_OF_MANY_MS
    this.#heard = 0
    this.#told = performance.now()
    this.#wanted = false
    const { resolve } = this.#next
    this.#next = Promise.withResolvers()
    resolve()
  }
}
