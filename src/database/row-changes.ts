import type { Statement, Value } from './statement.ts'

/** The rows that a batch of commands wrote: their ids by table, or `any` for a table whose rows are not known. */
export type RowChanges = ReadonlyMap<string, ReadonlySet<bigint> | 'any'>

/** Whether reads may show the rows that a batch writes, or the batch has ended: reads show the rows, or it failed. */
export type BatchStage = 'announced' | 'ended'

export type RowListener = (changes: RowChanges, stage: BatchStage) => void

/** The maximum number of rows of a table that are reported one by one: an import writes a million. */
const ROWS_MAX = 1000

/**
 * Collects the rows that statements write to the watched tables. It may report rows of commands that were rolled back,
 * but it misses no committed row.
 */
export class RowChangeRecorder {
  readonly #watched: readonly string[]
  #changes = new Map<string, Set<bigint> | 'any'>()

  constructor(watched: readonly string[]) {
    this.#watched = watched
  }

  /**
   * Records the rows that a statement has written. Their ids are in the rows that RETURNING reported, or else in the
   * parameter that names the only written row. Without an id, the statement may have written any row of its table.
   */
  record<Name extends string>(
    { table, writtenId }: Statement<unknown, Name>,
    [parameters]: readonly Readonly<Record<Name, Value>>[],
    rows: readonly unknown[] = [],
  ): void {
    if (table === undefined) {
      for (const watched of this.#watched) this.#changes.set(watched, 'any')
      return
    }
    if (!this.#watched.includes(table)) return
    const written = writtenId === undefined ? undefined : parameters?.[writtenId]
    if (rows.length === 0) this.#add(table, written)
    else for (const row of rows) this.#add(table, idOf(row) ?? written)
  }

  #add(table: string, id: Value | undefined): void {
    const known = this.#changes.get(table)
    if (known === 'any') return
    if (typeof id !== 'bigint' || (known && known.size >= ROWS_MAX)) this.#changes.set(table, 'any')
    else if (known) known.add(id)
    else this.#changes.set(table, new Set([id]))
  }

  /** Returns the changes that were recorded since the last call. */
  take(): RowChanges {
    const changes = this.#changes
    this.#changes = new Map()
    return changes
  }
}

function idOf(row: unknown): bigint | undefined {
  const id: unknown = typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined
  return typeof id === 'bigint' ? id : undefined
}
