import type { ListPage } from '../../client/petstore-client.ts'

/** The default of the API. */
const LIMIT = 20

/** Reads one page of a list. */
type ReadSearchPage<Item> = (input: {
  readonly cursor: string | undefined
  readonly limit: number
}) => PromiseLike<{ readonly data: ListPage<Item> }>

/**
 * Reads a page of a search. The store reads a bounded number of words for each page, so a page can be short or empty
 * although a next one follows: this reads on until the page is full or the list ends, or for `pagesMax` pages.
 */
export async function readFullPage<Item>(
  read: ReadSearchPage<Item>,
  cursor?: string,
  limit = LIMIT,
  pagesMax = Number.POSITIVE_INFINITY,
): Promise<ListPage<Item>> {
  const items: Item[] = []
  for (let [next, pages] = [cursor, 1]; ; pages++) {
    const { data } = await read({ cursor: next, limit: limit - items.length })
    items.push(...data.items)
    if (data.next === undefined || items.length === limit || pages >= pagesMax) return { ...data, items }
    next = data.next
  }
}
