import { makeCall } from '../../client/client.ts'
import {
  ApiError,
  type ApiKey,
  type Client,
  ConnectionError,
  createClient,
  type Fetch,
} from '../../client/petstore-client.ts'
import { mayHaveTakenEffect } from '../../values/effect.ts'
import { t } from '../words/sentences.tsx'
import { noteThrottle } from './throttle.ts'

/** The path of the base URL of the store, without a trailing slash. It is empty unless a proxy adds a path. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="petstore-base"]')?.content ?? ''

/** The address of the store that served the page. */
export const baseUrl = `${location.origin}${basePath}`

/** The key that this tab uses, a client that sends it, and its name and scopes. */
export interface Session {
  readonly key: string
  /** The code that was exchanged for the key, if there was one. */
  readonly code?: string
  readonly client: Client
  readonly info: ApiKey
}

/** The client of the session of this page. What an earlier session began must not act in a later one. */
export const currentSession: { client: Client | undefined } = { client: undefined }

/** All pages of an origin share its storages, so this name contains the path of the store. */
const STORED_KEY = `petstore-key ${basePath}`
const LINK_KEY = `petstore-link ${basePath}`

/** A text that is no key, or no longer stands for one. The message says why. */
export class NotAKey extends Error {}

/** Returns whether a text is a code that is exchanged for a key. */
export function isHandoverCode(text: string): boolean {
  return text.startsWith('psc_')
}

/** The keys of exchanged codes, until the page has signed in with them: nobody can exchange a code again. */
const claimedKeys = new Map<string, string>()

/** An operation that is not in the OpenAPI description. */
const claim = { method: 'POST', path: '/keys/claims' } as const

/**
 * Exchanges a code for its key. The key is stored at once, so that a reload does not lose it. It stays on the phone,
 * because a phone closes its tabs by itself.
 */
async function claimKey(code: string, fetch: Fetch): Promise<string> {
  try {
    const call = makeCall({ baseUrl, fetch, onRetry: noteThrottle })
    // Safe: the contract of the operation has this type.
    const { key } = (await call('claimKey', claim, { body: { code } })).data as { readonly key: string }
    rememberKey(key, 'computer')
    claimedKeys.set(code, key)
    return key
  } catch (error) {
    if (error instanceof ApiError && ['key_not_found', 'validation_failed'].includes(error.code))
      throw new NotAKey(t('This code was used or is older than ten minutes. Ask for a new one.'))
    if (error instanceof ConnectionError || (error instanceof ApiError && mayHaveTakenEffect(error)))
      throw new NotAKey(t('The answer of the store was lost, so the code may be used up. Ask for a new one.'))
    throw error
  }
}

/**
 * Returns a session with a key, or with the key of a code. Throws NotAKey for another text and for a code that is used
 * up, ApiError if the store refuses the key, and ConnectionError if the store does not respond.
 */
export async function signIn(given: string, fetch: Fetch): Promise<Session> {
  if (!/^[!-~]+$/.test(given)) {
    throw new NotAKey(t('This is not a key: a key has only letters, digits and underscores. Copy it again.'))
  }
  const isCode = isHandoverCode(given)
  const key = isCode ? (claimedKeys.get(given) ?? (await claimKey(given, fetch))) : given
  const client = createClient({ baseUrl, key, fetch, onRetry: noteThrottle })
  const { data: info } = await client.getCurrentKey({})
  claimedKeys.delete(given)
  return { key, ...(isCode && { code: given }), client, info }
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
 * Returns the key in the address, from the link that the store prints when it starts, or the code in that of a new key;
 * undefined if there is none. Removes the key from the address of the page and from the history. The tab keeps it until
 * `settleLinkKey`, so that a page that is reloaded before the store answers signs in all the same.
 */
export function takeLinkKey(): string | undefined {
  const fragment = /^#key=(.*)$/s.exec(location.hash)?.[1]
  if (fragment === undefined) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  const key = unescaped(fragment).replaceAll(/\s/g, '')
  withStorage('tab', storage => storage.setItem(LINK_KEY, key))
  return key
}

/** Returns the key of a link that the store has neither accepted nor refused; undefined if there is none. */
export function findLinkKey(): string | undefined {
  return withStorage('tab', storage => storage.getItem(LINK_KEY)) ?? undefined
}

/** Forgets the key of a link, which is accepted, refused or not wanted; without an argument, whatever it is. */
export function settleLinkKey(key = findLinkKey()): void {
  if (key === findLinkKey()) withStorage('tab', storage => storage.removeItem(LINK_KEY))
}

function unescaped(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    // The store says that such a key is malformed.
    return fragment
  }
}
