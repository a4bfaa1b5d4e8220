import { createClient } from '../../client/client.ts'
import type { StoreEngine } from '../../serving/open.ts'
import { keyHash, newKey } from '../../shop/keys/key-text.ts'
import { type ApiKey, CreatedApiKey, type NewApiKey } from '../../shop/keys/schema.ts'
import { listKeys } from '../../shop/keys/verbs.ts'
import { type Command, replyOf } from '../../shop/registry/commands.ts'
import { storedInstant } from '../../values/instant.ts'
import { parseJson } from '../../values/json.ts'
import { ignoreProxies } from '../terminal/proxy-variables.ts'

/** A store, running or stopped, whose keys a command manages. */
export interface KeyAccess {
  /** Yields the keys that are not revoked, oldest first. */
  list(): AsyncIterable<Omit<ApiKey, 'scopes'> & { readonly scopes: readonly string[] }>
  create(key: NewApiKey): Promise<Pick<CreatedApiKey, 'id' | 'key' | 'expiresAt'>>
  revoke(keyId: bigint): Promise<void>
}

const PAGE_SIZE = 100

/** Manages the keys of a store that this process has open. The audit log records no key for these changes. */
export function engineKeys(engine: StoreEngine): KeyAccess {
  const execute = async (id: Command['id'], input: object, secret?: Command['context']['secret']) => {
    const now = storedInstant(engine.clock())
    const context = { now, caller: { keyId: null, scopes: ['admin'] }, requestId: 'petstore' }
    return replyOf(await engine.execute({ id, input, context: { ...context, ...(secret && { secret }) } }))
  }
  return {
    list: async function* () {
      for (let cursor: string | undefined; ; ) {
        const input = { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }
        const page = await engine.readShort(reader => listKeys(reader, input))
        yield* page.items
        cursor = page.next
        if (cursor === undefined) return
      }
    },
    create: async body => {
      const plaintext = newKey()
      const reply = await execute('createKey', { body }, { plaintext, stored: keyHash(plaintext) })
      return CreatedApiKey.parse(parseJson(reply.body ?? ''))
    },
    revoke: async keyId => {
      await execute('revokeKey', { keyId })
    },
  }
}

/** Manages the keys of a store on this machine that another process has open, over HTTP. */
export function runningKeys(baseUrl: string, key: string): KeyAccess {
  ignoreProxies()
  const client = createClient({ baseUrl, key })
  return {
    list: () => client.listKeys({ limit: PAGE_SIZE }),
    create: async body => (await client.createKey({ body })).data,
    revoke: async keyId => {
      await client.revokeKey({ keyId })
    },
  }
}
