/**
 * The maximum time that a lookup waits for an earlier lookup of the same key, in milliseconds. It is limited because
 * the earlier lookup may never end.
 */
const DELAY_MS_MAX = 50

interface Lookup<Value> {
  readonly result: Promise<Value>
  /** The next lookup of the key, which starts after this one. Undefined as long as nobody needs it. */
  next: Promise<Value> | undefined
}

/**
 * Looks up values that another process may change at any time. Calls that come during a lookup of the same key share
 * the next lookup. They do not share the one in progress, because it may have read the database before a change that
 * the caller already knows. An example of such a change is the revocation of an API key.
 */
export class SharedLookup<Value> {
  readonly #look: (key: string) => Promise<Value>
  readonly #latest = new Map<string, Lookup<Value>>()

  constructor(look: (key: string) => Promise<Value>) {
    this.#look = look
  }

  /** Returns the result of a lookup that starts after this call. Throws the error of that lookup. */
  find(key: string): Promise<Value> {
    const latest = this.#latest.get(key)
    if (!latest) return this.#start(key)
    latest.next ??= endOf(latest.result).then(() => this.#start(key))
    return latest.next
  }

  #start(key: string): Promise<Value> {
    const result = this.#look(key)
    const lookup: Lookup<Value> = { result, next: undefined }
    this.#latest.set(key, lookup)
    const forget = (): void => {
      if (this.#latest.get(key) === lookup && !lookup.next) this.#latest.delete(key)
    }
    result.then(forget, forget)
    return result
  }
}

/** Resolves when a lookup has ended, and at the latest after DELAY_MS_MAX. */
function endOf(result: Promise<unknown>): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, DELAY_MS_MAX)
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    result.then(end, end)
  })
}
