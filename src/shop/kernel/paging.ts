import { readJson } from '../../contract/json-body.ts'
import type { Page } from '../../contract/operation.ts'
import { invalidCursor, sortExcludedByFilter } from '../../contract/refusals.ts'
import type { Reader } from '../../database/engine.ts'
import { dynamicSql, type Place, type Statement, type Value } from '../../database/statement.ts'
import { isInt64 } from '../../values/int64.ts'
import { writeJson } from '../../values/json.ts'
import { nameKey, prefixEnd } from '../../values/text.ts'

/** The paging parameters of a request. */
export interface ListQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** One condition on a column. Its values become parameters. */
export interface Condition {
  readonly text: string
  readonly values: readonly Value[]
}

export const equals = (column: string, value: Value): Condition => ({ text: `${column} =`, values: [value] })
export const compares = (column: string, sign: '<' | '<=' | '>' | '>=', value: Value): Condition => ({
  text: `${column} ${sign}`,
  values: [value],
})
export const isIn = (column: string, values: readonly Value[]): Condition => ({
  text: `${column} IN`,
  values,
})
export const isNull = (column: string): Condition => ({ text: `${column} IS NULL`, values: [] })
export const isNotNull = (column: string): Condition => ({ text: `${column} IS NOT NULL`, values: [] })

/** Returns the conditions that a name starts with a text, as a range of its search key. */
export function namePrefix(name: string): Condition[] {
  return startsWith('name_key', nameKey(name))
}

/** Returns the conditions that a column starts with a text, as a range in code point order. */
export function startsWith(column: string, prefix: string): Condition[] {
  const end = prefixEnd(prefix)
  return [compares(column, '>=', prefix), ...(end === undefined ? [] : [compares(column, '<', end)])]
}

/** A value that matches no row: nothing equals NULL, so a scan for it ends at once. */
const NO_ROW = null
const PADDED_SIZES = [1, 4, 20, 100]

/**
 * Returns the values of a filter, padded to one of a few sizes with values that match no row. Otherwise each number of
 * values would have a statement text of its own, and every prepared text takes memory in a connection.
 */
export function padded(values: readonly Value[], sizes = PADDED_SIZES): Value[] {
  const size = sizes.find(one => one >= values.length)
  if (size === undefined) throw new Error(`a filter has too many values: ${values.length}`)
  return [...values, ...Array.from({ length: size - values.length }, () => NO_ROW)]
}

export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

interface List {
  /** The name of the list. A cursor is valid only for the same list, filters and sort. */
  readonly list: string
  readonly table: string
  /** The columns of a row, for SELECT. */
  readonly columns: string
  readonly input: ListQuery
  readonly limitDefault?: number
  readonly filters: object
  readonly sort: { readonly column: string; readonly descending: boolean }
  /** The column that breaks ties of the sort; `id` by default. With several branches, it must be the primary key. */
  readonly tie?: string
  /**
   * The branches of the list: each branch is one bounded scan of an index. The list is their merge, so no two branches
   * may contain the same row. All branches have conditions on the same columns in the same order. A condition that all
   * branches share is the same object in each. Any other condition has one value in each branch.
   */
  readonly branches: readonly (readonly Condition[])[]
}

/**
 * Returns the order of a list: the requested sort, or else the sort by `ranged`, or else by id. `ranged` is the member
 * that the request filters by range. Throws `invalid_parameter` if the requested sort is by another member.
 */
export function sortBy(
  requested: string | undefined,
  columns: Readonly<Record<string, string>>,
  ranged: string | undefined,
): List['sort'] {
  const name = requested ?? ranged ?? 'id'
  const descending = name.startsWith('-')
  const bare = descending ? name.slice(1) : name
  if (ranged !== undefined && bare !== ranged) throw sortExcludedByFilter(ranged)
  return { column: columns[bare] ?? 'id', descending }
}

/** Returns the order of a list that can be sorted by name, and filtered by a `start` of it. Throws as `sortBy` does. */
export function sortByName(requested: string | undefined, start: string | undefined): List['sort'] {
  // Only the names with one start are a range of `name_key`, and only `sort_key` has Ä beside A.
  if (start === undefined) return sortBy(requested, { name: 'sort_key' }, undefined)
  return sortBy(requested, { name: 'name_key' }, 'name')
}

/** The number of items on a page, unless the request or the list sets another limit. */
export const LIMIT_DEFAULT = 20

/** The sort columns that are text. All other sort columns are integers. */
const textColumns: readonly string[] = [
  'name_key',
  'sort_key',
  'word',
  'at',
  'ship_date',
  'created_at',
  'reference',
]

/**
 * Returns one page of a list, read by keyset pagination. Every branch stops after a page of rows, whatever the size of
 * the table. The next page starts after the last row, so inserts and deletes cause no row to be skipped or repeated.
 * Throws `invalid_cursor`.
 */
export async function listPage<Row extends object, Item>(
  reader: Reader,
  list: List,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const limit = list.input.limit ?? list.limitDefault ?? LIMIT_DEFAULT
  if (list.branches.length === 0) return { items: [] }
  const rows = await reader.many(
    pageStatement<Row & SortKeys>(list, BigInt(limit + 1), readCursor(list, list.input.cursor)),
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last ? writeCursor(list, last) : undefined
  return { items: page.map(toItem), next }
}

export interface SortKeys {
  readonly sortKey: string | bigint
  readonly tieKey: bigint
}

/**
 * Returns the statement of a page. Every value is a parameter, so the text of the statement depends only on the list,
 * the sort, the number of branches, which filters are set, and whether there is a cursor.
 */
function pageStatement<Row>(list: List, rowsMax: bigint, after: SortKeys | undefined): Statement<Row> {
  const { table, columns, sort, tie = 'id', branches } = list
  const direction = sort.descending ? 'DESC' : 'ASC'
  const byTie = `${tie} ${direction}`
  const order = sort.column === tie ? byTie : `${sort.column} ${direction}, ${byTie}`
  const shared = (branches[0] ?? []).filter(condition => branches.every(branch => branch.includes(condition)))
  return dynamicSql<Row>(place => {
    const limit = `LIMIT ${place(rowsMax)}`
    const sharedTexts = shared.map(condition => conditionText(condition, place))
    if (after) sharedTexts.push(keysetText(sort, tie, after, place))
    const keys = `${sort.column} AS "sortKey", ${tie} AS "tieKey"`
    const scan = (selected: string, texts: readonly string[]) => {
      const where = [...texts, ...sharedTexts].join(' AND ')
      return `SELECT ${selected} FROM ${table}
      ${where && `WHERE ${where}`}`
    }
    const scanRows = (texts: readonly string[]) =>
      `${scan(`${columns}, ${keys}`, texts)} ORDER BY ${order} ${limit}`
    if (branches.length === 1) return scanRows([])
    const unshared = branches.map(branch => branch.filter(condition => !shared.includes(condition)))
    const places = unshared.map(branch => branch.flatMap(condition => condition.values.map(place)))
    const byKeys = `ORDER BY "sortKey" ${direction}, "tieKey" ${direction}`
    // Each branch is in the order of an index, so SQLite merges them and reads only the keys that the page needs.
    const scanKeys = (texts: readonly string[]) => scan(keys, texts)
    const pageKeys = `${unionText(unshared[0] ?? [], places, scanKeys)} ${byKeys} ${limit}`
    return [
      `SELECT ${columns}, "sortKey", "tieKey" FROM (${pageKeys}) AS page CROSS JOIN ${table}
        ON ${table}.${tie} = "tieKey" ${byKeys}`,
      `${lateralText(unshared[0] ?? [], places, scanRows)} ${byKeys} ${limit}`,
    ]
  })
}

function unionText(
  conditions: readonly Condition[],
  places: readonly string[][],
  scan: (texts: readonly string[]) => string,
): string {
  const scans = places.map(row => scan(conditions.map(({ text }, column) => `${text} ${row[column]}`)))
  return scans.join(' UNION ALL ')
}

/**
 * Returns the equivalent of the union for PostgreSQL. PostgreSQL plans each branch of a union, which takes 8 ms for 60
 * branches. In the returned text, it plans one branch for all rows of values.
 */
function lateralText(
  conditions: readonly Condition[],
  places: readonly string[][],
  scan: (texts: readonly string[]) => string,
): string {
  const types = conditions.map(({ values: [value] }) => (typeof value === 'bigint' ? 'bigint' : 'text'))
  const rows = places.map(row => `(${row.map((value, column) => `${value}::${types[column]}`).join(', ')})`)
  const texts = conditions.map(({ text }, column) => `${text} value${column}`)
  return `SELECT scan.* FROM (VALUES ${rows.join(', ')}) AS branch (${texts.map((_, column) => `value${column}`)})
    CROSS JOIN LATERAL (${scan(texts)}) AS scan`
}

function conditionText({ text, values }: Condition, place: Place): string {
  const places = values.map(place)
  if (text.endsWith(' IN')) return `${text} (${places.join(', ')})`
  return places.length > 0 ? `${text} ${places[0]}` : text
}

function keysetText(
  { column, descending }: List['sort'],
  tie: string,
  after: SortKeys,
  place: Place,
): string {
  const sign = descending ? '<' : '>'
  if (column === tie) return `${tie} ${sign} ${place(after.tieKey)}`
  return `(${column}, ${tie}) ${sign} (${place(after.sortKey)}, ${place(after.tieKey)})`
}

/** A list as far as its cursors need it. */
export type CursorList = Pick<List, 'list' | 'filters' | 'sort'>

/** Returns the cursor of the page after a row. */
export function writeCursor(list: CursorList, { sortKey, tieKey }: SortKeys): string {
  return Buffer.from(writeJson([listHash(list), sortKey, tieKey])).toString('base64url')
}

/** Returns the keys of the row before the page of a cursor; undefined on the first page. Throws `invalid_cursor`. */
export function readCursor(list: CursorList, cursor: string | undefined): SortKeys | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const isText = textColumns.includes(list.sort.column)
  const [hash, sortKey, tieKey] = partsOf(cursor)
  if (hash !== listHash(list) || !isInt64(tieKey)) throw invalidCursor()
  if (!((isText && isCursorText(sortKey)) || (!isText && isInt64(sortKey)))) throw invalidCursor()
  return { sortKey, tieKey }
}

function isCursorText(key: unknown): key is string {
  return typeof key === 'string' && !key.includes('\0')
}

/** Returns the parts of a cursor; none if it does not have three of them. */
function partsOf(cursor: string): readonly unknown[] {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.toString('base64url') !== cursor) return []
  try {
    const parts = readJson(bytes)
    return Array.isArray(parts) && parts.length === 3 ? parts : []
  } catch {
    return []
  }
}

/** Returns a short hash of a list. It only detects mistakes: a forged cursor gives access only to rows of its list. */
function listHash({ list, filters, sort }: CursorList): string {
  return Bun.hash(writeJson({ list, ...filters, sort })).toString(36)
}
