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

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }

  #probeLater(): void {
    this.#timer = setTimeout(async () => {
      const isReady = await fetch(`${baseUrl}/readyz`, {
        cache: 'no-store',
        signal: AbortSignal.timeout(PROBE_MS),
      })
        .then(({ ok }) => ok)
        .catch(() => false)
      if (isReady) this.restored()
      else if (this.#isLost) this.#probeLater()
    }, PROBE_MS)
  }
}

export const connection = new ConnectionState()

/** Whether the store does not respond at the moment. */
export function useConnectionLost(): boolean {
  return useSyncExternalStore(connection.subscribe, () => connection.isLost)
}
