import type { ApiResponse, NotModified } from './response.ts'

/** Options of one call, in addition to its input. */
export interface CallOptions {
  /**
   * The request runs only if this is the current ETag; otherwise it is refused with `precondition_failed`. `*` matches
   * any ETag.
   */
  readonly ifMatch?: string | undefined
  /**
   * If this is the current ETag, the response to a read has status 304 and no data, and a change of the resource is
   * refused with `precondition_failed`.
   */
  readonly ifNoneMatch?: string | undefined
  /**
   * 1 to 255 printable ASCII characters. A repeated request with the same key has no second effect. The client
   * generates a key for every command that accepts one. Set a key yourself to repeat a command after a restart of your
   * program.
   */
  readonly idempotencyKey?: string | undefined
  /** Headers to add. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Ends the call and its retries when it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** Replaces the option `timeoutMs` of the client. For a stream: the longest silence, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Replaces the option `retriesMax` of the client. */
  readonly retriesMax?: number | undefined
}

/** The options of a call that has none. */
export type NoOptions = Record<never, never>

/** The response to a read. Only a read with `ifNoneMatch` can be without data: then its status is 304, not 200. */
export type Read<T, O> = 'ifNoneMatch' extends keyof O
  ? (ApiResponse<T> & { readonly status: 200 }) | NotModified
  : ApiResponse<T>
