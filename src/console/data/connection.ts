import type { Fetch } from '../../client/petstore-client.ts'
import { isSandbox } from './host-api.ts'
import { baseUrl } from './session.ts'
import { sharedValue } from './shared-value.ts'
import { noteStoreTime } from './shop-clock.ts'

/** The pause before each probe of a store that does not respond, and the time limit of a probe, in milliseconds. */
const PROBE_MS = 2000
/**
 * How long a request waits before the store is probed, in milliseconds. A store that responds neither to the request
 * nor to the probe is reported after the sum of this time and `PROBE_MS`. A slow request alone is not reported.
 */
const PATIENCE_MS = 3000

/** Records whether the store responds. While it does not, sends probes until it does. */
class ConnectionState {
  readonly isLost = sharedValue(false)
  /** Whether the host of the store says that the sandbox no longer exists. */
  readonly isGone = sharedValue(false)
  #isChecking = false
  #timer: ReturnType<typeof setTimeout> | undefined

  markLost(): void {
    if (this.isLost.get()) return
    this.isLost.set(true)
    this.#probeLater()
  }

  markRestored(): void {
    if (!this.isLost.get()) return
    clearTimeout(this.#timer)
    this.isLost.set(false)
  }

  /** Calls `listener` each time the store starts to respond again. Returns a function that removes the listener. */
  onRestored(listener: () => void): () => void {
    return this.isLost.subscribe(() => {
      if (!this.isLost.get()) listener()
    })
  }

  /** Probes the store. Resolves with whether it responds in time and is ready. */
  async responds(): Promise<boolean> {
    const signal = AbortSignal.timeout(PROBE_MS)
    return fetch(`${baseUrl}/readyz`, { cache: 'no-store', signal })
      .then(({ ok, status }) => {
        this.isGone.set(isSandbox && status === 404)
        return ok
      })
      .catch(() => false)
  }

  /** Waits for a response. If it is late, probes the store, and reports the connection as lost if the probe fails. */
  async watch<Response>(response: Promise<Response>): Promise<Response> {
    const timer = setInterval(() => void this.check(), PATIENCE_MS)
    try {
      return await response
    } finally {
      clearInterval(timer)
    }
  }

  /** Probes the store if the connection may be lost. Reports the connection as lost only if the probe fails. */
  async check(): Promise<void> {
    if (this.isLost.get() || this.#isChecking) return
    this.#isChecking = true
    const responds = await this.responds()
    this.#isChecking = false
    if (!responds) this.markLost()
  }

  /** Reports the connection as lost, and resolves when the store responds again. */
  untilRestored(): Promise<void> {
    this.markLost()
    return new Promise(resolve => {
      const stop = this.onRestored(() => {
        stop()
        resolve()
      })
    })
  }

  #probeLater(): void {
    this.#timer = setTimeout(async () => {
      if (await this.responds()) this.markRestored()
      else if (this.isLost.get()) this.#probeLater()
    }, PROBE_MS)
  }
}

export const connection = new ConnectionState()

/** Sends the requests of the client, and records whether the store responds. */
export const watchedFetch: Fetch = async (url, init) => {
  const response = await connection.watch(fetch(url, init))
  noteStoreTime(response)
  // A proxy responds with 502, 503 or 504 in place of a store that does not respond.
  if (response.status < 500) connection.markRestored()
  return response
}
