import type { StoreError } from '../../contract/error.ts'
import { overloaded, shuttingDown, tooManyInProgress } from '../../contract/refusals.ts'

/** A shared limit: the total, and the maximum per caller. */
export interface Capacity {
  readonly total: number
  readonly perCaller: number
}

/** A capacity that several limiters share. Each of them is one of its callers, by its name. */
export interface Within {
  readonly limiter: CapacityLimiter
  readonly name: string
}

/** Allocates parts of a capacity, so that no caller can take all of it. */
export class CapacityLimiter {
  readonly #capacity: Capacity
  readonly #within: Within | undefined
  /** Values are mutable objects, so that an update does not need a Map.set. */
  readonly #held = new Map<string, { amount: number }>()
  #total = 0

  constructor(capacity: Capacity, within?: Within) {
    this.#capacity = capacity
    this.#within = within
  }

  /** Takes an amount for a caller and returns true. Takes nothing and returns false if too little is left. */
  take(caller: string, amount = 1): boolean {
    const held = this.#held.get(caller)
    const amountOfCaller = (held?.amount ?? 0) + amount
    if (this.#total + amount > this.#capacity.total || amountOfCaller > this.#capacity.perCaller) return false
    if (this.#within && !this.#within.limiter.take(this.#within.name, amount)) return false
    this.#total += amount
    if (held) held.amount = amountOfCaller
    else this.#held.set(caller, { amount })
    return true
  }

  release(caller: string, amount = 1): void {
    this.#total -= amount
    this.#within?.limiter.release(this.#within.name, amount)
    const held = this.#held.get(caller)
    if (!held) return
    held.amount -= amount
    if (held.amount <= 0) this.#held.delete(caller)
  }
}

/** The limit of requests in progress, except requests whose body is arriving and requests that wait for events. */
const REQUESTS: Capacity = { total: 2000, perCaller: 1000 }
/** The limit of request bodies that are being received at once. */
const BODIES: Capacity = { total: 2000, perCaller: 500 }
/** The limit of the bytes of all request bodies that are being received at once. */
const BODY_BYTES: Capacity = { total: 256 * 1024 * 1024, perCaller: 64 * 1024 * 1024 }
/** The limit of large response bodies that are sent at once, because each stays in memory until it is sent. */
const LARGE_BODIES: Capacity = { total: 400, perCaller: 100 }

/**
 * The limits that many stores in one process share, in addition to their own: of each kind the total, and the share of
 * one store. Without them, the number of stores would multiply the memory of the process.
 */
export const sharedCapacities = {
  requests: { total: 4000, perCaller: 500 },
  bodies: { total: 1000, perCaller: 100 },
  bodyBytes: { total: 128 * 1024 * 1024, perCaller: 16 * 1024 * 1024 },
  largeBodies: { total: 200, perCaller: 20 },
  polls: { total: 2000, perCaller: 100 },
  streams: { total: 2000, perCaller: 100 },
} as const satisfies Readonly<Record<string, Capacity>>

/** What the stores of one process hold of the shared limits. Each store is a caller. */
export class SharedCapacity {
  readonly requests = new CapacityLimiter(sharedCapacities.requests)
  readonly bodies = new CapacityLimiter(sharedCapacities.bodies)
  readonly bodyBytes = new CapacityLimiter(sharedCapacities.bodyBytes)
  readonly largeBodies = new CapacityLimiter(sharedCapacities.largeBodies)
  readonly polls = new CapacityLimiter(sharedCapacities.polls)
  readonly streams = new CapacityLimiter(sharedCapacities.streams)
}

/** The name of a store, and the limits that it shares with other stores. */
export interface CapacityShare {
  readonly name: string
  readonly shared: SharedCapacity
}

/** Returns the limit of one kind that a store shares with others; undefined if it shares none. */
export function within(share: CapacityShare | undefined, kind: keyof SharedCapacity): Within | undefined {
  return share && { limiter: share.shared[kind], name: share.name }
}

/**
 * Limits the requests in progress. A request beyond the limit is refused at once, so that the others stay fast. A
 * request holds a slot while the store works on it. While its body arrives, it holds a share of a separate capacity
 * instead, so clients that send slowly cannot keep others out. A request that waits for events holds neither.
 */
export class Admission {
  readonly largeBodies: CapacityLimiter
  readonly #requests: CapacityLimiter
  readonly #bodies: CapacityLimiter
  readonly #bodyBytes: CapacityLimiter
  #inProgress = 0
  #waiting = 0
  #isClosing = false
  #resolveDrain: (() => void) | undefined

  constructor(share?: CapacityShare) {
    this.largeBodies = new CapacityLimiter(LARGE_BODIES, within(share, 'largeBodies'))
    this.#requests = new CapacityLimiter(REQUESTS, within(share, 'requests'))
    this.#bodies = new CapacityLimiter(BODIES, within(share, 'bodies'))
    this.#bodyBytes = new CapacityLimiter(BODY_BYTES, within(share, 'bodyBytes'))
  }

  /** The number of requests that hold no slot: their body is arriving, or they wait for events. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * True only if a store that shares no limits would admit a request, whoever the caller is. While this is true, a
   * request that ends synchronously needs no slot.
   */
  get isFree(): boolean {
    return !this.#isClosing && this.#inProgress < REQUESTS.perCaller
  }

  /** Admits a request from an address. Throws `overloaded` or `shutting_down`. */
  enter(address: string): AdmissionSlot {
    if (this.#isClosing) throw shuttingDown()
    if (!this.#requests.take(address)) throw tooManyInProgress()
    this.#inProgress++
    return new AdmissionSlot(this, address)
  }

  /** Stops admitting requests. Resolves once all admitted requests have finished. */
  drain(): Promise<void> {
    this.#isClosing = true
    if (this.#inProgress === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#resolveDrain = resolve
    })
  }

  /** @internal Only for AdmissionSlot. */
  leave(address: string, holdsRequest: boolean): void {
    if (holdsRequest) this.#requests.release(address)
    else this.#waiting--
    this.#inProgress--
    if (this.#inProgress === 0) this.#resolveDrain?.()
  }

  /** @internal Only for AdmissionSlot. */
  releaseSlot(address: string): void {
    this.#requests.release(address)
    this.#waiting++
  }

  /** @internal Only for AdmissionSlot. Throws `overloaded`. */
  reacquireSlot(address: string): void {
    if (!this.#requests.take(address)) throw tooManyInProgress()
    this.#waiting--
  }

  /** @internal Only for AdmissionSlot. Throws `overloaded`. */
  reserveBody(caller: string, bytesMax: number): void {
    if (!this.#bodies.take(caller)) throw tooManyBodies()
    if (this.#bodyBytes.take(caller, bytesMax)) return
    this.#bodies.release(caller)
    throw tooManyBodies()
  }

  /** @internal Only for AdmissionSlot. */
  releaseBody(caller: string, bytesMax: number): void {
    this.#bodies.release(caller)
    this.#bodyBytes.release(caller, bytesMax)
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
   * Returns the body that `read` returns, of at most `bytesMax` bytes. While it arrives, the request holds no slot
   * among the requests in progress. Throws `overloaded` if too many bodies are arriving, or if no slot is free once the
   * body is complete.
   */
  async whileBodyArrives<T>(caller: string, bytesMax: number, read: () => Promise<T>): Promise<T> {
    this.#admission.reserveBody(caller, bytesMax)
    this.#pause()
    let body: T
    try {
      body = await read()
    } finally {
      this.#admission.releaseBody(caller, bytesMax)
    }
    this.#resume()
    return body
  }

  /**
   * Returns the result of `wait`, and releases the slot during the wait. Throws `overloaded` if no slot is free
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
    this.#admission.releaseSlot(this.#address)
    this.#holdsRequest = false
  }

  #resume(): void {
    this.#admission.reacquireSlot(this.#address)
    this.#holdsRequest = true
  }
}

function tooManyBodies(): StoreError {
  return overloaded('Too many request bodies are arriving; try again shortly.')
}
