import type { Operation, RepresentedRows } from '../../contract/operation.ts'
import type { BatchStage, RowChanges } from '../../database/row-changes.ts'
import { contract, operationIds } from '../../shop/registry/operations.ts'
import type { Query } from '../../shop/registry/queries.ts'
import type { Route } from '../request/request-context.ts'

/** The tables whose changes must be reported to the cache. */
export const cachedTables: readonly string[] = [
  ...new Set(
    operationIds.flatMap(id => {
      const { represents }: Operation = contract[id]
      return represents?.table ?? []
    }),
  ),
]

/** The response to a read, as the pipeline sent it: what is not the same in all responses of its operation. */
export interface Representation {
  readonly route: Route
  readonly path: string
  /** The header Host of the request. */
  readonly host: string
  readonly body: string
  readonly etag: string
  readonly link: string | undefined
}

interface Entry extends Representation {
  readonly url: string
  readonly table: CachedTable
  /** The id of the row that the entry represents; undefined for a list. */
  readonly rowId: bigint | undefined
  /** Whether it was read since it was kept, or since it was spared at a limit. */
  wasRead: boolean
}

/** The entries of one table. */
interface CachedTable {
  /** The number of reports that rows of the table were written. */
  changeCount: number
  readonly lists: Set<Entry>
  /** The entries by the id of their row, which may have as many as the cache: one for each Host. */
  readonly rows: Map<bigint, Set<Entry>>
}

/** The change count of a table when a read began. The reply is kept only if the table has not changed since. */
export interface Ticket {
  readonly represents: RepresentedRows
  readonly changeCount: number
}

/**
 * With 10,000 small entries, the process takes 12 to 25 MiB more with the memory settings of the start script, and 36
 * to 65 MiB without them. A character takes one byte, or two in a text with any character beyond Latin-1.
 */
const LIMITS = { entries: 10_000, chars: 16 * 1024 * 1024 }
/** The approximate size of an entry in addition to its texts. */
const ENTRY_CHARS = 1000
/** The number of recent misses that are known, a power of two. */
const MISSES = 1024

/**
 * Responses to reads by their URL, in one process that owns its database.
 *
 * No response is stale. The engine reports the rows of each batch of commands as soon as a read may show them, and the
 * cache drops what represents them. A reply that was read before such a report is not kept after it. If it is not
 * certain that reads show the rows, no reply about them is kept until the batch has ended. A response is kept when its
 * URL was read twice lately: most URLs of a large catalogue are not read again soon, and keeping a response costs a
 * third of a read. At a limit, the oldest response is dropped, but one that was read since becomes the newest: to note
 * a read costs less than to put the entry at the end.
 */
export class RepresentationCache {
  hits = 0
  misses = 0
  /** The entries by URL, oldest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #limits: typeof LIMITS
  #chars = 0
  readonly #tables = new Map<string, CachedTable>()
  /** Hashes of URLs. Two URLs with the same place forget each other; two with the same hash are kept too early. */
  readonly #missed = new Uint32Array(MISSES)
  /** The rows of the batches that were announced and have not ended. */
  readonly #announced = new Set<RowChanges>()

  constructor(limits = LIMITS) {
    this.#limits = limits
  }

  get size(): { readonly entries: number; readonly chars: number } {
    return { entries: this.#entries.size, chars: this.#chars }
  }

  /** Returns the response to a GET; undefined if it is not in the cache. */
  find(url: string): Representation | undefined {
    const entry = this.#entries.get(url)
    if (entry) entry.wasRead = true
    return entry
  }

  /**
   * Counts a miss. Returns a ticket if the response of the read that begins is to be kept: if the URL was read lately.
   */
  begin(url: string, represents: RepresentedRows): Ticket | undefined {
    this.misses++
    if (!this.#noteMiss(url)) return undefined
    return { represents, changeCount: this.#tableOf(represents.table).changeCount }
  }

  /**
   * Keeps a response, unless its table has changed since the read began, or its rows are being written: the read may
   * have been before the commit.
   */
  keep({ represents, changeCount }: Ticket, url: string, response: Representation, { input }: Query): void {
    const { rowId: name } = represents
    const table = this.#tableOf(represents.table)
    if (table.changeCount !== changeCount) return
    const id: unknown = name === undefined ? undefined : Reflect.get(input, name)
    const rowId = typeof id === 'bigint' ? id : undefined
    if (name !== undefined && rowId === undefined) return
    if (this.#isBeingWritten(represents.table, rowId)) {
      if (rowId !== undefined) this.#want(url)
      return
    }
    this.#delete(url)
    this.#add({ ...response, url, table, rowId, wasRead: false })
    this.#shrink()
  }

  /**
   * Drops what represents changed rows. The response about one row is kept again at its next read, but a list is not:
   * every write drops it, so one reader would pay for each refill.
   */
  drop(changes: RowChanges, stage: BatchStage = 'ended'): void {
    if (stage === 'announced') this.#announced.add(changes)
    else this.#announced.delete(changes)
    for (const [name, ids] of changes) {
      const table = this.#tableOf(name)
      table.changeCount++
      for (const { url } of table.lists) this.#delete(url)
      for (const id of ids === 'any' ? table.rows.keys() : ids) {
        for (const { url } of table.rows.get(id) ?? []) {
          this.#delete(url)
          this.#want(url)
        }
      }
    }
  }

  /** Returns whether a batch that has not ended writes a row, or any row of the table if there is no id. */
  #isBeingWritten(table: string, rowId: bigint | undefined): boolean {
    for (const changes of this.#announced) {
      const ids = changes.get(table)
      if (ids && (ids === 'any' || rowId === undefined || ids.has(rowId))) return true
    }
    return false
  }

  #add(entry: Entry): void {
    const { url, table, rowId } = entry
    this.#entries.set(url, entry)
    this.#chars += charsOf(entry)
    if (rowId === undefined) table.lists.add(entry)
    else table.rows.set(rowId, (table.rows.get(rowId) ?? new Set()).add(entry))
  }

  #delete(url: string): void {
    const entry = this.#entries.get(url)
    if (!entry) return
    this.#entries.delete(url)
    this.#chars -= charsOf(entry)
    forget(entry)
  }

  #shrink(): void {
    for (const [url, entry] of this.#entries) {
      if (this.#entries.size <= this.#limits.entries && this.#chars <= this.#limits.chars) return
      this.#delete(url)
      if (entry.wasRead) this.#add({ ...entry, wasRead: false })
    }
  }

  #tableOf(name: string): CachedTable {
    const known = this.#tables.get(name)
    if (known) return known
    const table: CachedTable = { changeCount: 0, lists: new Set(), rows: new Map() }
    this.#tables.set(name, table)
    return table
  }

  /** Makes the next response of a URL wanted. */
  #want(url: string): void {
    const hash = hashOf(url)
    this.#missed[hash % MISSES] = hash
  }

  /** Notes that a URL was not in the cache. If that is noted already, returns true and forgets it. */
  #noteMiss(url: string): boolean {
    const hash = hashOf(url)
    const place = hash % MISSES
    const isKnown = this.#missed[place] === hash
    this.#missed[place] = isKnown ? 0 : hash
    return isKnown
  }
}

function hashOf(url: string): number {
  return Bun.hash.xxHash32(url)
}

function forget(entry: Entry): void {
  const { table, rowId } = entry
  table.lists.delete(entry)
  if (rowId === undefined) return
  const entries = table.rows.get(rowId)
  entries?.delete(entry)
  if (entries?.size === 0) table.rows.delete(rowId)
}

function charsOf({ body, link = '', path, url }: Entry): number {
  return 2 * url.length + path.length + link.length + body.length + ENTRY_CHARS
}
