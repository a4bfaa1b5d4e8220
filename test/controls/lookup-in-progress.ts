/** Broken on purpose: calls share the lookup that is in progress, which may have read the database before a change. */
export class LookupInProgress<Value> {
  readonly #look: (key: string) => Promise<Value>
  readonly #running = new Map<string, Promise<Value>>()

  constructor(look: (key: string) => Promise<Value>) {
    this.#look = look
  }

  find(key: string): Promise<Value> {
    let running = this.#running.get(key)
    if (!running) {
      running = this.#look(key).finally(() => this.#running.delete(key))
      this.#running.set(key, running)
    }
    return running
  }
}
