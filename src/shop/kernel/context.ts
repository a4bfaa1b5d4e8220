/** The data of a command in addition to its input: one instant, one caller, one request. */
export interface Context {
  /** The instant of the command, in the stored form: the time of every change that the command makes. */
  readonly now: string
  readonly caller: Caller
  readonly requestId: string
  /** The currency of the amounts that the process reads and writes (ISO 4217); undefined if it has no such setting. */
  readonly currency?: string | undefined
  /** The trace of the request (W3C Trace Context), if it names one. */
  readonly traceparent?: string | undefined
  /** Set for commands whose response contains a secret. */
  readonly secret?: NewSecret
}

/** A secret that was generated for one command. */
export interface NewSecret {
  readonly plaintext: string
  /** The stored form: a hash, or the encrypted secret. */
  readonly stored: string
}

/** The data of a query in addition to its input. */
export interface QueryContext {
  readonly now: string
  /** The base URL of the store, for resources that contain it. */
  readonly base: string
  /** The id of the key of the request; null if the request has no key. */
  readonly keyId: bigint | null
  /** The time zone of the shop, whose days the summary counts; UTC by default. */
  readonly timeZone?: string | undefined
  /** The currency of all amounts of the store (ISO 4217). */
  readonly currency?: string | undefined
  /** Identifies the content of the store since its last reset: 1 to 9,000,000; undefined if it is never reset. */
  readonly contentTag?: bigint | undefined
}

/**
 * The caller of an operation: a key and its scopes. `keyId` is null for a caller without a key and for the store
 * itself.
 */
export interface Caller {
  readonly keyId: bigint | null
  readonly scopes: readonly string[]
  /** The instant at which the key expires, in the stored form; absent if the key does not expire. */
  readonly expiresAt?: string
}
