import type { Operation } from '../../contract/operation.ts'

/**
 * The headers of the last response of each operation. Two responses of an operation differ in three or four of a dozen
 * headers, and changing those takes half of the time that building a new object takes.
 */
const lastOf = new WeakMap<Operation, LastHeaders>()

/**
 * Returns an object with exactly these headers for `new Response`, which copies it. The next call for this operation
 * changes the object.
 */
export function headersFor(operation: Operation, headers: Readonly<Record<string, string>>): Headers {
  let last = lastOf.get(operation)
  if (!last) {
    last = new LastHeaders()
    lastOf.set(operation, last)
  }
  return last.changeTo(headers)
}

class LastHeaders {
  readonly #headers = new Headers()
  readonly #values = new Map<string, string>()

  changeTo(headers: Readonly<Record<string, string>>): Headers {
    let count = 0
    for (const name in headers) {
      const value = headers[name]
      if (value === undefined) continue
      count++
      if (this.#values.get(name) === value) continue
      this.#headers.set(name, value)
      this.#values.set(name, value)
    }
    if (count !== this.#values.size) this.#deleteOthers(headers)
    return this.#headers
  }

  #deleteOthers(headers: Readonly<Record<string, string>>): void {
    for (const name of this.#values.keys()) {
      if (headers[name] !== undefined) continue
      this.#headers.delete(name)
      this.#values.delete(name)
    }
  }
}
