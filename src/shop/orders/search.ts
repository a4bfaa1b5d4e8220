import type { Page } from '../../contract/operation.ts'
import type { Reader } from '../../database/engine.ts'
import { dynamicSql } from '../../database/statement.ts'
import { startsWords, wordsOf } from '../../values/search-words.ts'
import { LIMIT_DEFAULT, type ListQuery, padded, readCursor, writeCursor } from '../kernel/paging.ts'

/** The maximum number of orders that one page of a search reads. */
const ORDERS_READ_MAX = 2000
const AFTER_ANY = 2n ** 63n - 1n

/** Returns the statement that reads the references of the next orders, newest first. */
const selectReferences = (complete: bigint | undefined, before: bigint) =>
  dynamicSql<{ readonly id: bigint; readonly reference: string | null }>(place => {
    const isState = complete === undefined ? '' : `complete = ${place(complete)} AND `
    return `SELECT id, reference FROM orders WHERE ${isState}id < ${place(before)}
      ORDER BY id DESC LIMIT ${ORDERS_READ_MAX}`
  })

const selectByIds = <Row>(columns: string, ids: readonly bigint[]) =>
  dynamicSql<Row>(
    place =>
      `SELECT ${columns} FROM orders WHERE id IN (${padded(ids).map(place).join(', ')}) ORDER BY id DESC`,
  )

interface OrderSearch {
  readonly input: ListQuery & { readonly search: string }
  /** As it is stored; undefined for orders of both kinds. */
  readonly complete: bigint | undefined
  readonly columns: string
}

/**
 * Returns a page of the orders whose references have words that start with each word of a text, newest first. SQL
 * cannot fold a text, so the words are compared here. Throws `invalid_cursor`.
 */
export async function searchOrders<Row>(
  reader: Reader,
  { input, complete, columns }: OrderSearch,
): Promise<Page<Row>> {
  const { search, limit = LIMIT_DEFAULT } = input
  const cursors = {
    list: 'listOrders',
    filters: { search, complete },
    sort: { column: 'id', descending: true },
  }
  const texts = wordsOf(search)
  const from = readCursor(cursors, input.cursor)
  if (texts.length === 0) return { items: [] }
  const orders = await reader.many(selectReferences(complete, from?.tieKey ?? AFTER_ANY))
  const found: bigint[] = []
  let last: bigint | undefined
  for (const { id, reference } of orders) {
    if (reference !== null && startsWords(reference, texts)) {
      if (found.length === limit) break
      found.push(id)
    }
    last = id
  }
  const items = found.length === 0 ? [] : await reader.many(selectByIds<Row>(columns, found))
  const isLast = orders.length < ORDERS_READ_MAX && last === orders.at(-1)?.id
  if (isLast || last === undefined) return { items }
  return { items, next: writeCursor(cursors, { sortKey: last, tieKey: last }) }
}
