/** The OpenAPI description of the store, and the facts about it that the collections for Postman and Bruno need. */
export interface CollectionSource {
  /** The description in YAML. */
  readonly text: string
  /** The names of the tags, in the order of their folders: the tag of the endless operation is last. */
  readonly tags: readonly string[]
  /** Returns whether the response to the operation with this summary is a stream: it comes last in its folder. */
  readonly isStream: (summary: string) => boolean
  /** Returns whether the operation with this summary acts on a delivery, which exists after its first attempt. */
  readonly needsDelivery: (summary: string) => boolean
  /**
   * Returns whether the request of the operation with this summary sends the parameter or header field with this name.
   */
  readonly isSent: (summary: string, name: string) => boolean
}

/** The time to wait for the first attempt of a delivery, in milliseconds: longer than any lookup of a host name. */
export const DELIVERY_MS = 6000

/** The address of a store that was started with the default settings. */
export const LOCAL_STORE = 'http://127.0.0.1:8080'

/**
 * The Idempotency-Key in the collections. Postman and Bruno replace it with a new UUID whenever they send a request, so
 * a request that is sent again takes effect again.
 */
export const NEW_UUID = '{{$guid}}'

/** Returns the items in the order of their ranks; items of the same rank keep their order. */
export function sortedBy<T>(items: readonly T[], rankOf: (item: T) => number): T[] {
  return items.toSorted((a, b) => rankOf(a) - rankOf(b))
}
