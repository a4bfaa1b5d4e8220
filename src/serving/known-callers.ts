import type { RowChanges } from '../database/row-changes.ts'
import type { Caller } from '../shop/kernel/context.ts'
import { storedInstant } from '../values/instant.ts'

/** The table whose changes must be reported to `KnownCallers`. */
export const KEY_TABLE = 'api_key'

const CALLERS_MAX = 1000

interface KnownCallersOptions {
  /** Reads the caller of a key. Throws `invalid_token`. */
  readonly find: (token: string) => Promise<Caller>
  /** Returns milliseconds since 1970. */
  readonly clock: () => number
}

/**
 * The callers of the keys that were used lately, in one process that owns its database. Reading a key and computing its
 * hash cost more than any other step before a command.
 *
 * A revoked key is refused from the next request on. For this, the engine reports each change of the keys before it
 * responds to the command that made the change. On such a report, `drop` forgets all callers. A caller that was read
 * before the report is not kept.
 */
export class KnownCallers {
  readonly #options: KnownCallersOptions
  readonly #callers = new Map<string, Caller>()
  /** The number of reports that keys were written. */
  #changeCount = 0

  constructor(options: KnownCallersOptions) {
    this.#options = options
  }

  /** Returns the caller of a key that was read and has neither changed nor expired since; otherwise undefined. */
  known(token: string): Caller | undefined {
    const caller = this.#callers.get(token)
    return caller && !this.#isExpired(caller) ? caller : undefined
  }

  /** Reads the caller of a key, and keeps it. Throws `invalid_token`. */
  async find(token: string): Promise<Caller> {
    const changeCount = this.#changeCount
    const caller = await this.#options.find(token)
    if (changeCount === this.#changeCount) this.#keep(token, caller)
    return caller
  }

  /** Forgets all callers if a batch has written keys. */
  drop(changes: RowChanges): void {
    if (!changes.has(KEY_TABLE)) return
    this.#changeCount++
    this.#callers.clear()
  }

  #keep(token: string, caller: Caller): void {
    if (this.#callers.size >= CALLERS_MAX) this.#callers.clear()
    this.#callers.set(token, caller)
  }

  #isExpired({ expiresAt }: Caller): boolean {
    return expiresAt !== undefined && expiresAt <= storedInstant(this.#options.clock())
  }
}
