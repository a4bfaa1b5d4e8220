/** What a verb may know of the command it runs in, beside its input: one instant, one caller. */
export interface Context {
  /** The instant of the command, in the stored form: every row it writes bears this one. */
  readonly now: string
  readonly caller: Caller
  readonly requestId: string
  /** 32 random bytes in hex, given to commands that make a secret. */
  readonly random?: string
}

/** Who asks: the key, and what it may do. `keyId` is null for the public and for the store itself. */
export interface Caller {
  readonly keyId: bigint | null
  readonly scopes: readonly string[]
}
