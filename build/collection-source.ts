/** The description, and the facts about it that both collections need. */
export interface CollectionSource {
  /** The description in YAML. */
  readonly text: string
  /** The names of the tags, in their order. */
  readonly tags: readonly string[]
  /** Returns whether a request sends a parameter or header field, by the summary of its operation and the name. */
  readonly isSent: (summary: string, name: string) => boolean
}

/** The address of a store that was started with the default settings. */
export const LOCAL_STORE = 'http://127.0.0.1:8080'

/** Postman and Bruno replace this by a new UUID in every request: a request that is sent again takes effect again. */
export const NEW_UUID = '{{$guid}}'
