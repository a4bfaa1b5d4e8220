import type { Read } from './call.ts'

/** One page of a list. */
export interface ListPage<T> {
  readonly items: T[]
  /** The `cursor` (or `after`) of the next page; absent on the last page. The feed of events has no last page. */
  readonly next?: string
}

/**
 * The result of a list operation. Await it for one page, or iterate over it for all items: `for await (const pet of
 * store.listPets())`. No request is sent before that, and each await or iteration sends its own requests.
 */
export interface PagedList<T, O> extends Promise<Read<ListPage<T>, O>>, AsyncIterable<T> {
  pages(): AsyncGenerator<ListPage<T>>
}

type ReadPage<T> = (position: string | undefined) => Promise<{ readonly data: ListPage<T> | undefined }>

/** Returns a list whose pages are read with `readPage`. The position of the first page is undefined. */
export function makePagedList<T, O>(readPage: ReadPage<T>): PagedList<T, O> {
  async function* pages(): AsyncGenerator<ListPage<T>> {
    let position: string | undefined
    for (;;) {
      const { data } = await readPage(position)
      if (!data) return
      yield data
      // A list without a last page, such as the feed of events, repeats its position once there are no more items.
      if (data.next === undefined || (data.next === position && data.items.length === 0)) return
      position = data.next
    }
  }
  // Safe: the response contains a page, unless it is the 304 response to a read with `ifNoneMatch`.
  const firstPage = (): Promise<Read<ListPage<T>, O>> => readPage(undefined) as Promise<Read<ListPage<T>, O>>
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list can be awaited, and iterated over
    then: (onPage, onError) => firstPage().then(onPage, onError),
    catch: onError => firstPage().catch(onError),
    finally: onEnd => firstPage().finally(onEnd),
    [Symbol.toStringTag]: 'PagedList',
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items
    },
  }
}
