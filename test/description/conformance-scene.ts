import type { TestStore } from '../support/store.ts'

/** One request of an operation, as a caller writes it. */
export interface CallerRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The key to send; null for no key. By default, the admin key, or no key for a public operation. */
  readonly authorization?: string | null
}

/** Prepares a store and returns the request to send. */
export type Scene = (store: TestStore) => Promise<CallerRequest> | CallerRequest
