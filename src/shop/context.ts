/** What a verb knows about its command in addition to its input: one instant and one caller. */
export interface Context {
  /** The instant of the command, in the stored form. Every row that it writes carries this instant. */
  readonly now: string
  readonly caller: Caller
  readonly requestId: string
  /** Set for commands whose response contains a secret. */
  readonly secret?: NewSecret
}

/** A secret that was generated for one command. */
export interface NewSecret {
  readonly plaintext: string
  /** The stored form: a hash, or the encrypted secret. */
  readonly stored: string
}

/** What a query knows in addition to its input. */
export interface QueryContext {
  readonly now: string
  /** The base URL of the store, for resources that contain it. */
  readonly base: string
  /** The key of the request; null without one. */
  readonly keyId: bigint | null
}

/** A key and its scopes. `keyId` is null for the public and for the store itself. */
export interface Caller {
  readonly keyId: bigint | null
  readonly scopes: readonly string[]
  /** When the key expires, in the stored form; absent if it does not expire. */
  readonly expiresAt?: string
}
