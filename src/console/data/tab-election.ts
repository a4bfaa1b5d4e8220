/** How long a tab waits for objections before it takes over, in milliseconds. */
const ELECTION_MS = 200
/** How often the tab that leads says so, and how long the others wait without hearing it, in milliseconds. */
const HEARTBEAT_MS = 1000
const LOST_MS = 4000
/** How many names are led at the same time: of the six connections of a browser to a host, two stay free. */
const LEADS_MAX = 4

type RunLead = (signal: AbortSignal) => Promise<void>

/**
 * Runs `lead` in one tab of the browser at a time, once no other tab runs it for the same name, and at most
 * `LEADS_MAX` are run for other names. Its signal is aborted when the signal of this tab is, or when another tab leads
 * too.
 */
export function leadAlone(name: string, signal: AbortSignal, lead: RunLead): void {
  // A page has locks only in a secure context.
  if ('locks' in navigator) {
    navigator.locks.request(name, { signal }, () => leadInSlot(signal, lead)).catch(() => {})
  } else {
    new Election(name, signal, lead).join()
  }
}

/** Waits for one of `LEADS_MAX` locks, and runs `lead` while it holds the lock. */
async function leadInSlot(signal: AbortSignal, lead: RunLead): Promise<void> {
  for (let slot = 0; !signal.aborted; slot = (slot + 1) % LEADS_MAX) {
    const hasLed = await navigator.locks.request(
      `petstore-lead ${slot}`,
      { ifAvailable: true },
      async lock => {
        if (lock) await lead(signal)
        return lock !== null
      },
    )
    if (hasLed) return
    if (slot === LEADS_MAX - 1) await new Promise(resolve => setTimeout(resolve, HEARTBEAT_MS))
  }
}

interface ElectionMessage {
  readonly kind: 'claim' | 'lead' | 'resign'
  readonly name: string
  readonly from: string
}

/**
 * An election among the tabs of a browser that has no locks. Of the tabs that lead for one name because they did not
 * hear each other in time, the one with the lowest id goes on. Of too many names, those with the lowest ids go on.
 */
class Election {
  readonly #name: string
  readonly #signal: AbortSignal
  readonly #lead: RunLead
  readonly #id = crypto.getRandomValues(new BigUint64Array(1)).join().padStart(20, '0')
  readonly #channel = new BroadcastChannel('petstore-leads')
  /** The tabs that lead for other names, and when they were last heard, by `performance.now`. */
  readonly #others = new Map<string, { readonly from: string; readonly heardMs: number }>()
  #leading: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #heartbeat: ReturnType<typeof setInterval> | undefined

  constructor(name: string, signal: AbortSignal, lead: RunLead) {
    this.#name = name
    this.#signal = signal
    this.#lead = lead
  }

  join(): void {
    this.#channel.onmessage = ({ data }: MessageEvent<ElectionMessage>) => this.#receive(data)
    this.#signal.addEventListener('abort', () => {
      clearTimeout(this.#timer)
      this.#end('resign')
      this.#channel.close()
    })
    this.#claimAfter(0)
  }

  #post(kind: ElectionMessage['kind']): void {
    this.#channel.postMessage({ kind, name: this.#name, from: this.#id })
  }

  #receive({ kind, name, from }: ElectionMessage): void {
    if (name !== this.#name) {
      if (kind === 'lead') this.#others.set(name, { from, heardMs: performance.now() })
      if (kind === 'resign') this.#others.delete(name)
      if (kind === 'claim' && this.#leading) this.#post('lead')
      if (this.#leading && this.#leaders().filter(other => other.from < this.#id).length >= LEADS_MAX) {
        this.#end('resign')
        this.#claimAfter(LOST_MS)
      }
    } else if (kind === 'resign') {
      this.#claimAfter(0)
    } else if (this.#leading && (kind === 'claim' || from > this.#id)) {
      this.#post('lead')
    } else if (kind === 'lead' || from < this.#id) {
      this.#end()
      this.#claimAfter(LOST_MS)
    } else {
      this.#post('claim')
    }
  }

  /** Returns the tabs that were heard lately as leaders of other names. */
  #leaders(): { readonly from: string }[] {
    const sinceMs = performance.now() - LOST_MS
    return [...this.#others.values()].filter(({ heardMs }) => heardMs > sinceMs)
  }

  #claimAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#post('claim')
      this.#timer = setTimeout(() => this.#begin(), ELECTION_MS)
    }, ms)
  }

  #begin(): void {
    if (this.#leaders().length >= LEADS_MAX) {
      this.#claimAfter(HEARTBEAT_MS)
      return
    }
    const leading = new AbortController()
    this.#leading = leading
    this.#post('lead')
    this.#heartbeat = setInterval(() => this.#post('lead'), HEARTBEAT_MS)
    void this.#lead(leading.signal).finally(() => {
      if (this.#leading === leading) this.#end('resign')
    })
  }

  #end(message?: 'resign'): void {
    clearInterval(this.#heartbeat)
    if (this.#leading && message) this.#post(message)
    this.#leading?.abort()
    this.#leading = undefined
  }
}
