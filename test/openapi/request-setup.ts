import type { TestStore } from '../support/store.ts'

/** A request to an operation. Its method is that of the operation, and missing headers get the usual values. */
export interface CallerRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The key to send; null for no key. By default, the admin key, or no key for a public operation. */
  readonly authorization?: string | null
}

/** Prepares a store and returns the request to send. */
export type RequestSetup = (store: TestStore) => Promise<CallerRequest> | CallerRequest
