import type { Engine } from './engine.ts'

/** Commits that come closer together are told as one. */
const SPACING_MS = 4
/** Where so many came together, the next are gathered for longer: who follows them gets larger pieces, at less cost. */
const MANY = 16
const SPACING_OF_MANY_MS = 20

/**
 * Tells those who wait that events may have been committed: the first commit after a quiet moment at once, those of a
 * busy one together. Costs nothing while nobody waits.
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

  /** Whether nothing will be told any more: the store is closing. */
  get ended(): boolean {
    return this.#ended
  }

  /** Resolves at the next news, and when it ends. Taken before a reading, it misses nothing that the reading missed. */
  next(): Promise<void> {
    this.#wanted = true
    return this.#ended ? Promise.resolve() : this.#next.promise
  }

  /** Lets everybody who waits go. */
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
