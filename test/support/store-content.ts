import { storeTables } from '../../src/transfer/tables.ts'
import type { RawRow } from './store.ts'
import type { StoreDirectory } from './store-directory.ts'

/** Returns all rows of all tables of a store, by table. The rows are sorted, because a SELECT may return any order. */
export async function contentOf({
  database,
}: Pick<StoreDirectory, 'database'>): Promise<Record<string, RawRow[]>> {
  const content: Record<string, RawRow[]> = {}
  for (const { name } of storeTables()) {
    const rows = await database(`SELECT * FROM ${name}`)
    const textOf = (row: RawRow): string => Object.values(row).join('|')
    content[name] = rows.map(row => ({ ...row })).sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  }
  return content
}
