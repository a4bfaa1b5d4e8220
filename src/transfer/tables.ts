import { Database } from 'bun:sqlite'
import { createHash, type Hash } from 'node:crypto'
import type { Reader } from '../database/engine.ts'
import { sqliteMigrations } from '../database/migrations/migrations.ts'
import { dynamicSql, type Statement, type Value } from '../database/statement.ts'

/** The maximum number of rows that are read or written at a time. It bounds the memory of a copy. */
export const ROWS_PER_PAGE = 1000

export type TableRow = Readonly<Record<string, Value>>

interface StoreColumn {
  readonly name: string
  readonly isText: boolean
}

/** A table that every store has, on both engines. */
export interface StoreTable {
  readonly name: string
  readonly columns: readonly StoreColumn[]
  readonly key: readonly StoreColumn[]
  /** The rows that the migrations insert, in the order of the key. */
  readonly freshRows: readonly TableRow[]
}

interface CatalogRow {
  readonly table: string
  readonly column: string
  readonly type: string
  /** The place in the primary key, from 1; 0 if the column is not in it. */
  readonly place: bigint
}

const CATALOG = `
  SELECT m.name AS "table", c.name AS "column", c.type, c.pk AS place
  FROM sqlite_master m JOIN pragma_table_info(m.name) c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'handover' ORDER BY m.name, c.cid`

/**
 * Returns the tables that the current migrations create, with the rows of a new store. They are read from a new
 * database in memory, so they never differ from the migrations. PostgreSQL has the same tables and two more
 * (`migration` and `execution`), which are not part of a store. A pending `handover` is not either: a copy must not
 * hand over a key a second time.
 */
export function storeTables(): StoreTable[] {
  using database = new Database(':memory:', { strict: true, safeIntegers: true })
  for (const script of sqliteMigrations.scripts) database.run(script)
  const catalog = Map.groupBy(database.query<CatalogRow, []>(CATALOG).all(), ({ table }) => table)
  return [...catalog].map(([name, rows]) => {
    const columnOf = ({ column, type }: CatalogRow): StoreColumn => ({
      name: column,
      isText: type === 'TEXT',
    })
    const keyRows = rows.filter(({ place }) => place > 0n).sort((a, b) => Number(a.place - b.place))
    const table = { name, columns: rows.map(columnOf), key: keyRows.map(columnOf) }
    return { ...table, freshRows: database.query<TableRow, []>(selectPage(table).text).all() }
  })
}

/**
 * Returns the statement that reads the next rows of a table, in the order of its key: those after the row `after`, or
 * the first ones. Both engines compare text by its bytes, whatever the collation of a column is.
 */
export function selectPage(
  { name, columns, key }: Pick<StoreTable, 'name' | 'columns' | 'key'>,
  after?: TableRow,
): Statement<TableRow> {
  return dynamicSql<TableRow>(place => {
    const places = after && key.map(column => place(after[column.name] ?? null)).join(', ')
    const textWith = (collation: string): string => {
      const sorted = key.map(column => quoted(column) + (column.isText ? collation : '')).join(', ')
      const condition = places === undefined ? '' : `WHERE (${sorted}) > (${places})`
      return `SELECT ${listOf(columns)} FROM "${name}" ${condition} ORDER BY ${sorted} LIMIT ${ROWS_PER_PAGE}`
    }
    return [textWith(''), textWith(' COLLATE "C"')]
  })
}

/** Returns the statement that inserts at most ROWS_PER_PAGE rows into a table: it has a parameter for each value. */
export function insertRows({ name, columns }: StoreTable, rows: readonly TableRow[]): Statement<never> {
  return dynamicSql(place => {
    const tuples = rows.map(row => `(${columns.map(column => place(row[column.name] ?? null)).join(', ')})`)
    return `INSERT INTO "${name}" (${listOf(columns)}) VALUES ${tuples.join(', ')}`
  })
}

export function deleteRows({ name }: StoreTable): Statement<never> {
  return dynamicSql(() => `DELETE FROM "${name}"`)
}

export function countRows({ name }: StoreTable): Statement<{ rows: bigint }> {
  return dynamicSql<{ rows: bigint }>(() => `SELECT count(*) AS rows FROM "${name}"`)
}

/** The count and the checksum of the rows of a table, in the order of its key. */
export class TableDigest {
  readonly #columns: readonly StoreColumn[]
  readonly #hash: Hash = createHash('sha256')
  #rows = 0

  constructor({ columns }: StoreTable) {
    this.#columns = columns
  }

  add(rows: readonly TableRow[]): void {
    this.#rows += rows.length
    for (const row of rows) this.#hash.update(canonicalText(this.#columns, row))
  }

  get rows(): number {
    return this.#rows
  }

  /** Returns the checksum. No row can be added after this call. */
  checksum(): string {
    return this.#hash.digest('base64url')
  }
}

/** Returns the name of a table whose rows are not those of a new store; undefined if there is none. */
export async function findUsedTable(
  reader: Reader,
  tables: readonly StoreTable[],
): Promise<string | undefined> {
  for (const table of tables) {
    const textOf = (rows: readonly TableRow[]): string =>
      rows.map(row => canonicalText(table.columns, row)).join('')
    if (textOf(await reader.many(selectPage(table))) !== textOf(table.freshRows)) return table.name
  }
  return undefined
}

/** Returns a row as a JSON array with exact integers. Two rows with the same text have the same values. */
function canonicalText(columns: readonly StoreColumn[], row: TableRow): string {
  const texts = columns.map(({ name }) => {
    const value = row[name] ?? null
    return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
  })
  return `[${texts.join(',')}]\n`
}

function listOf(columns: readonly StoreColumn[]): string {
  return columns.map(quoted).join(', ')
}

function quoted({ name }: StoreColumn): string {
  return `"${name}"`
}
