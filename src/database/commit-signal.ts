import type { Engine } from './engine.ts'

/** Commits closer together than this are signalled together. */
const SPACING_MS = 4
/**
 * If one signal combines the commits of this many commands, the next signal waits longer, so that waiters get larger
 * batches at a lower cost.
 */
const BUSY_COMMANDS = 16
const BUSY_SPACING_MS = 20

/**
 * Signals that events may have been committed. The first commit after a quiet period is signalled at once; the commits
 * of a busy period are signalled together. No timer runs while nobody waits.
 */
export class CommitSignal {
  readonly #stop: () => void
  #next = Promise.withResolvers<void>()
  #isAwaited = false
  #notifiedMs = 0
  #commands = 0
  #spacingMs = SPACING_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasEnded = false

  constructor(watch: Engine<never, never, never>['watch']) {
    this.#stop = watch(commands => this.#onCommit(commands))
  }

  /** Whether the store is closing, so that no commit is signalled any more. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Resolves on the next commit, or on shutdown. Call it before reading, or a commit between the read and the wait is
   * lost.
   */
  next(): Promise<void> {
    this.#isAwaited = true
    return this.#hasEnded ? Promise.resolve() : this.#next.promise
  }

  /** Wakes all waiters for the last time. */
  end(): void {
    this.#hasEnded = true
    this.#stop()
    clearTimeout(this.#timer)
    this.#next.resolve()
  }

  #onCommit(commands: number): void {
    this.#commands += commands
    if (!this.#isAwaited || this.#timer !== undefined) return
    const pauseMs = Math.max(0, this.#notifiedMs + this.#spacingMs - performance.now())
    this.#timer = setTimeout(() => this.#notify(), pauseMs)
  }

  #notify(): void {
    this.#timer = undefined
    this.#spacingMs = this.#commands < BUSY_COMMANDS ? SPACING_MS : BUSY_SPACING_MS
    this.#commands = 0
    this.#notifiedMs = performance.now()
    this.#isAwaited = false
    const { resolve } = this.#next
    this.#next = Promise.withResolvers()
    resolve()
  }
}
