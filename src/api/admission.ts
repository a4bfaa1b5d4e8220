import type { StoreError } from '../model/error.ts'
import { overloaded, shuttingDown, tooManyRequests } from '../model/refusals.ts'

/** An amount that callers share: a total, and the maximum that one caller can hold at a time. */
export interface Capacity {
  readonly total: number
  readonly perCaller: number
}

/** Allocates parts of a capacity, so that no caller can take all of it. */
export class Shares {
  readonly #capacity: Capacity
  /** Objects, so that the common case changes a number and not the map. */
  readonly #held = new Map<string, { amount: number }>()
  #total = 0

  constructor(capacity: Capacity) {
    this.#capacity = capacity
  }

  /** Takes an amount for a caller. Returns false, without taking any, if there is not enough. */
  take(caller: string, amount = 1): boolean {
    const held = this.#held.get(caller)
    const amountOfCaller = (held?.amount ?? 0) + amount
    if (this.#total + amount > this.#capacity.total || amountOfCaller > this.#capacity.perCaller) return false
    this.#total += amount
    if (held) held.amount = amountOfCaller
    else this.#held.set(caller, { amount })
    return true
  }

  /** Returns an amount that a caller took. */
  give(caller: string, amount = 1): void {
    this.#total -= amount
    const held = this.#held.get(caller)
    if (!held) return
    held.amount -= amount
    if (held.amount <= 0) this.#held.delete(caller)
  }
}

/** Requests in progress, except those whose body is still arriving. */
const REQUESTS: Capacity = { total: 2000, perCaller: 1000 }
/** Arriving bodies, and the bytes they may have. */
const BODIES: Capacity = { total: 2000, perCaller: 500 }
/** Large response bodies that are being sent: each holds one or two pieces in memory. */
const LARGE_BODIES: Capacity = { total: 400, perCaller: 100 }
const BODY_BYTES: Capacity = { total: 256 * 1024 * 1024, perCaller: 64 * 1024 * 1024 }

/**
 * Limits the requests in progress: a request beyond the limit is refused at once, so that the others stay fast. A
 * request holds a slot while the store works on it. While its body arrives, it holds a share of a separate capacity
 * instead, so clients that send slowly cannot keep others out.
 */
export class Admission {
  readonly largeBodies = new Shares(LARGE_BODIES)
  readonly #requests = new Shares(REQUESTS)
  readonly #bodies = new Shares(BODIES)
  readonly #bodyBytes = new Shares(BODY_BYTES)
  #unanswered = 0
  #closing = false
  #idle: (() => void) | undefined

  /** Admits a request from an address. Throws `overloaded` or `shutting_down`. */
  enter(address: string): AdmissionSlot {
    if (this.#closing) throw shuttingDown()
    if (!this.#requests.take(address)) throw tooManyRequests()
    this.#unanswered++
    return new AdmissionSlot(this, address)
  }

  /** Stops admitting requests. Resolves when every admitted request has its response. */
  drain(): Promise<void> {
    this.#closing = true
    if (this.#unanswered === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#idle = resolve
    })
  }

  /** @internal Only for AdmissionSlot. */
  leave(address: string, holdsRequest: boolean): void {
    if (holdsRequest) this.#requests.give(address)
    this.#unanswered--
    if (this.#unanswered === 0) this.#idle?.()
  }

  /** @internal Only for AdmissionSlot. */
  pause(address: string): void {
    this.#requests.give(address)
  }

  /** @internal Only for AdmissionSlot. Throws `overloaded`. */
  resume(address: string): void {
    if (!this.#requests.take(address)) throw tooManyRequests()
  }

  /** @internal Only for AdmissionSlot. Throws `overloaded`. */
  expectBody(caller: string, bytesMax: number): void {
    if (!this.#bodies.take(caller)) throw tooManyBodies()
    if (this.#bodyBytes.take(caller, bytesMax)) return
    this.#bodies.give(caller)
    throw tooManyBodies()
  }

  /** @internal Only for AdmissionSlot. */
  bodyEnded(caller: string, bytesMax: number): void {
    this.#bodies.give(caller)
    this.#bodyBytes.give(caller, bytesMax)
  }
}

/** The slot of one admitted request. */
export class AdmissionSlot {
  readonly #admission: Admission
  readonly #address: string
  #holdsRequest = true

  constructor(admission: Admission, address: string) {
    this.#admission = admission
    this.#address = address
  }

  /**
   * Waits for a body of at most `bytesMax` bytes without holding a slot among the requests in progress. Throws
   * `overloaded` if too many bodies are arriving, or if no slot is free once the body is complete.
   */
  async whileBodyArrives<T>(caller: string, bytesMax: number, read: () => Promise<T>): Promise<T> {
    this.#admission.expectBody(caller, bytesMax)
    this.#pause()
    let body: T
    try {
      body = await read()
    } finally {
      this.#admission.bodyEnded(caller, bytesMax)
    }
    this.#resume()
    return body
  }

  /**
   * Releases the slot during a wait for something outside the store. Throws `overloaded` if no slot is free
   * afterwards.
   */
  async whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    this.#pause()
    const result = await wait()
    this.#resume()
    return result
  }

  /** Ends the request. Called once, when its response is ready. */
  leave(): void {
    this.#admission.leave(this.#address, this.#holdsRequest)
  }

  #pause(): void {
    this.#admission.pause(this.#address)
    this.#holdsRequest = false
  }

  #resume(): void {
    this.#admission.resume(this.#address)
    this.#holdsRequest = true
  }
}

function tooManyBodies(): StoreError {
  return overloaded('Too many request bodies are arriving; try again shortly.')
}
