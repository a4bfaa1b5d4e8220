import type { TestStore } from '../support/store.ts'

/** One request of an operation, as a caller writes it. */
export interface CallerRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Overrides the admin key, or the absence of a key for a public operation; null sends no key. */
  readonly authorization?: string | null
}

/** Prepares a store and returns the request to send. */
export type Scene = (store: TestStore) => Promise<CallerRequest> | CallerRequest
