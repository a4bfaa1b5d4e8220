import type { RepresentedRows } from '../../src/contract/operation.ts'
import {
  type Representation,
  RepresentationCache,
  type Ticket,
} from '../../src/http/cache/representation-cache.ts'
import type { StoreEngine } from '../../src/serving/open.ts'
import type { Query } from '../../src/shop/registry/queries.ts'
import { executeQuery } from '../../src/shop/registry/run.ts'

/** How long a reply may differ from the database, which shows a commit before the cache drops the reply. */
const STALE_MS_MAX = 2000

/** What a response is read with. */
type Read = Pick<Query, 'id' | 'input'>

interface ReadStore extends Pick<Query, 'base'> {
  readonly engine: StoreEngine
  readonly contentTag?: Query['contentTag']
}

/** Returns the body of a read, without any cache; undefined if the read is refused or fails. */
export async function freshBody(
  { engine, base, contentTag }: ReadStore,
  { id, input }: Read,
): Promise<string | undefined> {
  const query = { id, input, now: new Date().toISOString(), base, keyId: null, contentTag }
  try {
    return String((await engine.readShort(reader => executeQuery(reader, query))).body)
  } catch {
    return undefined
  }
}

/**
 * The cache of a shop, which also knows the reads of its responses, so that it can be compared with the database. It
 * keeps each response at its first read, so that more is compared.
 */
export class RecordedCache extends RepresentationCache {
  readonly #reads = new Map<string, Read>()

  override begin(url: string, represents: RepresentedRows): Ticket | undefined {
    const ticket = super.begin(url, represents)
    if (ticket) return ticket
    this.misses--
    return super.begin(url, represents)
  }

  override keep(ticket: Ticket, url: string, response: Representation, query: Query): void {
    super.keep(ticket, url, response, query)
    this.#reads.set(url, query)
  }

  /** Returns the URLs whose responses in the cache differ from the database. */
  async staleUrls(store: ReadStore): Promise<string[]> {
    const stale: string[] = []
    for (const [url, read] of this.#reads) {
      if (await this.#isStale(url, () => freshBody(store, read))) stale.push(url)
    }
    return stale
  }

  async #isStale(url: string, readFresh: () => Promise<string | undefined>): Promise<boolean> {
    const deadlineMs = performance.now() + STALE_MS_MAX
    while (this.find(url)) {
      const fresh = await readFresh()
      const cached = this.find(url)
      if (!cached || cached.body === fresh) return false
      if (performance.now() > deadlineMs) return true
      await Bun.sleep(5)
    }
    return false
  }
}
