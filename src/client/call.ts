import type { ApiResponse, NotModified } from './response.ts'

/** Options of one call, in addition to its input. */
export interface CallOptions {
  /** Runs only if the current ETag is this one; otherwise `precondition_failed`. `*` matches any. */
  readonly ifMatch?: string | undefined
  /** Responds with 304 and without data if the current ETag is this one. */
  readonly ifNoneMatch?: string | undefined
  /**
   * 1 to 255 printable ASCII characters. A repeated request with the same key has no second effect. The client
   * generates a key for every command that accepts one. Set a key yourself to repeat a command after a restart of your
   * program.
   */
  readonly idempotencyKey?: string | undefined
  /** Headers to add. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Ends the call, with its retries. */
  readonly signal?: AbortSignal | undefined
  /** Replaces the option of the client. */
  readonly timeoutMs?: number | undefined
  /** Replaces the option of the client. */
  readonly retriesMax?: number | undefined
}

/** The options of a call that has none. */
export type NoOptions = Record<never, never>

/** The response to a read. Only a read with `ifNoneMatch` can be without data. */
export type Read<T, O> = 'ifNoneMatch' extends keyof O ? ApiResponse<T> | NotModified : ApiResponse<T>
