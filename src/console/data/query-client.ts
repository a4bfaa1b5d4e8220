import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, ConnectionError } from '../../client/petstore-client.ts'
import { connection } from './connection.ts'
import { nameText } from './name-text.ts'

/** How long a result is used before it is read again, in milliseconds. Events make results outdated earlier. */
const FRESH_MS = 30_000

/** Called when the store refuses a key. `isCertain` says that it is the key of this session. */
type RefusalListener = (error: ApiError, isCertain: boolean) => void

const refusalListeners = new Set<RefusalListener>()

/** Calls `listener` when the store refuses a key. Returns a function that removes the listener. */
export function onKeyRefused(listener: RefusalListener): () => void {
  refusalListeners.add(listener)
  return () => refusalListeners.delete(listener)
}

/** Reports what a failed request says about the whole page: a lost connection, or a refused key. */
export function reportFailure(error: unknown): void {
  report(error, false)
}

function report(error: unknown, isCertain: boolean): void {
  if (error instanceof ConnectionError) connection.markLost()
  if (isKeyRefused(error)) for (const listener of refusalListeners) listener(error, isCertain)
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The queries of a session end with it. The refusal must not show in a view before the sign-in does.
    onError: error => report(error, true),
  }),
  mutationCache: new MutationCache({ onError: reportFailure }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The client has already retried the request if that was safe.
      retry: false,
      // A browser that is offline can still reach a store on the same machine.
      networkMode: 'always',
      queryKeyHashFn: textOf,
    },
    // A change is sent now or not at all: by the time that the browser is online, the user may have cancelled it.
    mutations: { networkMode: 'always' },
  },
})

export function isKeyRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401
}

/** Returns the name of a pet or a category that the page has read; undefined if it has not read the name. */
export function storedName(resource: string, id: bigint): string | undefined {
  const name = queryClient.getQueryData<string | null>([resource, 'name', id])
  return name ? nameText(name, id) : undefined
}

export function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
}
