import { RepresentationCache, type Ticket } from '../../src/http/cache/representation-cache.ts'
import type { StoreEngine } from '../../src/serving/open.ts'
import type { Reply } from '../../src/shop/idempotency.ts'
import { executeQuery, type Query } from '../../src/shop/queries.ts'

/** How long a reply may differ from the database, which shows a commit before the cache drops the reply. */
const STALE_MS_MAX = 2000

/** What a target is read with. */
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

/** The cache of a shop, which also knows the reads of its replies, so that it can be compared with the database. */
export class RecordedCache extends RepresentationCache {
  readonly #ids = new WeakMap<Ticket, Query['id']>()
  readonly #reads = new Map<string, Read>()

  override begin(id: Query['id']): Ticket | undefined {
    const ticket = super.begin(id)
    if (ticket) this.#ids.set(ticket, id)
    return ticket
  }

  override store(ticket: Ticket, target: string, input: object, reply: Reply): void {
    super.store(ticket, target, input, reply)
    const id = this.#ids.get(ticket)
    if (id) this.#reads.set(target, { id, input })
  }

  /** Returns the targets whose replies in the cache differ from the database. */
  async staleTargets(store: ReadStore): Promise<string[]> {
    const stale: string[] = []
    for (const [target, read] of this.#reads) {
      if (await this.#isStale(target, () => freshBody(store, read))) stale.push(target)
    }
    return stale
  }

  async #isStale(target: string, readFresh: () => Promise<string | undefined>): Promise<boolean> {
    const deadlineMs = performance.now() + STALE_MS_MAX
    while (this.peek(target)) {
      const fresh = await readFresh()
      const cached = this.peek(target)
      if (!cached || cached.reply.body === fresh) return false
      if (performance.now() > deadlineMs) return true
      await Bun.sleep(5)
    }
    return false
  }
}
