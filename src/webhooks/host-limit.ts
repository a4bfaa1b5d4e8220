import { rateGroup } from '../values/ip-address.ts'
import { type Destination, hostOf } from './address.ts'

const PERIOD_MS = 60_000
/** The maximum number of remembered hosts. Beyond it, the host without an attempt for the longest time is forgotten. */
const HOSTS_MAX = 4096

export interface HostLimitOptions {
  readonly attemptsMax: number
  /** The length of the period; a minute by default. */
  readonly periodMs?: number
  /** Returns milliseconds; `performance.now` by default. */
  readonly monotonicClock?: () => number
  readonly hostsMax?: number
}

/**
 * Limits the attempts to each receiving host, over all stores that share this object. An attempt counts for the name in
 * its URL and for its address, because one address can have any number of names. In any period, whenever it starts, a
 * host gets at most `attemptsMax` attempts, unless it was forgotten.
 */
export class HostLimit {
  readonly attemptsMax: number
  readonly #periodMs: number
  readonly #clock: () => number
  readonly #hostsMax: number
  /** The instants of the last attempts to each host. The host without an attempt for the longest time is the first. */
  readonly #attempts = new Map<string, number[]>()

  constructor({
    attemptsMax,
    periodMs = PERIOD_MS,
    monotonicClock = () => performance.now(),
    hostsMax = HOSTS_MAX,
  }: HostLimitOptions) {
    this.attemptsMax = attemptsMax
    this.#periodMs = periodMs
    this.#clock = monotonicClock
    this.#hostsMax = hostsMax
  }

  /** The number of remembered names and addresses. */
  get hostCount(): number {
    return this.#attempts.size
  }

  /**
   * Counts an attempt to a destination, and returns 0. If the limit of its name or of one of its addresses is reached,
   * counts nothing and returns the milliseconds until the attempt may be made.
   */
  take({ url, addresses }: Destination): number {
    const nowMs = this.#clock()
    const hosts = new Set([hostOf(url).replace(/\.$/, ''), ...addresses.map(rateGroup)])
    const waitMs = Math.max(...[...hosts].map(host => this.#waitMs(host, nowMs)))
    if (waitMs > 0) return waitMs
    for (const host of hosts) this.#count(host, nowMs)
    this.#forget(nowMs)
    return 0
  }

  #waitMs(host: string, nowMs: number): number {
    const recent = this.#recent(host, nowMs)
    const [oldest = nowMs] = recent
    return recent.length < this.attemptsMax ? 0 : oldest + this.#periodMs - nowMs
  }

  #count(host: string, nowMs: number): void {
    const recent = [...this.#recent(host, nowMs), nowMs]
    this.#attempts.delete(host)
    this.#attempts.set(host, recent)
  }

  #recent(host: string, nowMs: number): number[] {
    return (this.#attempts.get(host) ?? []).filter(atMs => atMs > nowMs - this.#periodMs)
  }

  #forget(nowMs: number): void {
    for (const [host, attempts] of this.#attempts) {
      const isExpired = (attempts.at(-1) ?? 0) <= nowMs - this.#periodMs
      if (!isExpired && this.#attempts.size <= this.#hostsMax) return
      this.#attempts.delete(host)
    }
  }
}
