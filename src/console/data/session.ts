import { type ApiKey, type Client, createClient, type Fetch } from '../../client/petstore-client.ts'
import { t } from '../words/sentences.tsx'
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

/** All pages of an origin share its storages, so this name contains the path of the store. */
const STORED_KEY = `petstore-key ${basePath}`

/** A text that cannot be a key: no header can carry it. */
export class NotAKey extends Error {}

/**
 * Returns a session with a key. Throws NotAKey for a text that cannot be sent, ApiError if the store refuses the key,
 * and ConnectionError if the store does not respond.
 */
export async function signIn(key: string, fetch: Fetch): Promise<Session> {
  if (!/^[!-~]+$/.test(key)) {
    throw new NotAKey(t('This is not a key: a key has only letters, digits and underscores. Copy it again.'))
  }
  const client = createClient({ baseUrl, key, fetch, onRetry: noteThrottle })
  const { data: info } = await client.getCurrentKey({})
  return { key, client, info }
}

/**
 * Where a key is stored: for this tab until it is closed, or on this computer until someone signs out. The browser may
 * block both, or they may be full. Then a reloaded page asks for the key.
 */
export type KeyPlace = 'tab' | 'computer'

export function rememberKey(key: string, place: KeyPlace): void {
  // The key of a tab would come before the one that is kept.
  if (place === 'computer') withStorage('tab', storage => storage.removeItem(STORED_KEY))
  withStorage(place, storage => storage.setItem(STORED_KEY, key))
}

/** Deletes a key, by default from this tab and from this computer. Another key that is kept on this computer stays. */
export function forgetKey(key: string | undefined, places: readonly KeyPlace[] = ['tab', 'computer']): void {
  for (const place of places)
    withStorage(place, storage => {
      if (storage.getItem(STORED_KEY) === key) storage.removeItem(STORED_KEY)
    })
}

/** Returns the result of `use`; undefined if the browser blocks the storage, or if the storage is full. */
function withStorage<Result>(place: KeyPlace, use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(place === 'tab' ? sessionStorage : localStorage)
  } catch {
    return undefined
  }
}

/** Returns the key of this tab, or else the key that is kept on this computer. */
export function findStoredKey(): string | undefined {
  const find = (place: KeyPlace) => withStorage(place, storage => storage.getItem(STORED_KEY))
  return find('tab') ?? find('computer') ?? undefined
}

/** Calls `listener` when another tab deletes `key` from this computer. Returns a function that removes the listener. */
export function onKeptKeyDeleted(key: string, listener: () => void): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === STORED_KEY && event.oldValue === key && event.newValue === null) listener()
  }
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}

/**
 * Returns the key in the address, from the link that the store prints when it starts; undefined if there is none.
 * Removes the key from the address of the page and from the history.
 */
export function takeLinkKey(): string | undefined {
  const fragment = /^#key=(.*)$/s.exec(location.hash)?.[1]
  if (fragment === undefined) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  try {
    return decodeURIComponent(fragment).trim()
  } catch {
    // The store says that such a key is malformed.
    return fragment
  }
}
