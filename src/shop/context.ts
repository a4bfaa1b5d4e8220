/** What a verb may know of the command it runs in, beside its input: one instant, one caller. */
export interface Context {
  /** The instant of the command, in the stored form: every row it writes bears this one. */
  readonly now: string
  readonly caller: Caller
  readonly requestId: string
  /** Given to commands whose reply holds a secret. */
  readonly secret?: NewSecret
}

/** A secret that was made for one command. */
export interface NewSecret {
  readonly shown: string
  /** What is stored of it: a hash, or the secret sealed. */
  readonly kept: string
}

/** What a query may know beside its input. */
export interface Question {
  readonly now: string
  /** The base address of the store, for what names it. */
  readonly base: string
}

/** Who asks: the key, and what it may do. `keyId` is null for the public and for the store itself. */
export interface Caller {
  readonly keyId: bigint | null
  readonly scopes: readonly string[]
  /** The instant in the stored form from which the key is refused; absent when it does not expire. */
  readonly expiresAt?: string
}
