import { type ApiKey, type Client, createClient, type Scope } from '../../client/petstore-client.ts'
import { noteThrottle } from './throttle.ts'

/** The path of the base URL of the store, without a trailing slash. It is empty unless a proxy adds a path. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="petstore-base"]')?.content ?? ''

/** The address of the store that served the page. */
export const baseUrl = `${location.origin}${basePath}`

/** The key that this tab uses, a client that sends it, and its name and scopes. */
export interface Session {
  readonly key: string
  readonly client: Client
  readonly info: ApiKey
}

/** All pages of an origin share the session storage of a tab, so this name contains the path of the store. */
const STORED_KEY = `petstore-key ${basePath}`

/**
 * Signs in with a key, and keeps it in the session storage of this tab. Throws ApiError if the store refuses the key,
 * and ConnectionError if the store does not respond.
 */
export async function signIn(key: string): Promise<Session> {
  const client = createClient({ baseUrl, key, onRetry: noteThrottle })
  const { data: info } = await client.getCurrentKey({})
  sessionStorage.setItem(STORED_KEY, key)
  return { key, client, info }
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED_KEY)
}

/**
 * Returns the key in the link that the store printed at its start, or the key in the session storage of this tab;
 * undefined if there is neither. Removes the key from the address of the page and from the history.
 */
export function findKey(): string | undefined {
  const fragment = /^#key=(\S+)$/.exec(location.hash)?.[1]
  if (fragment === undefined) return sessionStorage.getItem(STORED_KEY) ?? undefined
  history.replaceState(null, '', location.pathname + location.search)
  return decodeURIComponent(fragment)
}

/** Returns whether a key has a scope, directly or through a scope that includes it. */
export function hasScope({ scopes }: Pick<ApiKey, 'scopes'>, scope: Scope): boolean {
  const has = (one: Scope): boolean => scopes.includes(one)
  if (has('admin') || has(scope)) return true
  return scope === 'audit:read' && has('keys:manage')
}
