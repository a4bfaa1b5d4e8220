import type { Operation, RepresentedRows } from '../../contract/operation.ts'
import type { RowChanges } from '../../database/row-changes.ts'
import type { Reply } from '../../shop/idempotency.ts'
import { contract, type OperationId, operationIds, type QueryId } from '../../shop/operations.ts'

/** The tables whose changes must be reported to the cache. */
export const cachedTables: readonly string[] = [
  ...new Set(operationIds.flatMap(id => sourceOf(id)?.table ?? [])),
]

/** Returns the rows that the replies of an operation represent; undefined if its replies are not cached. */
function sourceOf(id: OperationId): RepresentedRows | undefined {
  const { represents }: Operation = contract[id]
  return represents
}

/** The maximum length of a body that is cached. */
const REPLY_CHARS_MAX = 64 * 1024
/** The approximate size of an entry in addition to its texts. */
const ENTRY_CHARS = 1000

/** A reply, and the headers that a server has derived from it. */
export interface CachedReply {
  readonly reply: Reply
  /** The headers that are the same in every response with this reply; absent before the first response. */
  headers?: Headers
  /** Whether the reply is still in the cache. A reply that was dropped must not be sent. */
  readonly isCurrent: boolean
}

interface Entry extends CachedReply {
  readonly target: string
  readonly table: CachedTable
  /** The id of the row that the entry represents; undefined for a list. */
  readonly rowId: bigint | undefined
  /** Whether the entry was read since it was last considered for eviction. */
  isUsed: boolean
  isCurrent: boolean
}

/** The entries of one table. */
interface CachedTable {
  /** The number of reports that rows of the table were written. */
  changeCount: number
  readonly lists: Set<Entry>
  /** The entries by the id of their row. Most rows have one entry, and 10,000 sets take 2 MiB more than arrays. */
  readonly rows: Map<bigint, readonly Entry[]>
}

/** The change count of a table when a read began. The reply is stored only if the table has not changed since. */
export interface Ticket {
  readonly source: RepresentedRows
  readonly changeCount: number
}

interface CacheLimits {
  readonly entries: number
  /** The maximum number of characters of all entries together. */
  readonly chars: number
}

/** With 10,000 entries, the cache takes about 20 MiB of memory, and more until the next full garbage collection. */
const CACHE_LIMITS: CacheLimits = { entries: 10_000, chars: 16 * 1024 * 1024 }

/**
 * The encoded replies of reads, by request target, in one process that owns its database.
 *
 * A reply is never stale. Before the engine responds to the commands of a batch, it reports the rows that they changed.
 * The cache then drops the replies that represent these rows. A reply that was read before such a report is not stored
 * after the report. At a limit, replies that were not read lately are evicted first (the CLOCK algorithm).
 */
export class RepresentationCache {
  hits = 0
  misses = 0
  readonly #limits: CacheLimits
  /** The entries by target, in the order in which they are considered for eviction. */
  readonly #entries = new Map<string, Entry>()
  readonly #tables = new Map<string, CachedTable>()
  #chars = 0

  constructor(limits = CACHE_LIMITS) {
    this.#limits = limits
  }

  get size(): { readonly entries: number; readonly chars: number } {
    return { entries: this.#entries.size, chars: this.#chars }
  }

  /** Returns the reply to a request target of GET, such as `/pets/7`; undefined if it is not in the cache. */
  find(target: string): CachedReply | undefined {
    const entry = this.#entries.get(target)
    if (entry) this.use(entry)
    return entry
  }

  /** Returns whether the cache still has a reply that `find` returned earlier. */
  has(reply: CachedReply): boolean {
    return reply.isCurrent
  }

  use(reply: CachedReply): void {
    this.hits++
    // Safe: every CachedReply is an entry of this cache.
    const entry = reply as Entry
    entry.isUsed = true
  }

  /** Like `find`, but does not count a read. */
  peek(target: string): CachedReply | undefined {
    return this.#entries.get(target)
  }

  /**
   * Counts a miss, and returns the ticket of the read that begins; undefined if replies of the query are not cached.
   */
  begin(queryId: QueryId): Ticket | undefined {
    const source = sourceOf(queryId)
    if (!source) return undefined
    this.misses++
    return { source, changeCount: this.#tableOf(source.table).changeCount }
  }

  /** Stores the reply of a read, unless its table has changed since the read began, or the reply is too long. */
  store({ source, changeCount }: Ticket, target: string, input: object, reply: Reply): void {
    const { rowId: name } = source
    const table = this.#tableOf(source.table)
    if (table.changeCount !== changeCount || reply.body === null) return
    const chars = charsOf(target, reply)
    if (reply.body.length > REPLY_CHARS_MAX || this.#entries.has(target)) return
    const id: unknown = name === undefined ? undefined : Reflect.get(input, name)
    const rowId = typeof id === 'bigint' ? id : undefined
    if (name !== undefined && rowId === undefined) return
    this.#evict(chars)
    const entry = { target, reply, table, rowId, isUsed: false, isCurrent: true }
    this.#entries.set(target, entry)
    this.#chars += chars
    if (rowId === undefined) table.lists.add(entry)
    else table.rows.set(rowId, [...(table.rows.get(rowId) ?? []), entry])
  }

  drop(changes: RowChanges): void {
    for (const [name, ids] of changes) {
      const table = this.#tableOf(name)
      table.changeCount++
      for (const entry of table.lists) this.#remove(entry)
      for (const id of ids === 'any' ? table.rows.keys() : ids) {
        for (const entry of table.rows.get(id) ?? []) this.#remove(entry)
      }
    }
  }

  #tableOf(name: string): CachedTable {
    const known = this.#tables.get(name)
    if (known) return known
    const table: CachedTable = { changeCount: 0, lists: new Set(), rows: new Map() }
    this.#tables.set(name, table)
    return table
  }

  #evict(chars: number): void {
    const { entries, chars: charsMax } = this.#limits
    for (const entry of this.#entries.values()) {
      if (this.#entries.size < entries && this.#chars + chars <= charsMax) return
      if (!entry.isUsed) {
        this.#remove(entry)
        continue
      }
      // The entry moves behind all others for a second round.
      entry.isUsed = false
      this.#entries.delete(entry.target)
      this.#entries.set(entry.target, entry)
    }
  }

  #remove(entry: Entry): void {
    const { target, reply, table, rowId } = entry
    entry.isCurrent = false
    this.#entries.delete(target)
    this.#chars -= charsOf(target, reply)
    table.lists.delete(entry)
    if (rowId === undefined) return
    const others = (table.rows.get(rowId) ?? []).filter(other => other !== entry)
    if (others.length > 0) table.rows.set(rowId, others)
    else table.rows.delete(rowId)
  }
}

function charsOf(target: string, { body }: Reply): number {
  return 2 * target.length + (body?.length ?? 0) + ENTRY_CHARS
}
