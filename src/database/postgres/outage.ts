/** The interval at which a database is probed during an outage, in milliseconds. */
const PROBE_INTERVAL_MS = 1000

/** The beginning of an outage, with its reason, or its end, with its duration in milliseconds. */
export type OutageChange = { readonly reason: unknown } | { readonly lastedMs: number }

/**
 * Reports an outage of a database once when it begins, and once when it ends, however many requests fail. A request
 * that failed is only a suspicion, because a locked row or a slow process can be the cause: the probe decides.
 */
export class OutageWatch {
  readonly #probe: () => Promise<void>
  readonly #onChange: (change: OutageChange) => void
  #isProbing = false
  #isClosed = false

  /** `probe` rejects if the database does not respond or accepts no writes. */
  constructor(probe: () => Promise<void>, onChange: (change: OutageChange) => void) {
    this.#probe = probe
    this.#onChange = onChange
  }

  /** Probes the database, and if the probe fails, reports an outage and probes until the database responds. */
  suspect(): void {
    if (this.#isProbing || this.#isClosed) return
    this.#isProbing = true
    void this.#watch().finally(() => {
      this.#isProbing = false
    })
  }

  /** Reports nothing from now on. */
  close(): void {
    this.#isClosed = true
  }

  async #watch(): Promise<void> {
    let sinceMs: number | undefined
    for (;;) {
      const startedMs = performance.now()
      const failure = await this.#probe().then(
        () => undefined,
        (reason: unknown) => ({ reason }),
      )
      if (this.#isClosed) return
      if (!failure) {
        if (sinceMs !== undefined) this.#onChange({ lastedMs: Math.round(performance.now() - sinceMs) })
        return
      }
      if (sinceMs === undefined) this.#onChange(failure)
      sinceMs ??= startedMs
      await Bun.sleep(PROBE_INTERVAL_MS)
    }
  }
}
