import { type ApiKey, type Client, createClient, type Scope } from '../../client/petstore-client.ts'

/** The path of the store, without a slash at its end: empty unless it is behind a proxy with a path. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="petstore-base"]')?.content ?? ''

/** The address of the store that served the page. */
export const baseUrl = `${location.origin}${basePath}`

/** A key that is in use in this tab, and what it may do. */
export interface Session {
  readonly key: string
  readonly client: Client
  readonly info: ApiKey
}

/** Session storage is shared by every page of the origin, so the name contains the path of the store. */
const STORED_KEY = `petstore-key ${basePath}`

/** Signs in with a key. Throws ApiError if the store refuses it, ConnectionError if the store does not respond. */
export async function signIn(key: string): Promise<Session> {
  const client = createClient({ baseUrl, key })
  const { data: info } = await client.getCurrentKey({})
  sessionStorage.setItem(STORED_KEY, key)
  return { key, client, info }
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED_KEY)
}

/**
 * Returns the key of the link that the store printed at its start, or the one that this tab used before; undefined
 * without either. The link is removed from the address and the history at once.
 */
export function findKey(): string | undefined {
  const fragment = /^#key=(\S+)$/.exec(location.hash)?.[1]
  if (fragment === undefined) return sessionStorage.getItem(STORED_KEY) ?? undefined
  history.replaceState(null, '', location.pathname + location.search)
  return decodeURIComponent(fragment)
}

/** Whether a key has a scope: itself, or through a scope that includes it. */
export function hasScope({ scopes }: Pick<ApiKey, 'scopes'>, scope: Scope): boolean {
  const has = (one: Scope): boolean => scopes.includes(one)
  if (has('admin') || has(scope)) return true
  return scope === 'audit:read' && has('keys:manage')
}
