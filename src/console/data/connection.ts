import { useSyncExternalStore } from 'react'
import { baseUrl } from './session.ts'

/** How often the console asks whether the store responds again, in milliseconds. */
const PROBE_MS = 2000

type Listener = () => void

/** Whether the store responds. After a lost connection, probes it until it does. */
class ConnectionState {
  #isLost = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<Listener>()
  readonly #onRestored = new Set<Listener>()

  get isLost(): boolean {
    return this.#isLost
  }

  lost(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#notify()
    this.#probeLater()
  }

  restored(): void {
    if (!this.#isLost) return
    clearTimeout(this.#timer)
    this.#isLost = false
    this.#notify()
    for (const listener of this.#onRestored) listener()
  }

  /** Calls a function each time that the store responds again. Returns a function that stops the calls. */
  onRestored(listener: Listener): () => void {
    this.#onRestored.add(listener)
    return () => this.#onRestored.delete(listener)
  }

  /** Asks the store whether it is ready. */
  async responds(): Promise<boolean> {
    const signal = AbortSignal.timeout(PROBE_MS)
    return fetch(`${baseUrl}/readyz`, { cache: 'no-store', signal })
      .then(({ ok }) => ok)
      .catch(() => false)
  }

  /** Reports the connection as lost, and resolves when the store responds again. */
  untilRestored(): Promise<void> {
    this.lost()
    return new Promise(resolve => {
      const stop = this.onRestored(() => {
        stop()
        resolve()
      })
    })
  }

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }

  #probeLater(): void {
    this.#timer = setTimeout(async () => {
      if (await this.responds()) this.restored()
      else if (this.#isLost) this.#probeLater()
    }, PROBE_MS)
  }
}

export const connection = new ConnectionState()

/** Whether the store does not respond at the moment. */
export function useConnectionLost(): boolean {
  return useSyncExternalStore(connection.subscribe, () => connection.isLost)
}
