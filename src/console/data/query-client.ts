import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, ConnectionError } from '../../client/petstore-client.ts'
import { connection } from './connection.ts'

/** How long a result is used before it is read again, in milliseconds. Events make results outdated earlier. */
const FRESH_MS = 30_000

/** The cache of everything that the console has read. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: error => {
      if (error instanceof ConnectionError) connection.lost()
    },
    onSuccess: () => connection.restored(),
  }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The client has already retried the request if that was safe.
      retry: false,
      // A browser that is offline can still reach a store on the same machine.
      networkMode: 'always',
      queryKeyHashFn: key =>
        JSON.stringify(key, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
    },
    mutations: {
      // A change is sent now or not at all: by the time that the browser is online, the user may have cancelled it.
      networkMode: 'always',
      onError: error => {
        if (error instanceof ConnectionError) connection.lost()
      },
    },
  },
})

/** Returns whether an error is the refusal of a key (401). */
export function isKeyRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}
