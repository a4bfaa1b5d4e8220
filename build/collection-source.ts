/** The OpenAPI description of the store, and the facts about it that the collections for Postman and Bruno need. */
export interface CollectionSource {
  /** The description in YAML. */
  readonly text: string
  /** The names of the tags, in their order. */
  readonly tags: readonly string[]
  /**
   * Returns whether the request of the operation with this summary sends the parameter or header field with this name.
   */
  readonly isSent: (summary: string, name: string) => boolean
}

/** The address of a store that was started with the default settings. */
export const LOCAL_STORE = 'http://127.0.0.1:8080'

/**
 * The Idempotency-Key in the collections. Postman and Bruno replace it with a new UUID whenever they send a request, so
 * a request that is sent again takes effect again.
 */
export const NEW_UUID = '{{$guid}}'
